/* SPDX-License-Identifier: MIT */
/*
 * Makes rows of events. A payload is the end of an event's head, followed by its data. If a block is not
 * packed, the head stands directly in front of the data and the payload is borrowed. If it is packed, the
 * payload is put together in the batch's scratch.
 */
#include <string.h>
#include <trace.h>

#include "base/load.h"
#include "base/text.h"
#include "dialect/posix/posix.h"

static bool is_readable(uint8_t byte)
{
	return byte >= ' ' ? byte != 0x7f : byte == '\n' || byte == '\t';
}

/*
 * The text may end with one zero. A single byte is more likely a number, and blanks alone are not shown as
 * text.
 */
static bool is_text(const uint8_t *bytes, size_t n_bytes)
{
	bool has_mark = false;
	size_t i = 0, n;

	if (n_bytes && bytes[n_bytes - 1] == 0)
		n_bytes--;
	if (n_bytes < 2)
		return false;
	while (i < n_bytes) {
		n = bytes[i] < 0x80 ? is_readable(bytes[i]) : text_utf8_bytes(bytes + i, n_bytes - i);
		if (!n)
			return false;
		has_mark |= bytes[i] > ' ';
		i += n;
	}
	return has_mark;
}

static enum posix_shape shape_of(const struct posix_type *type, const uint8_t *data, size_t n_bytes)
{
	unsigned n_sets = posix_type_sets(type);

	if (n_sets && n_bytes == n_sets * POSIX_SET_BYTES)
		return POSIX_SETS;
	if (n_bytes <= type->n_described)
		return POSIX_AS_DESCRIBED;
	return is_text(data + type->n_described, n_bytes - type->n_described) ? POSIX_BYTES_TEXT
									      : POSIX_BYTES;
}

/*
 * The last n_head bytes of an event's head, followed by its data; NULL if there is no room for them.
 */
static const uint8_t *join_payload(struct posix *posix, struct batch *batch, size_t n_head,
	const struct log_event *event, const uint8_t *data)
{
	uint8_t *to;

	if (!posix->cursor.is_packed)
		return data - n_head;
	to = batch_scratch(batch, n_head + event->length);
	if (!to)
		return NULL;
	memcpy(to, (const uint8_t *)(event + 1) - n_head, n_head);
	memcpy(to + n_head, data, event->length);
	return to;
}

/* The payload; NULL if the batch must be given out first. */
static const uint8_t *put_payload(struct posix *posix, struct batch *batch, const struct posix_type *type,
	enum posix_shape shape, const struct log_event *event, const uint8_t *data, uint32_t *ret_n_bytes)
{
	bool is_cut = event->flags & LOG_EVENT_CUT;
	size_t n_head = POSIX_AT_DATA + (is_cut ? POSIX_CUT_MORE : 0);

	const uint8_t *payload = join_payload(posix, batch, n_head, event, data);

	*ret_n_bytes = (uint32_t)(n_head + event->length);
	if (payload && shape == POSIX_SETS)
		return posix_put_sets(posix, batch, payload, posix_type_sets(type), ret_n_bytes);
	return payload;
}

/*
 * Only user events count: system events such as START and STOP name their process themselves, which may be a
 * controller that is not traced.
 */
static void note_process(struct posix *posix, const struct log_event *event)
{
	if (event->type < POSIX_TRACE_UNNAMED_USEREVENT || event->pid == posix->first_pid || !event->pid)
		return;
	posix->is_shared |= posix->first_pid != 0;
	if (!posix->first_pid)
		posix->first_pid = event->pid;
}

/* The parts of a row that show an event. */
struct shown {
	const struct rst_layout *layout;
	const uint8_t *payload;
	uint32_t n_payload;
};

/*
 * An AIX trace entry as its program recorded it. layout stays NULL if the data are not such an entry. If an
 * entry was cut, its variable bytes end where the data do.
 */
static enum posix_step see_hook(struct posix *posix, struct model *model, struct batch *batch,
	const struct posix_type *type, const struct log_event *event, const uint8_t *data, struct shown *ret)
{
	const bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const uint32_t n_words_bytes = 2U * type->hook_bytes;
	struct hook_word hook;
	uint8_t *view;

	if (event->length < type->hook_bytes ||
		!hook_word_see(&hook, load_word(data, type->hook_bytes, is_big), type->hook_bytes))
		return POSIX_DONE;
	if (hook.n_view > event->length && hook.is_generic && event->length >= n_words_bytes)
		hook.n_view = event->length;
	if (hook.n_view > event->length)
		return POSIX_DONE;
	view = batch_scratch(batch, hook.n_view);
	if (!view)
		return POSIX_NO_ROOM;
	hook_word_view(view, &hook, is_big, data);
	*ret = (struct shown){ hook_layout(&posix->hooks, model, &hook), view, hook.n_view };
	return ret->layout ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step see_event(struct posix *posix, struct model *model, struct batch *batch,
	struct posix_type *type, const struct log_event *event, const uint8_t *data, struct shown *ret)
{
	bool is_cut = event->flags & LOG_EVENT_CUT;
	enum posix_shape shape = shape_of(type, data, event->length);

	if (shape == POSIX_SETS && is_cut)
		shape = POSIX_AS_DESCRIBED;
	ret->payload = put_payload(posix, batch, type, shape, event, data, &ret->n_payload);
	if (!ret->payload)
		return POSIX_NO_ROOM;
	note_process(posix, event);
	if (type->preloaded && !posix_preloaded_event(posix, model, type->preloaded, event, data))
		return POSIX_NO_MEMORY;
	ret->layout = posix_layout(model, type, shape, posix->is_shared, is_cut);
	return ret->layout ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step add_row(struct posix *posix, struct model *model, struct batch *batch,
	const struct log_event *event, const uint8_t *data)
{
	struct posix_type *type = posix_type(posix, model, event->type);
	struct shown shown = { .layout = NULL };
	enum posix_step step = type ? POSIX_DONE : POSIX_NO_MEMORY;
	const struct rst_context *context;
	size_t row;

	if (type && __builtin_expect(type->hook_bytes != 0, 0))
		step = see_hook(posix, model, batch, type, event, data, &shown);
	if (step == POSIX_DONE && !shown.layout)
		step = see_event(posix, model, batch, type, event, data, &shown);
	if (step != POSIX_DONE)
		return step;
	context = posix_context(posix, model, event->pid, event->tid);
	if (!context || !posix_site(posix, model, event->pid, event->address))
		return POSIX_NO_MEMORY;
	row = batch_row(batch, POSIX_COLUMNS,
		&(struct batch_row){
			.ticks = run_clock_ticks(&posix->clock, event->ticks),
			.stamp = event->ticks,
			.seq = posix->seq++,
			.layout = shown.layout,
			.context = context,
			.payload = shown.payload,
			.n_payload = shown.n_payload,
		});
	if (event->cpu != LOG_NO_CPU)
		batch->core[row] = event->cpu;
	batch->priority[row] = posix->last_priority;
	if (event->ticks > posix->greatest_stamp)
		posix->greatest_stamp = event->ticks;
	return POSIX_DONE;
}

/* If the rest of a block is not well formed, it is passed over. */
static enum posix_step end_block(struct posix *posix, struct model *model, struct batch *batch)
{
	const struct log_events_cursor *cursor = &posix->cursor;
	const bool is_frame = posix->block_bytes;
	uint64_t at = posix->block_offset + sizeof(struct log_block);

	if (!is_frame)
		at += (uint64_t)(cursor->at - posix->block_body);
	if (cursor->n_left) {
		if (batch_is_full(batch))
			return POSIX_NO_ROOM;
		if (!posix_damage(posix, model, batch, at,
			    is_frame ? posix->block_bytes : (uint64_t)(cursor->end - cursor->at),
			    "events of a block that are not well formed"))
			return POSIX_NO_MEMORY;
	}
	posix->is_in_block = false;
	return POSIX_DONE;
}

enum posix_step posix_rows(struct posix *posix, struct model *model, struct batch *batch)
{
	while (!batch_is_full(batch)) {
		enum posix_step step;

		if (!posix->is_event_held && !log_events_next(&posix->cursor, &posix->event, &posix->data))
			return end_block(posix, model, batch);
		posix->is_event_held = true;
		if (__builtin_expect(posix->begins_log, 0)) {
			if (!posix_begin_log(posix, model, batch, posix->event.ticks))
				return POSIX_NO_MEMORY;
			continue; /* a marker may have filled the batch */
		}
		step = add_row(posix, model, batch, &posix->event, posix->data);
		posix->is_event_held = step != POSIX_DONE;
		if (step != POSIX_DONE)
			return step;
	}
	return POSIX_NO_ROOM;
}
