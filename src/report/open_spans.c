/* SPDX-License-Identifier: MIT */
#include "report/open_spans.h"

#include <endian.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "template/value/value.h"

/* One role of one row. */
struct role_use {
	const struct rst_batch *batch;
	size_t row;
	const struct rst_role *role;
};

static const struct rst_field *field_of(const struct role_use *use, int8_t index)
{
	return index < 0 ? NULL : &use->batch->layout[use->row]->fields[index];
}

static uint64_t number_of(const struct role_use *use, const struct rst_field *field)
{
	return rst_field_number(field, use->batch->payload[use->row], use->batch->payload_bytes[use->row]);
}

static uint64_t object_of(const struct role_use *use)
{
	const struct rst_field *field = field_of(use, use->role->object);

	return field ? number_of(use, field) : 0;
}

/* The field with the value of the span, unless it is cut off or no number. */
static const struct rst_field *value_of(const struct role_use *use)
{
	const struct rst_field *field = field_of(use, use->role->value);
	const struct value_source from = { .payload_bytes = use->batch->payload_bytes[use->row] };
	bool is_number = field && field->type != RST_TEXT && field->type != RST_BYTES;

	return is_number && value_is_there(&from, field) ? field : NULL;
}

/* Other contexts may stand for several: interrupts of several cores, unknown threads. */
static bool is_thread(const struct role_use *use)
{
	return use->role->thread == RST_SELF && use->batch->context[use->row]->kind == RST_CONTEXT_THREAD;
}

static void span_begin(struct open_spans *spans, const struct role_use *use)
{
	uint32_t index = use->batch->context[use->row]->index;
	struct open_span *items = array_reach(spans->items, &spans->n_room, index, sizeof(*items));
	const struct rst_field *field = value_of(use);

	if (!items) {
		spans->has_no_memory = true;
		return;
	}
	spans->items = items;
	items[index] = (struct open_span){
		.field = field,
		.value = field ? number_of(use, field) : 0,
		.object = object_of(use),
		.seq = use->batch->seq[use->row],
		.n_gaps = spans->n_gaps,
	};
}

static void span_end(struct open_spans *spans, const struct role_use *use)
{
	uint32_t index = use->batch->context[use->row]->index;
	struct open_span *span = index < spans->n_room ? &spans->items[index] : NULL;
	uint64_t object;

	if (!span || !span->field)
		return;
	object = object_of(use);
	if (!object || !span->object || object == span->object)
		span->field = NULL;
}

enum { NOT_KNOWN, NO_CONCERN, CONCERN };

static uint8_t concern_slow(struct open_spans *spans, const struct rst_layout *layout)
{
	uint8_t *concerns = array_reach(spans->concerns, &spans->concerns_room, layout->index, 1);
	uint8_t concern = layout->type->marker == RST_EVENT ? NO_CONCERN : CONCERN;

	for (unsigned i = 0; i < layout->n_roles; i++)
		if (layout->roles[i].kind == RST_ROLE_BEGIN || layout->roles[i].kind == RST_ROLE_END)
			concern = CONCERN;
	if (!concerns) {
		spans->has_no_memory = true;
		return concern;
	}
	spans->concerns = concerns;
	return concerns[layout->index] = concern;
}

/* Most events neither begin nor end a span, and one load decides that. */
static inline bool is_concern(struct open_spans *spans, const struct rst_layout *layout)
{
	uint8_t concern = layout->index < spans->concerns_room ? spans->concerns[layout->index] : NOT_KNOWN;

	if (__builtin_expect(concern == NOT_KNOWN, 0))
		concern = concern_slow(spans, layout);
	return concern == CONCERN;
}

/* has_ends: whether ends count; a row's own end comes after its text. */
static void follow_row(struct open_spans *spans, const struct rst_batch *batch, size_t row, bool has_ends)
{
	const struct rst_layout *layout = batch->layout[row];

	spans->n_gaps += layout->type->marker != RST_EVENT;
	for (unsigned i = 0; i < layout->n_roles; i++) {
		const struct role_use use = { batch, row, &layout->roles[i] };

		if (use.role->kind == RST_ROLE_BEGIN && is_thread(&use))
			span_begin(spans, &use);
		else if (use.role->kind == RST_ROLE_END && has_ends && is_thread(&use))
			span_end(spans, &use);
	}
}

static void rows_follow(struct open_spans *spans, const struct rst_batch *batch, size_t n_rows)
{
	for (size_t row = spans->n_rows; row < n_rows; row++)
		if (is_concern(spans, batch->layout[row]))
			follow_row(spans, batch, row, true);
	spans->n_rows = n_rows;
	spans->has_text = false;
}

/* As the field would print the value where the span began, from bytes of its own: that payload may be gone. */
static struct text span_put(struct open_spans *spans, struct rst_trace *trace, const struct open_span *span)
{
	const uint64_t bytes = htole64(span->value);
	struct rst_field field = *span->field;
	struct outbuf *out = &spans->room;
	const struct value_source from = {
		.out = out,
		.trace = trace,
		.payload = (const uint8_t *)&bytes,
		.payload_bytes = sizeof(bytes),
		.seq = span->seq,
		.set_off = spans->set_off ? spans->set_off : set_off_quotes,
	};

	out->at = out->start;
	if (!outbuf_reserve(out, VALUE_ROOM + TEXT_SHORT))
		return (struct text){ "", 0 };
	field.offset = 0;
	field.is_big_endian = false;
	const char *text_end = value_put_text(&from, out->at, &field);

	return (struct text){ out->start, (size_t)(text_end - out->start) };
}

static struct text span_text(
	struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch, size_t row)
{
	uint32_t index = batch->context[row]->index;
	const struct open_span *span;

	rows_follow(spans, batch, row);
	follow_row(spans, batch, row, false);
	span = index < spans->n_room ? &spans->items[index] : NULL;
	if (!span || !span->field || span->n_gaps != spans->n_gaps)
		return (struct text){ "", 0 };
	return span_put(spans, trace, span);
}

/* A template uses it once to test for a text, and again to print it. */
struct text open_spans_text(
	struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch, size_t row)
{
	if (!spans->has_text || spans->n_rows != row) {
		spans->text = span_text(spans, trace, batch, row);
		spans->has_text = true;
	}
	return spans->text;
}

bool open_spans_end_batch(struct open_spans *spans, const struct rst_batch *batch)
{
	rows_follow(spans, batch, batch->n_events);
	spans->n_rows = 0;
	return !spans->has_no_memory && !spans->room.error;
}

bool open_spans_init(struct open_spans *spans, const struct template_set *templates)
{
	*spans = (struct open_spans){ .is_wanted = template_set_uses(templates, "UNDERWAY") };
	return !spans->is_wanted || outbuf_init(&spans->room, OUTBUF_MEMORY);
}

void open_spans_done(struct open_spans *spans)
{
	free(spans->items);
	free(spans->concerns);
	outbuf_done(&spans->room);
	*spans = (struct open_spans){ .is_wanted = false };
}
