/* SPDX-License-Identifier: MIT */
/*
 * Messages to rows. The elements of an event become the frame that the target made them from, so that the
 * code behind this file does not depend on the form. A part that the target left out is absent in the frame,
 * too.
 */
#include "dialect/liteos/stream.h"

enum outcome { DONE, NO_ROOM, NO_LAYOUT, NO_MEMORY };

/* Only liteos_a sends a process, and liteos_m has no pointers of 8 bytes. */
static enum liteos_variant stream_rows_variant_of(
	const struct liteos *liteos, const struct liteos_layout *layout)
{
	if (liteos->wanted.variant != LITEOS_UNSURE)
		return liteos->wanted.variant;
	if (layout->has_pid || layout->n_lr)
		return LITEOS_A;
	if (liteos->stream->variant != LITEOS_UNSURE)
		return liteos->stream->variant;
	return layout->ptr == 8 ? LITEOS_H5 : LITEOS_M;
}

/* --- notices -------------------------------------------------------------------------------------------- */

/*
 * Returns the layout of a notice. Start and stop have types of their own; all other commands share one, whose
 * payload has the command.
 */
static const struct rst_layout *notice_layout(
	struct liteos_stream *stream, struct model *model, const struct liteos_notice *notice)
{
	const bool is_known = notice->command == LITEOS_START || notice->command == LITEOS_STOP;
	const unsigned row = is_known ? notice->command - LITEOS_START : LITEOS_N_NOTICES - 1;
	const struct rst_layout **layout = &stream->notices[row][notice->is_big];

	if (!*layout)
		*layout = liteos_bind_notice(model, is_known ? notice->command : 0, notice->is_big);
	return *layout;
}

/* Adds the waiting notice as an event at this time. It has no task. */
static enum outcome notice_put(
	struct liteos *liteos, struct model *model, struct batch *batch, uint64_t ticks)
{
	struct liteos_notice *notice = &liteos->stream->notice;
	uint8_t *bytes = batch_scratch(batch, LITEOS_NOTICE_BYTES);
	const struct rst_layout *layout = notice_layout(liteos->stream, model, notice);

	if (!bytes || !layout)
		return layout && batch->n_events ? NO_ROOM : NO_MEMORY;
	memcpy(bytes, notice->body, LITEOS_NOTICE_BYTES);
	batch_row(batch, LITEOS_COLUMNS,
		&(struct batch_row){
			.ticks = ticks,
			.stamp = ticks,
			.seq = liteos->seq++,
			.layout = layout,
			.context = model->unknown,
			.payload = bytes,
			.n_payload = LITEOS_NOTICE_BYTES,
		});
	notice->is_there = false;
	return DONE;
}

/* Adds the waiting notice at the time of the event before, because its own time is unknown. */
static enum outcome notice_put_late(struct liteos *liteos, struct model *model, struct batch *batch)
{
	const size_t row = batch->n_events;

	return notice_put(liteos, model, batch, row ? batch->ticks[row - 1] : model->last_ticks);
}

/*
 * Whether the notice is due: all except a start, which waits for the first event behind it and takes its
 * time.
 */
static bool is_notice_due(const struct liteos_stream *stream)
{
	return stream->notice.is_there && stream->notice.command != LITEOS_START;
}

/* Called at a head or a start: tracing begins, or begins again. */
static void begin_run(struct liteos *liteos)
{
	struct liteos_stream *stream = liteos->stream;

	losses_restart(&stream->losses);
	stream->n_due = losses_due(&stream->losses, false);
	stream->is_begun = true;
	liteos_forget_interrupts(liteos);
}

/* Finds the pattern of an earlier event. Mostly it is still that of the last event found. */
static void recall_pattern(
	const struct liteos_stream *stream, struct liteos_pattern *pattern, const struct liteos_item *item)
{
	struct liteos_message message;

	if (item->pattern == stream->scanned.number) {
		*pattern = stream->scanned;
		return;
	}
	liteos_message_parse(&message, item->message, item->n_bytes, item->is_big);
	liteos_pattern_learn(pattern, &message, item->message);
	pattern->number = item->pattern;
}

/*
 * Whether a further dump of a ring, all of whose messages are there, has the newest event of the dump before.
 * If so, it is of the same run.
 */
static bool has_newest(const struct liteos *liteos)
{
	const struct liteos_stream *stream = liteos->stream;
	struct liteos_pattern pattern = { .number = 0 };
	bool has_pattern = false;

	for (size_t i = stream->n_out; stream->is_dump && i < stream->n_ready; i++) {
		const struct liteos_item *item = &stream->items[i];

		if (!item->message || item->kind != LITEOS_EVENT)
			continue;
		if (!has_pattern || item->pattern != pattern.number)
			recall_pattern(stream, &pattern, item);
		has_pattern = true;
		if (load_u64(item->message + pattern.value_at[LITEOS_EVENT_TIME], pattern.is_big) ==
			liteos->greatest_time)
			return true;
	}
	return false;
}

/*
 * Whether the target was restarted in front of an event with this time. Its clock is behind, and a head or a
 * start came, or it is too far behind for an event that an interrupt delayed.
 */
static bool is_anew(const struct liteos *liteos, uint64_t time)
{
	const struct liteos_stream *stream = liteos->stream;
	const uint64_t late_max = stream->is_begun			   ? 0
				  : stream->is_ordered && !stream->is_dump ? LITEOS_LATE_TICKS_MAX
									   : UINT64_MAX;

	return time < liteos->greatest_time && liteos->greatest_time - time > late_max && !has_newest(liteos);
}

/* Keeps the notice. A notice that still waits goes out first. */
static enum outcome notice_take(
	struct liteos *liteos, struct model *model, struct batch *batch, const struct liteos_item *item)
{
	struct liteos_stream *stream = liteos->stream;
	const uint8_t *body = item->message + LITEOS_MESSAGE_HEAD;

	if (stream->notice.is_there)
		return notice_put_late(liteos, model, batch);
	stream->notice = (struct liteos_notice){
		.is_there = true, .is_big = item->is_big, .command = load_u32(body + 2, item->is_big)
	};
	memcpy(stream->notice.body, body, LITEOS_NOTICE_BYTES);
	stream->n_out++;
	if (stream->notice.command == LITEOS_START)
		begin_run(liteos);
	return DONE;
}

static void head_take(struct liteos *liteos, const struct liteos_item *item)
{
	enum { VERSION_AT = LITEOS_MESSAGE_HEAD + 8 };
	struct liteos_stream *stream = liteos->stream;

	stream->version = load_u32(item->message + VERSION_AT, item->is_big);
	stream->has_version = true;
	stream->n_out++;
	begin_run(liteos);
}

/* --- events --------------------------------------------------------------------------------------------- */

/* Makes the pattern of this event and its layout the ones in use. */
static bool use_pattern(struct liteos *liteos, struct liteos_pattern *pattern, const struct liteos_item *item)
{
	enum liteos_variant variant;

	if (__builtin_expect(item->pattern != pattern->number, 0))
		recall_pattern(liteos->stream, pattern, item);
	variant = stream_rows_variant_of(liteos, &pattern->layout);
	if (!pattern->is_in_use || variant != pattern->layout.variant) {
		pattern->layout.variant = variant;
		pattern->is_in_use = liteos_use_layout(liteos, &pattern->layout);
	}
	return pattern->is_in_use;
}

/* Makes the target's frame. Copies words unchanged, because the frame has the target's byte order, too. */
static uint32_t stream_rows_put_frame(
	uint8_t *frame, const struct liteos_pattern *pattern, const uint8_t *message)
{
	for (unsigned i = 0; i < pattern->n_words; i++) {
		uint32_t word = 0;

		if (__builtin_expect(pattern->word_at[i] != 0, 1))
			memcpy(&word, message + pattern->word_at[i], sizeof(word));
		memcpy(frame + i * sizeof(word), &word, sizeof(word));
	}
	return pattern->n_words * (uint32_t)sizeof(uint32_t);
}

static enum outcome put_event(
	struct liteos *liteos, struct model *model, struct batch *batch, struct liteos_item *item)
{
	struct liteos_stream *stream = liteos->stream;
	struct liteos_pattern *pattern = &stream->written;
	struct liteos_frame frame;
	uint8_t *bytes;

	if (!use_pattern(liteos, pattern, item))
		return NO_LAYOUT;
	if (pattern->layout.has_count && !item->is_seen) {
		losses_see(&stream->losses,
			load_u32(item->message + pattern->value_at[LITEOS_EVENT_COUNT], pattern->is_big));
		stream->n_due = losses_due(&stream->losses, false);
		item->is_seen = true;
		if (stream->n_due)
			return DONE;
	}
	bytes = batch_scratch(batch, pattern->layout.frame_bytes);
	if (!bytes)
		return batch->n_events ? NO_ROOM : NO_MEMORY;
	liteos_load_frame(
		&pattern->layout, bytes, stream_rows_put_frame(bytes, pattern, item->message), &frame);
	if (is_anew(liteos, frame.time))
		return liteos_begin_run(liteos, model, batch, item->source, item->offset,
			       "the stream begins anew, with a clock in front of what came before")
			       ? DONE
			       : NO_MEMORY;
	stream->is_begun = false;
	if (stream->notice.is_there)
		return notice_put(liteos, model, batch, run_clock_ticks(&liteos->clock, frame.time));
	if (!liteos_add_row(liteos, model, batch, &frame))
		return NO_MEMORY;
	if (stream->is_dump && !stream->has_earlier) {
		stream->has_earlier = pattern->layout.has_count;
		stream->n_earlier = frame.count;
	}
	stream->n_out++;
	return DONE;
}

/* --- everything else ------------------------------------------------------------------------------------ */

static bool put_damage(
	struct liteos *liteos, struct model *model, struct batch *batch, const struct liteos_item *item)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = item->offset,
		.n_bytes = item->n_bytes,
		.what = item->what,
		.source = item->source };

	liteos->stream->n_out++;
	return liteos_put_gap(liteos, model, batch, &gap);
}

enum rst_status liteos_stream_cut(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = chunk->offset,
		.n_bytes = chunk->n_tail,
		.what = "the last message is cut",
		.source = chunk->source };

	if (batch_is_full(batch))
		return RST_OK;
	if (!liteos_put_gap(liteos, model, batch, &gap))
		return error_nomem(err);
	if (liteos->stream)
		liteos->stream->n_bad_bytes += chunk->n_tail;
	chunk->n_used = chunk->n_tail;
	return RST_MORE;
}

/* Adds a row for the events that the counts show as missing, and finds the next such place. */
static bool put_losses(struct liteos *liteos, struct model *model, struct batch *batch, bool is_last)
{
	struct liteos_stream *stream = liteos->stream;
	const struct rst_gap gap = { .marker = RST_LOSS,
		.n_events = stream->n_due,
		.what = "the count of events has a gap here",
		.source = stream->source };

	stream->n_due = losses_due(&stream->losses, is_last);
	return liteos_put_gap(liteos, model, batch, &gap);
}

/* Takes a name. Unused slots in a dump's table of names are all zeros. */
static bool put_name(struct liteos *liteos, struct model *model, const struct liteos_item *item)
{
	enum {
		VALUE = LITEOS_MESSAGE_HEAD,
		ID_AT = VALUE + 2,
		PRIORITY_AT = VALUE + 8,
		NAME_AT = VALUE + 14
	};
	const uint8_t *message = item->message;
	uint32_t id = load_u32(message + ID_AT, item->is_big);
	uint32_t priority = load_u32(message + PRIORITY_AT, item->is_big);

	liteos->stream->n_out++;
	return (!id && !priority && !message[NAME_AT]) ||
	       liteos_add_object(liteos, model, id, priority, message + NAME_AT, LITEOS_NAME_BYTES);
}

static enum outcome put_item(
	struct liteos *liteos, struct model *model, struct batch *batch, struct liteos_item *item)
{
	if (!item->message)
		return put_damage(liteos, model, batch, item) ? DONE : NO_MEMORY;
	if (item->kind == LITEOS_EVENT)
		return put_event(liteos, model, batch, item);
	if (item->kind == LITEOS_OBJ)
		return put_name(liteos, model, item) ? DONE : NO_MEMORY;
	if (item->kind == LITEOS_NOTIFY)
		return notice_take(liteos, model, batch, item);
	head_take(liteos, item);
	return DONE;
}

enum rst_status liteos_stream_rows(
	struct liteos *liteos, struct model *model, struct batch *batch, struct rst_error *err)
{
	struct liteos_stream *stream = liteos->stream;

	while (stream->n_due || is_notice_due(stream) || stream->n_out < stream->n_ready) {
		struct liteos_item *item = &stream->items[stream->n_out];
		enum outcome outcome;

		if (batch_is_full(batch))
			return RST_OK;
		if (stream->n_due) {
			if (!put_losses(liteos, model, batch, false))
				return error_nomem(err);
			continue;
		}
		outcome = is_notice_due(stream) ? notice_put_late(liteos, model, batch)
						: put_item(liteos, model, batch, item);
		if (outcome == NO_LAYOUT) {
			item->what = "an event of one layout more than are kept";
			outcome = put_damage(liteos, model, batch, item) ? DONE : NO_MEMORY;
		}
		if (outcome == NO_MEMORY)
			return error_nomem(err);
		if (outcome == NO_ROOM)
			return RST_OK;
	}
	return RST_MORE;
}

/* --- the end -------------------------------------------------------------------------------------------- */

static bool tell_types(const struct liteos_stream *stream, struct model *model)
{
	struct rst_detail *items = arena_alloc(&model->arena, LITEOS_N_KINDS * sizeof(*items));

	if (!items)
		return false;
	for (unsigned kind = 0; kind < LITEOS_N_KINDS; kind++)
		items[kind] = (struct rst_detail){ .name = liteos_kind_name((enum liteos_kind)kind),
			.type = RST_DETAIL_NUMBER,
			.number = stream->n_messages[kind] };
	return model_detail(model, &(struct rst_detail){ .name = "by_type",
					   .type = RST_DETAIL_GROUP,
					   .n_items = LITEOS_N_KINDS,
					   .items = items });
}

static bool put_details(struct liteos_stream *stream, struct model *model)
{
	uint64_t n_messages = 0;

	stream->has_told = true;
	for (unsigned kind = 0; kind < LITEOS_N_KINDS; kind++)
		n_messages += stream->n_messages[kind];
	return model_detail_text(model, "form", "stream") &&
	       (!stream->has_version || model_detail_number(model, "version", stream->version)) &&
	       (!stream->has_clock || model_detail_number(model, "clockFreq", model->clock_hz)) &&
	       (!stream->written.n_elements || liteos_layout_details(model, &stream->written.layout)) &&
	       model_detail_number(model, "messages", n_messages) && tell_types(stream, model) &&
	       model_detail_number(model, "repaired", stream->n_repaired) &&
	       model_detail_number(model, "empty", stream->n_empty) &&
	       model_detail_number(model, "skipped_bytes", stream->n_bad_bytes) &&
	       (!stream->has_earlier || model_detail_number(model, "earlier_events", stream->n_earlier));
}

enum rst_status liteos_stream_finish(
	struct liteos *liteos, struct model *model, struct batch *batch, struct rst_error *err)
{
	struct liteos_stream *stream = liteos->stream;

	if (!stream->n_due)
		stream->n_due = losses_due(&stream->losses, true);
	while (stream->n_due) {
		if (batch_is_full(batch))
			return RST_OK;
		if (!put_losses(liteos, model, batch, true))
			return error_nomem(err);
	}
	if (stream->notice.is_there) {
		enum outcome outcome = batch_is_full(batch) ? NO_ROOM : notice_put_late(liteos, model, batch);

		if (outcome != DONE)
			return outcome == NO_ROOM ? RST_OK : error_nomem(err);
	}
	if (!stream->has_told && !put_details(stream, model))
		return error_nomem(err);
	return RST_END;
}
