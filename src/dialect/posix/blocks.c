/* SPDX-License-Identifier: MIT */
/* Interprets the blocks of a log. */
#include <errno.h>
#include <string.h>
#include <trace.h>

#include "dialect/posix/posix.h"

bool posix_damage(struct posix *posix, struct model *model, struct batch *batch, uint64_t offset,
	uint64_t n_bytes, const char *what)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = offset,
		.n_bytes = n_bytes,
		.what = what,
		.source = posix->input.source };

	return model_put_gap(model, batch, &gap);
}

bool posix_loss(
	struct posix *posix, struct model *model, struct batch *batch, uint64_t n_events, const char *what)
{
	const struct rst_gap gap = {
		.marker = RST_LOSS, .n_events = n_events, .what = what, .source = posix->input.source
	};

	return model_put_gap(model, batch, &gap);
}

/* --- details -------------------------------------------------------------------------------------------- */

bool posix_header(struct posix *posix, struct model *model)
{
	const struct log_header *header = &posix->input.scan.header;
	static const char *const clocks[] = {
		[LOG_CLOCK_MONOTONIC] = "CLOCK_MONOTONIC", [LOG_CLOCK_TSC] = "time stamp counter"
	};
	bool is_known = header->clock && header->clock <= LOG_CLOCK_TSC;

	posix_detail_time(
		posix, model, POSIX_DETAIL_STARTED, header->start_seconds, header->start_nanoseconds);
	posix_detail_number(posix, model, POSIX_DETAIL_CONTROLLER, header->pid);
	posix_detail_text(posix, model, POSIX_DETAIL_HOST, header->host, sizeof(header->host));
	model->target = header->host[0] ? posix->texts[POSIX_DETAIL_HOST] : NULL;
	posix_detail_text(posix, model, POSIX_DETAIL_COMMAND, header->command, sizeof(header->command));
	posix_detail_text(
		posix, model, POSIX_DETAIL_CLOCK, is_known ? clocks[header->clock] : "unknown", SIZE_MAX);
	posix_clock(posix, model);
	return is_known || model_warn(model, "the clock of this log is not known: times are in ticks");
}

static void policy_detail(struct posix *posix, struct model *model, enum posix_detail detail, uint32_t policy)
{
	static const char *const policies[] = { [POSIX_TRACE_LOOP] = "POSIX_TRACE_LOOP",
		[POSIX_TRACE_UNTIL_FULL] = "POSIX_TRACE_UNTIL_FULL",
		[POSIX_TRACE_FLUSH] = "POSIX_TRACE_FLUSH",
		[POSIX_TRACE_APPEND] = "POSIX_TRACE_APPEND" };
	bool is_known = policy && policy <= POSIX_TRACE_APPEND;

	posix_detail_text(posix, model, detail, is_known ? policies[policy] : "unknown", SIZE_MAX);
}

static bool take_attributes(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	struct log_attributes said;

	memcpy(&said, entry->body, sizeof(said));
	posix_detail_text(posix, model, POSIX_DETAIL_NAME, said.name, sizeof(said.name));
	posix_detail_text(posix, model, POSIX_DETAIL_VERSION, said.version, sizeof(said.version));
	posix_detail_time(posix, model, POSIX_DETAIL_CREATED, said.created_seconds, said.created_nanoseconds);
	posix_detail_number(posix, model, POSIX_DETAIL_PID, said.pid);
	posix_detail_number(posix, model, POSIX_DETAIL_RESOLUTION, said.resolution_nanoseconds);
	policy_detail(posix, model, POSIX_DETAIL_STREAM_POLICY, said.stream_policy);
	policy_detail(posix, model, POSIX_DETAIL_LOG_POLICY, said.log_policy);
	posix_detail_text(posix, model, POSIX_DETAIL_INHERITANCE,
		said.inheritance == POSIX_TRACE_INHERITED ? "POSIX_TRACE_INHERITED"
							  : "POSIX_TRACE_CLOSE_FOR_CHILD",
		SIZE_MAX);
	posix_detail_number(posix, model, POSIX_DETAIL_STREAM_SIZE, said.stream_size);
	posix_detail_number(posix, model, POSIX_DETAIL_LOG_SIZE, said.log_size);
	posix_detail_number(posix, model, POSIX_DETAIL_DATA_SIZE, said.data_size);
	return true;
}

/* --- descriptions --------------------------------------------------------------------------------------- */

static bool look_type(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	return posix_describe(posix, model, entry->body, entry->length, true);
}

static bool take_type(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	return posix_describe(posix, model, entry->body, entry->length, false);
}

static bool look_module(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	posix_detail_number(posix, model, POSIX_DETAIL_MODULES, ++posix->n_module_blocks);
	return posix_module(posix, model, entry->body, entry->length);
}

static bool blocks_take_module(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	posix->generation++;
	return posix->input.is_whole || look_module(posix, model, entry);
}

static bool look_pair(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	struct log_clock_pair pair;

	return !log_clock_pair_take(entry->body, entry->length, &pair) || posix_pair(posix, model, &pair);
}

static bool take_pair(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	if (posix->input.is_whole)
		return true;
	if (!look_pair(posix, model, entry))
		return false;
	posix_clock(posix, model);
	return true;
}

/* Logs of older versions have no priority behind the task. */
static bool read_task(struct posix *posix, struct model *model, const struct posix_entry *entry, bool is_look)
{
	struct log_task task;
	struct log_priority priority;
	const bool has_priority = entry->length >= sizeof(task) + sizeof(priority);

	memcpy(&task, entry->body, sizeof(task));
	if (has_priority)
		memcpy(&priority, entry->body + sizeof(task), sizeof(priority));
	return posix_task(posix, model, &task, has_priority ? &priority : NULL, is_look);
}

static bool look_task(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	return read_task(posix, model, entry, true);
}

static bool take_task(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	return read_task(posix, model, entry, false);
}

static bool look_session(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	struct log_session session;

	memcpy(&session, entry->body, sizeof(session));
	return posix_session(posix, model, &session);
}

static bool take_session(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	return posix->input.is_whole || look_session(posix, model, entry);
}

/* --- what stands in the sequence ------------------------------------------------------------------------ */

/*
 * Unpacked events of a frame would be borrowed from memory that the next block overwrites. No writer makes
 * such blocks.
 */
static const char *open_events(struct posix *posix, const struct posix_entry *entry)
{
	const unsigned char *body = entry->body;
	size_t length = entry->length;
	struct log_events head;
	int error;

	if (entry->flags == LOG_BLOCK_ZSTD)
		return "a block in a form that this version does not know";
	error = log_unzip(&posix->zstd, entry->flags, &body, &length);
	if (error == ENOTSUP)
		return "a block that is compressed, for which libzstd.so.1 is missing";
	if (error || !log_events_begin(&posix->cursor, body, length, entry->flags, &head))
		return "a block of events that is not well formed";
	posix->block_body = body;
	return NULL;
}

static bool take_events(
	struct posix *posix, struct model *model, struct batch *batch, const struct posix_entry *entry)
{
	const char *fault = open_events(posix, entry);

	if (fault)
		return posix_damage(
			posix, model, batch, entry->offset, sizeof(struct log_block) + entry->length, fault);
	posix->is_in_block = true;
	posix->block_offset = entry->offset;
	posix->block_bytes = entry->flags & LOG_BLOCK_ZSTD ? entry->length : 0;
	return true;
}

static uint64_t count_loss(struct posix *posix, const struct posix_entry *entry)
{
	struct log_loss loss;

	memcpy(&loss, entry->body, sizeof(loss));
	if (__builtin_add_overflow(posix->input.n_lost, loss.n_events, &posix->input.n_lost))
		posix->input.n_lost = UINT64_MAX;
	return loss.n_events;
}

static bool look_loss(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	(void)model;
	count_loss(posix, entry);
	return true;
}

static bool take_loss(
	struct posix *posix, struct model *model, struct batch *batch, const struct posix_entry *entry)
{
	return posix_loss(posix, model, batch, count_loss(posix, entry), "there was no room for them");
}

/*
 * Newer blocks overwrite blocks of loss as well as blocks of events. If the END block counts more losses than
 * the blocks that were found, the difference is reported in front of the oldest event. (The END block is the
 * last one in the order written.)
 */
static bool look_end(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	struct posix_input *input = &posix->input;
	struct log_end end;

	(void)model;
	memcpy(&end, entry->body, sizeof(end));
	if (!input->scan.header.area_bytes || !end.n_overwritten)
		return true;
	input->n_overwritten = end.n_overwritten;
	input->n_lost_before = end.n_lost > input->n_lost ? end.n_lost - input->n_lost : 0;
	return true;
}

enum posix_step posix_oldest(struct posix *posix, struct model *model, struct batch *batch)
{
	uint64_t *counts[] = { &posix->input.n_overwritten, &posix->input.n_lost_before };
	static const char *const what[] = { "overwritten in the log by newer events",
		"there was no room for them, in a part that is overwritten" };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (*counts[i] && batch_is_full(batch))
			return POSIX_NO_ROOM;
		if (*counts[i] && !posix_loss(posix, model, batch, *counts[i], what[i]))
			return POSIX_NO_MEMORY;
		*counts[i] = 0;
	}
	return POSIX_DONE;
}

/*
 * The END block may count more losses than the blocks of loss do: the others occurred behind the last event,
 * or a damaged block counted them.
 */
static bool take_end(
	struct posix *posix, struct model *model, struct batch *batch, const struct posix_entry *entry)
{
	struct log_end end;

	memcpy(&end, entry->body, sizeof(end));
	posix->input.has_end = true;
	posix_detail_end(posix, model, &end);
	if (end.n_lost <= posix->input.n_lost)
		return true;
	return posix_loss(
		posix, model, batch, end.n_lost - posix->input.n_lost, "counted at the end of the log");
}

/* --- all of them ---------------------------------------------------------------------------------------- */

struct block_kind {
	size_t n_bytes; /* its body has at least so many */
	uint32_t flags_known;
	bool (*look)(struct posix *posix, struct model *model, const struct posix_entry *entry);
	bool (*take)(struct posix *posix, struct model *model, const struct posix_entry *entry);
	bool (*row)(struct posix *posix, struct model *model, struct batch *batch,
		const struct posix_entry *entry);
};

static const struct block_kind kinds[] = {
	[LOG_ATTRIBUTES] = { sizeof(struct log_attributes), .take = take_attributes },
	[LOG_TYPE] = { sizeof(struct log_type), 0, look_type, take_type },
	[LOG_MODULE] = { sizeof(struct log_module), 0, look_module, blocks_take_module },
	[LOG_CLOCK_PAIR] = { LOG_CLOCK_PAIR_BYTES_MIN, 0, look_pair, take_pair },
	[LOG_EVENTS] = { 0, LOG_BLOCK_PACKED | LOG_BLOCK_ZSTD, .row = take_events },
	[LOG_LOSS] = { sizeof(struct log_loss), 0, look_loss, .row = take_loss },
	[LOG_TASK] = { sizeof(struct log_task), 0, look_task, take_task },
	[LOG_SESSION] = { sizeof(struct log_session), 0, look_session, take_session },
	[LOG_END] = { sizeof(struct log_end), 0, look_end, .row = take_end },
};

static const struct block_kind *kind_of(const struct posix_entry *entry)
{
	const struct block_kind *kind =
		entry->kind < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[entry->kind] : NULL;

	return kind && (kind->take || kind->row) ? kind : NULL;
}

bool posix_look(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	const struct block_kind *kind = entry->body ? kind_of(entry) : NULL;
	struct log_span span;

	posix->n_blocks += entry->is_span && posix_extent(&posix->input, entry, &span) ? span.n_blocks : 1;
	if (!kind || !kind->look || entry->length < kind->n_bytes || entry->flags)
		return true;
	return kind->look(posix, model, entry);
}

static const char *damage_of(const struct posix_entry *entry, const struct block_kind *kind)
{
	if (!entry->body)
		return entry->what;
	if (entry->flags & ~(kind ? kind->flags_known : 0))
		return "a block in a form that this version does not know";
	return kind && entry->length < kind->n_bytes ? "a block too short for its kind" : NULL;
}

/*
 * Another log was written behind this one into the same file. Its types and names are not kept apart from
 * those of this one.
 */
static bool begins_log(const struct posix_input *input, const struct posix_entry *entry)
{
	struct log_scan scan;
	const char *what;

	return !entry->body && entry->length >= sizeof(struct log_header) && entry->offset >= input->at &&
	       entry->offset - input->at + entry->length <= input->n_bytes &&
	       log_scan_begin(&scan, input->bytes + (entry->offset - input->at), entry->length, &what) == 0;
}

static bool pass_over(struct posix *posix, struct model *model, const struct posix_entry *entry)
{
	if (posix->has_passed_kind)
		return true;
	posix->has_passed_kind = true;
	return model_warn(model, "blocks of kind %u are not known and were passed over", entry->kind);
}

enum posix_step posix_block(
	struct posix *posix, struct model *model, struct batch *batch, const struct posix_entry *entry)
{
	const struct block_kind *kind = entry->body ? kind_of(entry) : NULL;
	const char *what = damage_of(entry, kind);
	bool is_good;

	if (batch_is_full(batch))
		return POSIX_NO_ROOM;
	posix->n_blocks++;
	if (what && begins_log(&posix->input, entry)) {
		what = "another log begins here: as a file of its own it is read in full (--join)";
		posix->begins_log = posix->seq;
		posix->had_pair = false;
	}
	if (what)
		is_good = posix_damage(posix, model, batch, entry->offset,
			entry->body ? sizeof(struct log_block) + entry->length : entry->length, what);
	else if (!kind)
		is_good = pass_over(posix, model, entry);
	else
		is_good = kind->row ? kind->row(posix, model, batch, entry) : kind->take(posix, model, entry);
	return is_good ? POSIX_DONE : POSIX_NO_MEMORY;
}
