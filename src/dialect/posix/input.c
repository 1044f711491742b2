/* SPDX-License-Identifier: MIT */
/*
 * Chunks to blocks. An input that is there as a whole is gone through once, for names and clocks that come late and
 * to put the blocks of a ring area in the order in which they were written; then its blocks are read. A stream gives its
 * blocks as they come, and what goes on in the next chunk is held. A ring area that comes by chunks is held to its end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dialect/posix/posix.h"
#include "input/source.h"

void posix_input_done(struct posix_input *input)
{
	free(input->held);
	free(input->entries);
}

/* --- bytes ------------------------------------------------------------------------------------------------------ */

/* Makes room for more bytes behind n_held ones; false when memory ran out. */
static bool hold_room(struct posix_input *input, size_t n_held, size_t n_more)
{
	size_t n_room = n_held + n_more;
	uint8_t *grown;

	if (n_room <= input->held_room)
		return true;
	if (n_room < SOURCE_WHOLE_MAX / 2)
		n_room += n_room / 2;
	grown = realloc(input->held, n_room);
	if (!grown)
		return false;
	input->held = grown;
	input->held_room = n_room;
	return true;
}

static bool is_holding(const struct posix_input *input)
{
	return input->held && input->bytes == input->held;
}

/* What the scan has not used up. Its bytes stand at the end of what is there. */
static size_t bytes_left(const struct posix_input *input)
{
	uint64_t end = input->at + input->n_bytes;

	return input->scan.offset < end ? (size_t)(end - input->scan.offset) : 0;
}

/*
 * The chunk will be gone: keeps what is left of it. Rows may still point into what was held before, so that stays
 * where it is until hold_more().
 */
static bool hold_rest(struct posix_input *input)
{
	size_t n_left = bytes_left(input);

	if (is_holding(input))
		return true;
	if (!hold_room(input, 0, n_left))
		return false;
	if (n_left)
		memcpy(input->held, input->bytes + (input->n_bytes - n_left), n_left);
	input->at += input->n_bytes - n_left;
	input->bytes = input->held;
	input->n_bytes = n_left;
	return true;
}

/* The next chunk behind what is held; a chunk behind nothing is read where it is. */
static bool hold_more(struct posix_input *input, const struct chunk *chunk)
{
	size_t n_left = bytes_left(input);

	if (input->phase == POSIX_OVER)
		return true;
	if (!n_left) {
		input->at += input->n_bytes;
		input->bytes = chunk->bytes;
		input->n_bytes = chunk->n_bytes;
		return true;
	}
	if (n_left < input->n_bytes)
		memmove(input->held, input->bytes + (input->n_bytes - n_left), n_left);
	input->at += input->n_bytes - n_left;
	input->n_bytes = n_left;
	input->bytes = input->held;
	if (!hold_room(input, n_left, chunk->n_bytes))
		return false;
	memcpy(input->held + n_left, chunk->bytes, chunk->n_bytes);
	input->bytes = input->held;
	input->n_bytes += chunk->n_bytes;
	return true;
}

/* --- a whole input ---------------------------------------------------------------------------------------------- */

static bool entry_add(struct posix_input *input, const struct posix_entry *entry)
{
	struct posix_entry *entries = array_room(
		input->entries, input->n_entries, &input->entries_room, sizeof(struct posix_entry));

	if (!entries)
		return false;
	input->entries = entries;
	entries[input->n_entries++] = *entry;
	return true;
}

static void entry_of(struct posix_entry *entry, const struct log_item *found, bool is_block)
{
	*entry =
		(struct posix_entry){ .offset = found->offset, .length = found->length, .what = found->what };
	if (!is_block)
		return;
	entry->body = found->body;
	entry->length = found->block.length;
	entry->sequence = found->block.sequence;
	entry->kind = found->block.kind;
	entry->flags = found->block.flags;
}

static int compare_entries(const void *a, const void *b)
{
	const struct posix_entry *x = a, *y = b;

	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/*
 * Why not all of a log with a ring area is there; NULL: it is. The writer puts descriptions behind the area before it puts
 * any event into it. So of a file that has events there, and ends before the area does, the end is missing; a log that has
 * only just begun is as short, but has no events.
 */
static const char *area_fault(const struct posix_input *input, bool has_area_blocks)
{
	const struct log_header *header = &input->scan.header;

	if (!header->area_bytes && !input->is_bare)
		return NULL;
	if (input->n_entries == POSIX_AREA_ENTRIES_MAX)
		return "a log with a ring area has so many blocks that later ones are left out";
	if (input->is_held_full)
		return "a ring area that does not come from a file is held up to 256 MiB; the rest is left "
		       "out, save it to a file";
	return has_area_blocks && input->at + input->n_bytes < header->header_bytes + header->area_bytes
		       ? "the file is cut in the ring area; what stood behind is missing"
		       : NULL;
}

/* Where blocks do not stand in the order in which they were written, or may not. */
static bool has_own_order(const struct posix_input *input)
{
	return input->is_bare || input->scan.header.area_bytes;
}

/* As many as are looked at ahead: a file may consist of the smallest blocks. Of a ring area all are needed. */
static size_t entries_max(const struct posix_input *input)
{
	return has_own_order(input) ? POSIX_AREA_ENTRIES_MAX : POSIX_ENTRIES_MAX;
}

/* Damage has no number; it stays behind the block that is in front of it. */
static bool gather_entries(struct posix_input *input)
{
	struct posix_entry entry, fault = { .sequence = UINT64_MAX };
	struct log_item found;
	enum log_found what = LOG_FOUND_BLOCK;
	uint64_t sequence = 0;
	bool has_area_blocks = false;

	input->n_entries = input->n_done = 0;
	while (input->n_entries < entries_max(input) &&
		(what = log_scan_next(&input->scan, input->bytes, input->n_bytes, input->at, true, &found)) <
			LOG_FOUND_MORE) {
		entry_of(&entry, &found, what == LOG_FOUND_BLOCK);
		if (entry.body)
			sequence = entry.sequence;
		has_area_blocks |= entry.body && found.in_area;
		entry.sequence = sequence;
		if (!entry_add(input, &entry))
			return false;
	}
	input->is_scanned = what >= LOG_FOUND_MORE || has_own_order(input);
	fault.offset = input->at + input->n_bytes;
	fault.what = area_fault(input, has_area_blocks);
	input->is_told_cut |= fault.what != NULL;
	if (fault.what && !entry_add(input, &fault))
		return false;
	if (input->n_entries && has_own_order(input))
		qsort(input->entries, input->n_entries, sizeof(struct posix_entry), compare_entries);
	return true;
}

static bool look_ahead(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;
	uint64_t n_before = posix->n_blocks, n_lost = input->n_lost;

	input->is_whole = true;
	if (!gather_entries(input))
		return false;
	for (size_t i = 0; i < input->n_entries; i++)
		if (!posix_look(posix, model, &input->entries[i]))
			return false;
	posix->n_blocks = n_before;
	input->n_lost = n_lost + input->n_lost_before;
	posix_clock(posix, model);
	return true;
}

static enum posix_step read_entries(struct posix *posix, struct model *model, struct batch *batch)
{
	struct posix_input *input = &posix->input;
	enum posix_step step =
		posix->is_in_block ? posix_rows(posix, model, batch) : posix_oldest(posix, model, batch);

	while (step == POSIX_DONE && input->n_done < input->n_entries) {
		step = posix_block(posix, model, batch, &input->entries[input->n_done]);
		input->n_done += step == POSIX_DONE;
		if (step == POSIX_DONE && posix->is_in_block)
			step = posix_rows(posix, model, batch);
	}
	if (step == POSIX_DONE && !input->is_scanned)
		return look_ahead(posix, model) ? POSIX_DONE : POSIX_NO_MEMORY;
	if (step == POSIX_DONE)
		input->phase = POSIX_OVER;
	return step;
}

/* --- a stream --------------------------------------------------------------------------------------------------- */

static enum posix_step read_stream(struct posix *posix, struct model *model, struct batch *batch)
{
	struct posix_input *input = &posix->input;
	enum posix_step step = posix->is_in_block ? posix_rows(posix, model, batch) : POSIX_DONE;
	struct log_item found;
	struct posix_entry entry;

	while (step == POSIX_DONE) {
		enum log_found what;

		if (batch_is_full(batch))
			return POSIX_NO_ROOM;
		what = log_scan_next(
			&input->scan, input->bytes, input->n_bytes, input->at, input->is_end, &found);
		if (what == LOG_FOUND_MORE && !input->is_end)
			return POSIX_MORE;
		if (what >= LOG_FOUND_MORE)
			break;
		entry_of(&entry, &found, what == LOG_FOUND_BLOCK);
		step = posix_block(posix, model, batch, &entry);
		if (step == POSIX_DONE && posix->is_in_block)
			step = posix_rows(posix, model, batch);
	}
	if (step == POSIX_DONE)
		input->phase = POSIX_OVER;
	return step;
}

/* --- the head --------------------------------------------------------------------------------------------------- */

/* A first input that is no log is a failure; a later one is damage, and what came before it stands. */
static enum posix_step no_log(struct posix *posix, struct model *model, struct batch *batch,
	enum rst_status status, const char *what)
{
	struct posix_input *input = &posix->input;

	if (!posix->has_read) {
		posix->has_failed = true;
		error_set(&posix->failure, status, 0, "%s", what);
		return POSIX_FAILED;
	}
	if (batch_is_full(batch))
		return POSIX_NO_ROOM;
	input->phase = POSIX_OVER;
	input->has_end = true; /* not a log that breaks off */
	return posix_damage(posix, model, batch, 0, 0, what) ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step begin_log(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;

	posix->has_read = true;
	input->phase = POSIX_STREAM;
	if (input->is_whole)
		input->phase = POSIX_WHOLE;
	else if (input->scan.header.area_bytes)
		input->phase = POSIX_GATHER;
	if (!input->is_bare && !posix_header(posix, model))
		return POSIX_NO_MEMORY;
	return input->phase != POSIX_WHOLE || look_ahead(posix, model) ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step read_head(struct posix *posix, struct model *model, struct batch *batch)
{
	struct posix_input *input = &posix->input;
	const char *what = "this is no Rastrum log";
	int status = log_scan_begin(&input->scan, input->bytes, input->n_bytes, &what);

	if (status == EAGAIN && !input->is_end)
		return POSIX_MORE;
	input->is_bare =
		status == EINVAL && log_scan_bare(&input->scan, input->bytes, input->n_bytes, input->at);
	if (input->is_bare)
		return begin_log(posix, model);
	if (status == EAGAIN)
		return no_log(posix, model, batch, RST_E_DAMAGED, "the header of the log is cut");
	if (status == ENOTSUP)
		return no_log(posix, model, batch, RST_E_UNSUPPORTED, what);
	if (status)
		return no_log(posix, model, batch, RST_E_DAMAGED, "the header of the log is damaged");
	if (input->scan.header.content != LOG_CONTENT_POSIX)
		return no_log(posix, model, batch, RST_E_UNSUPPORTED,
			"this Rastrum log holds something else than a POSIX trace");
	return begin_log(posix, model);
}

static enum posix_step read_gathered(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;

	if (!input->is_end && input->n_bytes < SOURCE_WHOLE_MAX)
		return POSIX_MORE;
	input->is_held_full = !input->is_end;
	input->phase = POSIX_WHOLE;
	return look_ahead(posix, model) ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step read_phases(struct posix *posix, struct model *model, struct batch *batch)
{
	const struct posix_input *input = &posix->input;
	enum posix_step step = POSIX_DONE;

	while (step == POSIX_DONE && input->phase != POSIX_OVER && input->phase != POSIX_NO_INPUT) {
		if (input->phase == POSIX_HEAD)
			step = read_head(posix, model, batch);
		else if (input->phase == POSIX_GATHER)
			step = read_gathered(posix, model);
		else if (input->phase == POSIX_WHOLE)
			step = read_entries(posix, model, batch);
		else
			step = read_stream(posix, model, batch);
	}
	return step;
}

/* --- chunks ----------------------------------------------------------------------------------------------------- */

/* Types, memory and clocks are those of one log; names of threads and addresses go on from log to log. */
static void forget_log(struct posix *posix)
{
	if (posix->types)
		memset(posix->types, 0, posix->types_room * sizeof(struct posix_type *));
	symbol_memory_forget(&posix->memory);
	posix->generation++;
	posix->n_pairs = 0;
}

static void begin_input(struct posix *posix, const struct chunk *chunk)
{
	struct posix_input *input = &posix->input;

	forget_log(posix);
	*input = (struct posix_input){ .held = input->held,
		.held_room = input->held_room,
		.phase = POSIX_HEAD,
		.source = chunk->source,
		.is_whole = chunk->is_whole,
		.is_end = chunk->is_whole,
		.bytes = chunk->bytes,
		.n_bytes = chunk->n_bytes,
		.at = chunk->offset };
}

/* Notes are about the first input; others are named. A file without a ring area can be followed. */
static bool warn_no_end(const struct posix *posix, struct model *model)
{
	const struct posix_input *input = &posix->input;
	bool is_first = posix->n_inputs == 0, may_follow = input->is_whole && !input->scan.header.area_bytes;

	return model_warn(model,
		"%.64s%sthe log has no end: its program still runs (%s), "
		"or was killed and its consumer with it, or this is not the whole log (copy it again)",
		is_first ? "" : input->source, is_first ? "" : ": ",
		may_follow ? "--follow goes on with it" : "read it again later");
}

/*
 * Each input's end gives a warning if need be: without one the log was not finished, which is normal after a crash. What is
 * held stays, as rows may point into it.
 */
static bool end_input(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;
	bool is_good = true;

	if (input->phase == POSIX_NO_INPUT)
		return true;
	if (!input->has_end && !input->is_told_cut)
		is_good = warn_no_end(posix, model);
	posix->is_incomplete |= !input->has_end;
	posix_detail_bool(posix, model, POSIX_DETAIL_COMPLETE, !posix->is_incomplete);
	free(input->entries);
	input->entries = NULL;
	input->phase = POSIX_NO_INPUT;
	posix->n_inputs++;
	return is_good;
}

static bool is_next_input(const struct posix_input *input, const struct chunk *chunk)
{
	return chunk->offset == 0 || chunk->source != input->source || input->phase == POSIX_NO_INPUT;
}

static enum rst_status status_of(struct posix *posix, enum posix_step step, struct rst_error *err)
{
	if (step == POSIX_NO_MEMORY)
		return error_nomem(err);
	if (step == POSIX_FAILED) {
		if (err)
			*err = posix->failure;
		return posix->failure.status;
	}
	return step == POSIX_NO_ROOM ? RST_OK : RST_MORE;
}

/* The input has no more: what is left of it is read. POSIX_DONE when that is done. */
static enum posix_step finish_input(struct posix *posix, struct model *model, struct batch *batch)
{
	enum posix_step step;

	posix->input.is_end = true;
	step = read_phases(posix, model, batch);
	if (step == POSIX_DONE && !end_input(posix, model))
		step = POSIX_NO_MEMORY;
	return step;
}

bool posix_is_finished(const void *state)
{
	const struct posix *posix = state;

	return posix->input.has_end;
}

double posix_share(const void *state, const struct chunk *chunk)
{
	const struct posix *posix = state;
	const struct posix_input *input = &posix->input;

	if (!has_own_order(input))
		return (double)posix->block_offset / (double)chunk->n_bytes;
	return input->n_entries ? (double)input->n_done / (double)input->n_entries : 0;
}

enum rst_status posix_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct posix *posix = state;
	struct posix_input *input = &posix->input;
	bool is_new = chunk->n_bytes && !chunk->n_used, has_bytes = true;
	enum posix_step step;

	if (posix->has_failed)
		return status_of(posix, POSIX_FAILED, err);
	if (is_new && is_next_input(input, chunk)) {
		step = finish_input(posix, model, batch);
		if (step != POSIX_DONE)
			return status_of(posix, step, err);
		if (batch->n_events) /* they may point into what is held */
			return RST_OK;
		begin_input(posix, chunk);
	} else if (is_new) {
		has_bytes = hold_more(input, chunk);
	}
	if (!has_bytes)
		return error_nomem(err);
	chunk->n_used = chunk->n_bytes;
	step = chunk->is_end ? finish_input(posix, model, batch) : read_phases(posix, model, batch);
	if (step == POSIX_DONE && chunk->is_end)
		return posix->has_read ? RST_END
				       : error_set(err, RST_E_DAMAGED, 0, "there is no Rastrum log");
	if (step == POSIX_MORE && !hold_rest(input))
		step = POSIX_NO_MEMORY;
	return status_of(posix, step, err);
}
