/* SPDX-License-Identifier: MIT */
/* Events to rows. Payloads are borrowed: an event's own head stands directly in front of its data. */
#include <string.h>
#include <trace.h>

#include "base/text.h"
#include "dialect/posix/posix.h"

static bool is_readable(uint8_t byte)
{
	return byte >= ' ' ? byte != 0x7f : byte == '\n' || byte == '\t';
}

/* One zero may end it. A single byte is rather a number, and blanks alone say nothing. */
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

/* The payload; NULL: the batch must go out first. */
static const uint8_t *put_payload(struct posix *posix, struct batch *batch, const struct posix_type *type,
	enum posix_shape shape, const struct log_event *event, const uint8_t *data, uint32_t *ret_n_bytes)
{
	bool is_cut = event->flags & LOG_EVENT_CUT;
	size_t n_head = POSIX_AT_DATA + (is_cut ? POSIX_CUT_MORE : 0);

	if (shape == POSIX_SETS)
		return posix_put_sets(posix, batch, data - POSIX_AT_DATA, posix_type_sets(type), ret_n_bytes);
	*ret_n_bytes = (uint32_t)(n_head + event->length);
	return data - n_head;
}

/* System events name their process themselves: START and STOP may be of a controller that is not traced itself. */
static void note_process(struct posix *posix, const struct log_event *event)
{
	if (event->type < POSIX_TRACE_UNNAMED_USEREVENT || event->pid == posix->first_pid || !event->pid)
		return;
	posix->is_shared |= posix->first_pid != 0;
	if (!posix->first_pid)
		posix->first_pid = event->pid;
}

static enum posix_step add_row(struct posix *posix, struct model *model, struct batch *batch,
	const struct log_event *event, const uint8_t *data)
{
	struct posix_type *type = posix_type(posix, model, event->type);
	bool is_cut = event->flags & LOG_EVENT_CUT;
	const struct rst_context *context;
	const struct rst_layout *layout;
	const uint8_t *payload;
	uint32_t n_payload;
	size_t row;

	if (!type)
		return POSIX_NO_MEMORY;
	enum posix_shape shape = shape_of(type, data, event->length);

	if (shape == POSIX_SETS && is_cut)
		shape = POSIX_AS_DESCRIBED;
	payload = put_payload(posix, batch, type, shape, event, data, &n_payload);
	if (!payload)
		return POSIX_NO_ROOM;
	note_process(posix, event);
	if (type->preloaded && !posix_preloaded_event(posix, model, type->preloaded, event, data))
		return POSIX_NO_MEMORY;
	context = posix_context(posix, model, event->pid, event->tid);
	layout = posix_layout(model, type, shape, posix->is_shared, is_cut);
	if (!layout || !context || !posix_site(posix, model, event->pid, event->address))
		return POSIX_NO_MEMORY;
	row = batch_row(batch, POSIX_COLUMNS,
		&(struct batch_row){
			.ticks = event->ticks,
			.stamp = event->ticks,
			.seq = posix->seq++,
			.layout = layout,
			.context = context,
			.payload = payload,
			.n_payload = n_payload,
		});
	if (event->cpu != LOG_NO_CPU)
		batch->core[row] = event->cpu;
	return POSIX_DONE;
}

/* Where the rest of a block is not well formed it is passed over. */
static enum posix_step end_block(struct posix *posix, struct model *model, struct batch *batch)
{
	const struct log_events_cursor *cursor = &posix->cursor;
	uint64_t at =
		posix->block_offset + sizeof(struct log_block) + (uint64_t)(cursor->at - posix->block_body);

	if (cursor->n_left) {
		if (batch_is_full(batch))
			return POSIX_NO_ROOM;
		if (!posix_damage(posix, model, batch, at, (uint64_t)(cursor->end - cursor->at),
			    "events of a block that are not well formed"))
			return POSIX_NO_MEMORY;
	}
	posix->is_in_block = false;
	return POSIX_DONE;
}

enum posix_step posix_rows(struct posix *posix, struct model *model, struct batch *batch)
{
	struct log_event event;
	const unsigned char *data;

	while (!batch_is_full(batch)) {
		struct log_events_cursor before = posix->cursor;
		enum posix_step step;

		if (!log_events_next(&posix->cursor, &event, &data))
			return end_block(posix, model, batch);
		step = add_row(posix, model, batch, &event, data);
		if (step != POSIX_DONE) {
			posix->cursor = before;
			return step;
		}
	}
	return POSIX_NO_ROOM;
}
