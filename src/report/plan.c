/* SPDX-License-Identifier: MIT */
#include "base/array.h"
#include "base/text.h"
#include "report/report.h"

enum {
	LINE_ROOM = 512, /* everything in a line but cell, leads and values */
	CONTEXT_WIDTH_MIN = 8,
	EVENT_WIDTH_MIN = 16,
	CONTEXT_WIDTH_MAX = 32,
	EVENT_WIDTH_MAX = 48,
};

static void widen(unsigned *width, size_t columns, unsigned max)
{
	unsigned wanted = columns < max ? (unsigned)columns : max;

	if (wanted > *width)
		*width = wanted;
}

void plan_widths(struct report *report, const struct rst_batch *batch)
{
	const struct rst_object *object;

	report->context_width = CONTEXT_WIDTH_MIN;
	report->event_width = EVENT_WIDTH_MIN;
	for (size_t i = 0; (object = rst_trace_object(report->trace, i)) != NULL; i++)
		if (object->kind == RST_OBJECT_THREAD && object->name)
			widen(&report->context_width, text_columns(object->name, object->name_bytes),
				CONTEXT_WIDTH_MAX);
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct rst_context *context = batch->context[i], *over = batch->over[i];

		widen(&report->event_width, batch->type[i]->name_bytes, EVENT_WIDTH_MAX);
		if (!context->has_name)
			widen(&report->context_width, context->name_bytes, CONTEXT_WIDTH_MAX);
		if (over)
			widen(&report->context_width,
				text_columns(over->name, over->name_bytes) + sizeof("isr/2 over"),
				CONTEXT_WIDTH_MAX);
	}
}

static bool plan_leads(
	struct arena *arena, struct plan_field *planned, const struct rst_field *field, bool is_first)
{
	size_t n_name = strlen(field->name);
	char *text = arena_alloc(arena, n_name + 3 + TEXT_SHORT),
	     *json = arena_alloc(arena, 6 * n_name + 4 + TEXT_SHORT), *end;

	if (!text || !json)
		return false;
	end = is_first ? text : text_put_literal(text, ", ");
	end = text_put(end, field->name, n_name);
	*end++ = '=';
	planned->text_lead_bytes = (uint32_t)(end - text);
	end = is_first ? json : text_put_literal(json, ",");
	end = text_put_json(end, field->name, n_name);
	*end++ = ':';
	planned->json_lead_bytes = (uint32_t)(end - json);
	planned->field = field;
	planned->text_lead = text;
	planned->json_lead = json;
	return true;
}

const struct plan *plan_make(struct report *report, const struct rst_type *type)
{
	struct plan *plan = arena_alloc(
		&report->arena, sizeof(*plan) + (size_t)type->n_fields * sizeof(struct plan_field));

	struct plan **plans =
		array_reach(report->plans, &report->plans_room, type->index, sizeof(struct plan *));

	if (plans)
		report->plans = plans;
	if (!plan || !plans)
		return NULL;
	plan->n_fields = type->n_fields;
	plan->room = (size_t)LINE_ROOM + 6 * type->name_bytes;
	for (unsigned i = 0; i < type->n_fields; i++) {
		const struct rst_field *field = &type->fields[i];

		if (!plan_leads(&report->arena, &plan->fields[i], field, i == 0))
			return NULL;
		plan->room += (size_t)plan->fields[i].text_lead_bytes + plan->fields[i].json_lead_bytes;
		plan->room += (size_t)2 * VALUE_ROOM;
	}
	if (!report->format->event_cell(report, plan, type))
		return NULL;
	report->plans[type->index] = plan;
	return plan;
}

struct cell *plan_cell(struct report *report, const struct rst_context *context, bool is_over)
{
	size_t index = 2 * (size_t)context->index + is_over;

	struct cell *cells = array_reach(report->cells, &report->cells_room, index, sizeof(struct cell));

	if (cells)
		report->cells = cells;
	return cells ? &cells[index] : NULL;
}

char *plan_put_text(const struct report_line *line, char *p)
{
	const struct plan *plan = line->plan;

	for (unsigned i = 0; i < plan->n_fields; i++) {
		p = text_put_short(p, plan->fields[i].text_lead, plan->fields[i].text_lead_bytes);
		p = value_put_text(&line->values, p, plan->fields[i].field);
	}
	return p;
}
