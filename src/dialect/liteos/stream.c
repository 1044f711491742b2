/* SPDX-License-Identifier: MIT */
/*
 * Finds messages among bytes. Other bytes are passed over one by one, because the mark of a message, 0xff, is
 * a common byte; a run of such bytes is damage. Bytes that may be the beginning of a message are left for the
 * next chunk.
 */
#include "dialect/liteos/stream.h"

#include <stdlib.h>

enum { ENDLESS_BYTES = 64 * 1024 }; /* so many bytes of damage in a live stream are reported at the latest */

/* --- patterns ------------------------------------------------------------------------------------------- */

/* Whether the bytes at message begin an event that fits the pattern. Ignores its check. */
static bool pattern_fits(const struct liteos_pattern *pattern, const uint8_t *message, size_t n_bytes)
{
	bool fits = pattern->n_elements && n_bytes >= (size_t)LITEOS_MESSAGE_HEAD + pattern->n_body &&
		    message[0] == LITEOS_MAGIC && message[1] == LITEOS_EVENT &&
		    load_u16(message + 2, pattern->is_big) == pattern->n_body;

	for (unsigned i = 0; fits && i < pattern->n_elements; i++)
		fits = memcmp(message + pattern->head_at[i], pattern->head[i], 2) == 0;
	return fits;
}

static void learn_layout(struct liteos_layout *layout, const struct liteos_message *message)
{
	*layout = (struct liteos_layout){
		.ptr = message->n_value_bytes[LITEOS_EVENT_IDENTITY],
		.is_big = message->is_big,
		.has_pid = message->value[LITEOS_EVENT_PID] != NULL,
		.has_core = message->value[LITEOS_EVENT_CORE] != NULL,
		.has_count = message->value[LITEOS_EVENT_COUNT] != NULL,
		.n_lr = message->value[LITEOS_EVENT_LR] ? LITEOS_LR_MAX : 0,
	};
	layout->n_params = message->value[LITEOS_EVENT_PARAMS]
				   ? message->n_value_bytes[LITEOS_EVENT_PARAMS] / layout->ptr
				   : 0;
	liteos_layout_offsets(layout);
}

/* Learns the element that becomes n_bytes of the frame at `at`. */
static void learn_words(struct liteos_pattern *pattern, unsigned tag, unsigned at, unsigned n_bytes)
{
	for (unsigned i = 0; pattern->value_at[tag] && i < n_bytes; i += 4)
		pattern->word_at[(at + i) / 4] = (uint16_t)(pattern->value_at[tag] + i);
}

/* Learns the words of a frame: all elements are one or more numbers of 4 or 8 bytes. */
static void learn_frame(struct liteos_pattern *pattern)
{
	const struct liteos_layout *layout = &pattern->layout;
	const unsigned params_bytes = layout->n_params * layout->ptr;

	learn_words(pattern, LITEOS_EVENT_TYPE, 0, 4);
	learn_words(pattern, LITEOS_EVENT_TASK, 4, 4);
	learn_words(pattern, LITEOS_EVENT_PID, layout->pid_at, 4);
	learn_words(pattern, LITEOS_EVENT_TIME, layout->time_at, 8);
	learn_words(pattern, LITEOS_EVENT_IDENTITY, layout->identity_at, layout->ptr);
	learn_words(pattern, LITEOS_EVENT_CORE, layout->core_at, 4);
	learn_words(pattern, LITEOS_EVENT_COUNT, layout->count_at, 4);
	learn_words(pattern, LITEOS_EVENT_LR, layout->lr_at, layout->n_lr * layout->ptr);
	learn_words(pattern, LITEOS_EVENT_PARAMS, layout->params_at, params_bytes);
	pattern->n_words = (uint16_t)((layout->params_at + params_bytes) / 4);
}

void liteos_pattern_learn(
	struct liteos_pattern *pattern, const struct liteos_message *message, const uint8_t *bytes)
{
	uint16_t at = LITEOS_MESSAGE_HEAD;

	*pattern = (struct liteos_pattern){ .number = pattern->number + 1,
		.is_big = message->is_big,
		.n_body = (uint16_t)(message->n_bytes - LITEOS_MESSAGE_HEAD) };
	while (at < message->n_bytes) {
		unsigned i = pattern->n_elements++;

		pattern->head_at[i] = at;
		memcpy(pattern->head[i], bytes + at, 2);
		pattern->value_at[bytes[at]] = (uint16_t)(at + 2);
		at = (uint16_t)(at + 2 + bytes[at + 1]);
	}
	learn_layout(&pattern->layout, message);
	learn_frame(pattern);
}

/* --- bytes ---------------------------------------------------------------------------------------------- */

static void begin_chunk(struct liteos *liteos, struct liteos_stream *stream, const struct chunk *chunk)
{
	stream->has_chunk = true;
	stream->source = chunk->run_source;
	stream->written.is_in_use = false; /* an input of another form may have come before this one */
	stream->is_ordered = liteos->is_whole && !liteos->in_file_order && chunk->behind != CHUNK_ENDS;
	stream->losses.patience = stream->is_ordered ? 0 : LOSSES_PATIENCE;
}

/* --- messages ------------------------------------------------------------------------------------------- */

/*
 * Finds a message. One that fits the last event's pattern is only checked. Otherwise both byte orders are
 * tried, the known one first.
 */
static enum liteos_verdict find_message(struct liteos_stream *stream, const uint8_t *bytes, size_t n_bytes,
	struct liteos_message *ret_message)
{
	const struct liteos_pattern *scanned = &stream->scanned;

	if (pattern_fits(scanned, bytes, n_bytes) &&
		stream->crc16(bytes + LITEOS_MESSAGE_HEAD, scanned->n_body) ==
			load_u16(bytes + 4, scanned->is_big)) {
		ret_message->kind = LITEOS_EVENT;
		ret_message->is_big = scanned->is_big;
		ret_message->is_repaired = false;
		ret_message->n_bytes = (uint16_t)(LITEOS_MESSAGE_HEAD + scanned->n_body);
		return LITEOS_IS_MESSAGE;
	}
	enum liteos_verdict verdict = liteos_message_parse(ret_message, bytes, n_bytes, stream->is_big),
			    other;

	if (verdict != LITEOS_IS_MESSAGE) {
		other = liteos_message_parse(ret_message, bytes, n_bytes, !stream->is_big);
		verdict = other < verdict ? other : verdict;
	}
	if (verdict == LITEOS_IS_MESSAGE && ret_message->kind == LITEOS_EVENT)
		liteos_pattern_learn(&stream->scanned, ret_message, bytes);
	return verdict;
}

static void add_bad(
	struct liteos_stream *stream, struct chunk *chunk, size_t n_bytes, enum liteos_verdict why)
{
	struct liteos_item *bad = &stream->bad;
	static const char *const reasons[] = {
		[LITEOS_IS_CUT] = "the last message is cut",
		[LITEOS_BAD_CHECK] = "the checksum of a message is wrong",
		[LITEOS_NO_MESSAGE] = "no message among these bytes",
	};

	if (!bad->n_bytes) {
		bad->offset = chunk_offset(chunk, chunk->n_used, &bad->source);
		bad->what = reasons[why];
	}
	bad->n_bytes += n_bytes;
	stream->n_bad_bytes += n_bytes;
	chunk->n_used += n_bytes;
}

static bool flush_bad(struct liteos_stream *stream)
{
	bool is_added = !stream->bad.n_bytes || liteos_block_add(stream, &stream->bad);

	if (is_added)
		stream->bad.n_bytes = 0;
	return is_added;
}

/* Adds damage for the wrong type byte of a message that was repaired. */
static bool add_repair(struct liteos_stream *stream, const struct liteos_item *item)
{
	static const char *const repairs[LITEOS_N_KINDS] = {
		[LITEOS_NOTIFY] = "a message's type was wrong: only NOTIFY fits it",
		[LITEOS_HEAD] = "a message's type was wrong: only HEAD fits it",
		[LITEOS_OBJ] = "a message's type was wrong: only OBJ fits it",
		[LITEOS_EVENT] = "a message's type was wrong: only EVENT fits it",
	};

	return liteos_block_add(stream, &(struct liteos_item){ .offset = item->offset + 1,
						.n_bytes = 1,
						.what = repairs[item->kind],
						.source = item->source });
}

/* In a dump, a slot that was never written is an event of zeros. */
static bool slot_is_empty(const struct liteos_pattern *pattern, const uint8_t *message)
{
	return load_u32(message + pattern->value_at[LITEOS_EVENT_TYPE], false) == 0 &&
	       load_u64(message + pattern->value_at[LITEOS_EVENT_TIME], false) == 0 &&
	       load_u32(message + pattern->value_at[LITEOS_EVENT_TASK], false) == 0;
}

/* Takes the clock. It is known before the first event of the block goes out. */
static bool take_clock(struct liteos *liteos, struct model *model, const uint8_t *message, bool is_big)
{
	enum { CLOCK_AT = LITEOS_MESSAGE_HEAD + 14 };
	uint32_t hz = load_u32(message + CLOCK_AT, is_big);
	bool is_taken = liteos_take_clock(liteos, model, hz);

	liteos->stream->has_clock |= hz && hz == model->clock_hz;
	return is_taken;
}

static bool add_message(struct liteos_stream *stream, const struct liteos_message *message,
	struct liteos_item *item, bool is_empty)
{
	item->kind = (uint8_t)message->kind;
	item->is_big = message->is_big;
	item->pattern = stream->scanned.number;
	stream->is_big = message->is_big;
	if (!flush_bad(stream) || (message->is_repaired && !add_repair(stream, item)))
		return false;
	if (message->is_repaired)
		stream->n_repaired++;
	else
		stream->n_messages[message->kind]++;
	stream->n_empty += is_empty;
	return is_empty || liteos_block_add(stream, item);
}

/*
 * Only in liteos_a this module belongs to the kernel. liteos_a sends a process with each event, if its buffer
 * has room.
 */
static void learn_variant(struct liteos_stream *stream, const struct liteos_pattern *pattern, uint32_t type)
{
	enum { IPC_FIRST = 0x2000, IPC_LAST = 0x200f, ROOM = 94, PROCESS_BYTES = 6 };

	if (liteos_event_is_huawei(type))
		stream->variant = LITEOS_H5;
	else if (type >= IPC_FIRST && type <= IPC_LAST && pattern->n_body + PROCESS_BYTES > ROOM)
		stream->variant = LITEOS_A;
}

/* Returns false if the event belongs to a later block. */
static bool step_to_event(struct liteos_stream *stream, struct model *model, const uint8_t *message)
{
	const struct liteos_pattern *pattern = &stream->scanned;
	bool has_count = pattern->layout.has_count, is_big = pattern->is_big;
	uint64_t time = load_u64(message + pattern->value_at[LITEOS_EVENT_TIME], is_big);
	uint32_t count = has_count ? load_u32(message + pattern->value_at[LITEOS_EVENT_COUNT], is_big) : 0;

	if (!liteos_block_step(stream, has_count, count, time))
		return false;
	/* Time counts from the earliest stamp. An interrupt may have sent that one later. */
	if (stream->is_first_block && (!model->has_first_ticks || time < model->first_ticks)) {
		model->has_first_ticks = true;
		model->first_ticks = model->last_ticks = time;
	}
	learn_variant(stream, pattern, load_u32(message + pattern->value_at[LITEOS_EVENT_TYPE], is_big));
	return true;
}

/* Whether a HEAD is from LOS_TraceRecordDump(TRUE): its version is the mode, 0 for a ring in memory. */
static bool is_dump(const uint8_t *bytes, bool is_big)
{
	enum { VERSION_AT = LITEOS_MESSAGE_HEAD + 8 };

	return load_u32(bytes + VERSION_AT, is_big) == 0;
}

static bool is_start(const struct liteos_message *message, const uint8_t *bytes)
{
	return message->kind == LITEOS_HEAD ||
	       (message->kind == LITEOS_NOTIFY &&
		       load_u32(bytes + LITEOS_MESSAGE_HEAD + 2, message->is_big) == LITEOS_START);
}

static enum liteos_step take_message(struct liteos *liteos, struct model *model, struct chunk *chunk,
	const struct liteos_message *message, const uint8_t *bytes)
{
	struct liteos_stream *stream = liteos->stream;
	struct liteos_item item = { .message = bytes, .n_bytes = message->n_bytes };
	const bool is_event = message->kind == LITEOS_EVENT,
		   is_empty = is_event && slot_is_empty(&stream->scanned, bytes);

	item.offset = chunk_offset(chunk, chunk->n_used, &item.source);
	if (is_event && !is_empty && !step_to_event(stream, model, bytes))
		return STEP_CLOSED;
	/* A restart comes behind all events of the block, and ends it. */
	if (is_start(message, bytes))
		stream->key = stream->key_max;
	if (!add_message(stream, message, &item, is_empty))
		return STEP_NO_MEMORY;
	chunk->n_used += message->n_bytes;
	if (message->kind == LITEOS_HEAD) {
		stream->is_dump = stream->is_ordered && is_dump(bytes, message->is_big);
		if (!take_clock(liteos, model, bytes, message->is_big))
			return STEP_NO_MEMORY;
	}
	return is_start(message, bytes) ? STEP_CLOSED : STEP_ITEM;
}

/* Ends damage that no message ends: at the end of input, or in a live stream without messages. */
static enum liteos_step scan_ends(const struct liteos *liteos, const struct chunk *chunk)
{
	struct liteos_stream *stream = liteos->stream;
	bool is_due =
		chunk->behind == CHUNK_ENDS || (!liteos->is_whole && stream->bad.n_bytes >= ENDLESS_BYTES);

	return is_due && !flush_bad(stream) ? STEP_NO_MEMORY : STEP_NO_MORE;
}

enum liteos_step liteos_stream_scan(struct liteos *liteos, struct model *model, struct chunk *chunk)
{
	struct liteos_stream *stream = liteos->stream;
	struct liteos_message message;
	const uint8_t *bytes;

	for (size_t n_bytes; (n_bytes = chunk->n_bytes - chunk->n_used) != 0;) {
		bytes = chunk->bytes + chunk->n_used;
		if (*bytes != LITEOS_MAGIC) {
			const uint8_t *mark = memchr(bytes, LITEOS_MAGIC, n_bytes);

			add_bad(stream, chunk, mark ? (size_t)(mark - bytes) : n_bytes, LITEOS_NO_MESSAGE);
			continue;
		}
		enum liteos_verdict verdict = find_message(stream, bytes, n_bytes, &message);

		if (verdict == LITEOS_IS_MESSAGE)
			return take_message(liteos, model, chunk, &message, bytes);
		if (verdict == LITEOS_IS_CUT && chunk->behind != CHUNK_ENDS)
			break;
		add_bad(stream, chunk, 1, verdict);
	}
	return scan_ends(liteos, chunk);
}

/* --- the form ------------------------------------------------------------------------------------------- */

/*
 * If a file's first HEAD is missing, a later HEAD gives its clock. Looks for it once, by the elements that
 * every HEAD has.
 */
static bool look_for_clock(struct liteos *liteos, struct model *model, const struct chunk *chunk)
{
	static const uint8_t words[2][8] = { { 1, 4, 0x78, 0x56, 0x34, 0x12, 2, 4 },
		{ 1, 4, 0x12, 0x34, 0x56, 0x78, 2, 4 } };
	struct liteos_message message;

	liteos->stream->has_looked = true;
	if (!chunk->n_bytes)
		return true;
	const uint8_t *end = chunk->bytes + chunk->n_bytes;

	for (unsigned order = 0; order < 2; order++)
		for (const uint8_t *at = chunk->bytes;
			!model->clock_hz &&
			(at = memmem(at, (size_t)(end - at), words[order], sizeof(words[order]))) != NULL;
			at++) {
			const bool has_front = at - chunk->bytes >= LITEOS_MESSAGE_HEAD;
			const uint8_t *head = has_front ? at - LITEOS_MESSAGE_HEAD : at;

			if (liteos_message_parse(&message, head, (size_t)(end - head), order) ==
					LITEOS_IS_MESSAGE &&
				message.kind == LITEOS_HEAD && !take_clock(liteos, model, head, order))
				return false;
		}
	return true;
}

/*
 * Fills the block, and makes ready the items that may go out. Returns RST_OK, or RST_MORE if the chunk is
 * used up.
 */
static enum rst_status fill_block(
	struct liteos *liteos, struct model *model, struct chunk *chunk, struct rst_error *err)
{
	struct liteos_stream *stream = liteos->stream;
	enum liteos_step step = STEP_ITEM;

	liteos_block_drop(stream);
	while (step == STEP_ITEM && !liteos_block_is_full(stream))
		step = liteos_stream_scan(liteos, model, chunk);
	/*
	 * The first chunk of a file may be joined with the rest of another; its block goes on in the next
	 * chunk.
	 */
	if (step == STEP_NO_MORE && stream->is_ordered && chunk->behind == CHUNK_GOES_ON)
		return RST_MORE;
	if (step == STEP_NO_MEMORY || (stream->is_ordered && !model->clock_hz && !stream->has_looked &&
					      !look_for_clock(liteos, model, chunk)))
		return error_nomem(err);
	liteos_block_close(stream, step != STEP_ITEM);
	stream->is_first_block &= !model->has_first_ticks;
	return step == STEP_NO_MORE && !stream->n_ready ? RST_MORE : RST_OK;
}

static bool stream_warn_settings(const struct liteos *liteos, struct model *model)
{
	return liteos_warn_idle(liteos, model,
		LITEOS_SETTING_PTR | LITEOS_SETTING_CORE | LITEOS_SETTING_COUNT | LITEOS_SETTING_LR |
			LITEOS_SETTING_PARAMS,
		"messages of a stream say themselves what is in them");
}

enum rst_status liteos_stream_read(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	struct liteos_stream *stream = liteos->stream;
	enum rst_status status;

	if (!stream) {
		stream = liteos->stream = calloc(1, sizeof(*stream));
		if (!stream)
			return error_nomem(err);
		stream->is_first_block = true;
		stream->crc16 = crc16_best();
		model->clock_bits = 64;
		if (!stream_warn_settings(liteos, model))
			return error_nomem(err);
	}
	if (!stream->has_chunk)
		begin_chunk(liteos, stream, chunk);
	for (;;) {
		status = liteos_stream_rows(liteos, model, batch, err);
		if (status != RST_MORE)
			return status;
		status = fill_block(liteos, model, chunk, err);
		if (status == RST_MORE)
			break;
		error_try(status);
	}
	if (chunk->behind == CHUNK_ENDS)
		return liteos_stream_finish(liteos, model, batch, err);
	stream->has_chunk = false;
	return RST_MORE;
}

/* --- probing -------------------------------------------------------------------------------------------- */

/*
 * Rates how many of the bytes are messages. Noise between them is common, but only messages have right
 * checks.
 */
unsigned liteos_stream_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	enum { SURE = 60, MORE = 35, PERHAPS = 20, LOOK_MAX = 16 * 1024 };
	size_t n_good = 0, n_looked = n_bytes < LOOK_MAX ? n_bytes : LOOK_MAX;
	enum liteos_verdict first = LITEOS_NO_MESSAGE;
	struct liteos_message message;

	for (size_t at = 0; at < n_looked;) {
		enum liteos_verdict verdict = LITEOS_NO_MESSAGE;

		for (unsigned order = 0; order < 2 && verdict != LITEOS_IS_MESSAGE; order++)
			verdict = liteos_message_parse(&message, bytes + at, n_bytes - at, order);
		if (at == 0)
			first = verdict;
		n_good += verdict == LITEOS_IS_MESSAGE ? message.n_bytes : 0;
		at += verdict == LITEOS_IS_MESSAGE ? message.n_bytes : 1;
	}
	if (n_good > n_looked)
		n_good = n_looked;
	if (n_good)
		return SURE + (unsigned)(MORE * n_good / n_looked);
	return first == LITEOS_IS_CUT && n_bytes > LITEOS_MESSAGE_HEAD && !is_whole ? PERHAPS : 0;
}

double liteos_stream_share(const struct liteos *liteos, const struct chunk *chunk)
{
	(void)liteos;
	return (double)chunk->n_used / (double)chunk->n_bytes;
}

void liteos_stream_done(struct liteos *liteos)
{
	if (liteos->stream)
		free(liteos->stream->items);
	free(liteos->stream);
	liteos->stream = NULL;
}
