/* SPDX-License-Identifier: MIT */
#include "lines/open_spans.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <rastrum/effect.h>

#include "base/array.h"
#include "base/text.h"
#include "trace/value/value.h"

static void span_begin(struct open_spans *spans, const struct rst_effect_facts *facts,
	const struct rst_field *field, uint64_t seq)
{
	const uint32_t index = facts->thread->index;
	struct open_span *items = array_reach(spans->items, &spans->n_room, index, sizeof(*items));

	if (!items) {
		spans->has_no_memory = true;
		return;
	}
	spans->items = items;
	items[index] = (struct open_span){
		.is_open = true,
		.field = facts->object.is_there ? field : NULL,
		.name = facts->effect->name,
		.object = facts->object.id,
		.has_key = facts->has_key,
		.key = facts->key,
		.seq = seq,
		.process = facts->thread->process,
		.n_gaps = spans->n_gaps,
	};
}

static bool is_same_name(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_end_of(const struct open_span *span, const struct rst_effect_facts *facts)
{
	if (facts->effect->is_any)
		return true;
	return is_same_name(span->name, facts->effect->name) && facts->has_key == span->has_key &&
	       facts->key == span->key && facts->object.is_there == (span->field != NULL) &&
	       facts->object.id == span->object;
}

static void span_end(struct open_spans *spans, const struct rst_effect_facts *facts)
{
	const uint32_t index = facts->thread->index;
	struct open_span *span = index < spans->n_room ? &spans->items[index] : NULL;

	if (span && is_end_of(span, facts))
		span->is_open = false;
}

enum { NOT_KNOWN, NO_CONCERN, CONCERN };

static uint8_t concern_slow(struct open_spans *spans, const struct rst_layout *layout)
{
	uint8_t *concerns = array_reach(spans->concerns, &spans->concerns_room, layout->index, 1);
	uint8_t concern = layout->type->marker == RST_EVENT ? NO_CONCERN : CONCERN;

	for (unsigned i = 0; i < layout->n_effects; i++)
		if (layout->effects[i].kind == RST_EFFECT_BEGIN || layout->effects[i].kind == RST_EFFECT_END)
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

/* Other contexts than threads may stand for several: interrupts of several cores, unknown threads. */
static void follow_effect(struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch,
	size_t row, const struct rst_effect *effect)
{
	const int16_t from = effect->object.from;
	struct rst_effect_facts facts;

	if (!rst_effect_read(trace, batch, row, effect, &facts) || !facts.thread ||
		facts.thread->kind != RST_CONTEXT_THREAD)
		return;
	if (effect->kind == RST_EFFECT_BEGIN)
		span_begin(spans, &facts, from > 0 ? &batch->layout[row]->fields[from - 1] : NULL,
			batch->seq[row]);
	else
		span_end(spans, &facts);
}

/*
 * is_own: for the row's own text, which comes before its last end. Ends in front of a begin are of the span
 * before.
 */
static void follow_row(struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch,
	size_t row, bool is_own)
{
	const struct rst_layout *layout = batch->layout[row];
	bool has_begin = false;

	spans->n_gaps += layout->type->marker != RST_EVENT;
	for (unsigned i = 0; i < layout->n_effects; i++)
		has_begin |= layout->effects[i].kind == RST_EFFECT_BEGIN;
	for (unsigned i = 0; i < layout->n_effects; i++) {
		const struct rst_effect *effect = &layout->effects[i];

		if (effect->kind == RST_EFFECT_BEGIN ||
			(effect->kind == RST_EFFECT_END && (!is_own || has_begin)))
			follow_effect(spans, trace, batch, row, effect);
	}
}

static void rows_follow(
	struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch, size_t n_rows)
{
	for (size_t row = spans->n_rows; row < n_rows; row++)
		if (is_concern(spans, batch->layout[row]))
			follow_row(spans, trace, batch, row, false);
	spans->n_rows = n_rows;
	spans->has_text = false;
}

/*
 * As the field would print the object where the span began, from bytes of its own: that payload may be gone.
 */
static struct text span_put(struct open_spans *spans, struct rst_trace *trace, const struct open_span *span)
{
	const uint64_t bytes = htole64(span->object);
	struct rst_field field = span->field ? *span->field : (struct rst_field){ .n_bytes = 8 };
	struct outbuf *out = &spans->room;
	const struct value_source from = {
		.out = out,
		.trace = trace,
		.payload = (const uint8_t *)&bytes,
		.payload_bytes = sizeof(bytes),
		.seq = span->seq,
		.process = span->process,
		.set_off = spans->set_off ? spans->set_off : set_off_quotes,
	};

	if (span->name)
		return (struct text){ span->name, strlen(span->name) };
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

	rows_follow(spans, trace, batch, row);
	follow_row(spans, trace, batch, row, true);
	span = index < spans->n_room ? &spans->items[index] : NULL;
	if (!span || !span->is_open || (!span->field && !span->name) || span->n_gaps != spans->n_gaps)
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

bool open_spans_end_batch(struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch)
{
	rows_follow(spans, trace, batch, batch->n_events);
	spans->n_rows = 0;
	return !spans->has_no_memory && !spans->room.error;
}

bool open_spans_init(struct open_spans *spans, const struct template_set *templates)
{
	*spans = (struct open_spans){ .is_wanted = template_set_uses(templates, "UNDERWAY") };
	for (size_t i = 0; i < templates->n_others; i++)
		spans->is_wanted |= template_set_uses(templates->others[i], "UNDERWAY");
	return !spans->is_wanted || outbuf_init(&spans->room, OUTBUF_MEMORY);
}

void open_spans_done(struct open_spans *spans)
{
	free(spans->items);
	free(spans->concerns);
	outbuf_done(&spans->room);
	*spans = (struct open_spans){ .is_wanted = false };
}
