/* SPDX-License-Identifier: MIT */
#include "base/array.h"
#include "base/text.h"
#include "lines/format.h"
#include "template/compile/bind.h"
#include "template/machine/code.h"

enum {
	LINE_ROOM = 512, /* everything in a line but cells, leads, values and text */
	CONTEXT_WIDTH_MIN = 6,
	EVENT_WIDTH_MIN = 5,
	EVENT_WIDTH_MAX = 48,
};

static void width_grow(unsigned *width, size_t columns, unsigned max)
{
	unsigned wanted = columns < max ? (unsigned)columns : max;

	if (wanted > *width)
		*width = wanted;
}

void plan_widths(
	struct report_section *section, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	section->context_width = CONTEXT_WIDTH_MIN;
	section->event_width = EVENT_WIDTH_MIN;
	for (size_t i = 0; i < n_rows; i++) {
		const struct rst_context *context = batch->context[rows[i]],
					 *interrupted = rst_batch_interrupted(batch, rows[i]);
		size_t columns = text_columns(context->name, context->name_bytes);

		if (batch->type[rows[i]]->marker != RST_EVENT)
			continue;
		if (interrupted)
			columns += text_columns(interrupted->name, interrupted->name_bytes) + sizeof(" over");
		width_grow(&section->event_width, batch->type[rows[i]]->name_bytes, EVENT_WIDTH_MAX);
		width_grow(&section->context_width, columns, REPORT_CONTEXT_MAX);
	}
}

static bool plan_field(struct arena *arena, struct plan_field *planned, const struct rst_field *field)
{
	size_t n_name = strlen(field->name);
	char *json = arena_alloc(arena, 6 * n_name + 4 + TEXT_SHORT),
	     *csv = arena_alloc(arena, n_name + 2 + TEXT_SHORT), *end;

	if (!json || !csv)
		return false;
	end = text_put_literal(json, ",");
	end = text_put_json(end, field->name, n_name);
	*end++ = ':';
	planned->json_lead_bytes = (uint32_t)(end - json);
	end = text_put_literal(csv, ";");
	end = text_put(end, field->name, n_name);
	*end++ = '=';
	planned->csv_lead_bytes = (uint32_t)(end - csv);
	planned->field = field;
	planned->form = value_form_of(field);
	planned->need = planned->form == VALUE_ANY ? UINT64_MAX : (uint64_t)field->offset + field->n_bytes;
	planned->offset = field->offset;
	planned->n_bytes = field->n_bytes;
	planned->is_big_endian = field->is_big_endian;
	planned->is_spare = field->is_spare;
	planned->json_lead = json;
	planned->csv_lead = csv;
	return true;
}

/* The template for a name; where it has errors, the one it overrides, and so on, down to NULL. */
static const struct unit *plan_named(struct template_set *set, const char *name, size_t n_name,
	const struct binding *binding, struct diags *diags)
{
	struct stanza *stanza = template_set_find_event(set, name, n_name);
	const struct unit *unit = NULL;

	for (; stanza && !unit; stanza = stanza->replaced)
		if (!stanza->is_bad)
			unit = bind_stanza(set, stanza, binding, diags);
	return unit;
}

/* The template of the hook that events of the layout are shown as. */
static const struct unit *plan_hook(struct template_set *set, const struct hook *hook,
	const struct rst_layout *layout, struct diags *diags)
{
	const struct binding binding = { .word_bytes = 4, .layout = layout, .is_of_hook = true };
	char key[TEXT_HEX_MAX];

	return hook ? plan_named(set, key, (size_t)(run_put_id(key, hook->id) - key), &binding, diags) : NULL;
}

static const struct unit *plan_written(struct template_set *set, const struct rst_layout *layout,
	const struct binding *binding, struct diags *diags)
{
	const struct rst_type *type = layout->type;
	const struct unit *unit = plan_named(set, type->name, type->name_bytes, binding, diags);

	if (!unit && type->other_name)
		unit = plan_named(set, type->other_name, strlen(type->other_name), binding, diags);
	return unit;
}

static const struct unit *plan_generated(struct template_set *set, const struct rst_layout *layout,
	const struct binding *binding, struct diags *diags)
{
	struct stanza *stanza = generate_stanza(set, layout);

	return stanza ? bind_stanza(set, stanza, binding, diags) : NULL;
}

/*
 * Stanza 007 shows hooks that have no template: the last good stanza 007, or else the one that is built in.
 */
static const struct unit *plan_unknown(
	struct template_set *set, const struct binding *binding, struct diags *diags)
{
	const struct unit *unit = NULL;
	struct stanza *stanza;

	while (!unit && !diags->has_no_memory && (stanza = generate_unknown(set)) != NULL) {
		unit = bind_stanza(set, stanza, binding, diags);
		stanza->is_bad |= !unit;
	}
	return unit;
}

static bool plan_template(struct report_input *input, struct plan *plan, const struct rst_layout *layout)
{
	struct template_set *set =
		template_set_of(input->templates ? input->templates : input->own_templates, layout->dialect);
	struct diags *diags = input->templates ? input->diags : &input->own_diags;
	/* Templates see the words of AIX entries, not the fields. */
	const struct binding binding = { .word_bytes = layout->hook_bytes ? layout->hook_bytes : 4,
		.layout = layout->hook_bytes ? NULL : layout,
		.errors = hook_is_native(layout) ? ERRORS_OF_AIX : ERRORS_OF_LINUX };

	plan->hook = input->hook ? input->hook(input->trace, layout) : NULL;
	plan->hook_data = plan->hook ? plan->hook->data : (uint16_t)layout->id;
	plan->unit = plan_hook(set, plan->hook, layout, diags);
	if (!plan->unit)
		plan->unit = plan_written(set, layout, &binding, diags);
	plan->is_generated = !plan->unit && !layout->hook_bytes;
	if (!plan->unit)
		plan->unit = layout->hook_bytes ? plan_unknown(set, &binding, diags)
						: plan_generated(set, layout, &binding, diags);
	if (!plan->unit)
		return false;
	plan->level = plan->unit->stanza->level;
	plan->use = text_use_new(&input->arena, plan->unit);
	plan->counts = input->report->worker && template_set_counts(set, plan->unit->stanza);
	return true;
}

/* A hook's name is its id as reports print it. */
static char *put_id(char *p, const struct rst_layout *layout, const struct hook *hook)
{
	if (hook)
		return run_put_id(p, hook->id);
	return layout->hook_bytes ? text_put(p, layout->type->name, layout->type->name_bytes)
				  : run_put_id(p, layout->id);
}

const struct plan *plan_make(struct report_input *input, const struct rst_layout *layout)
{
	struct plan *plan = arena_alloc(
		&input->arena, sizeof(*plan) + (size_t)layout->n_fields * sizeof(struct plan_field));

	struct plan **plans =
		array_reach(input->plans, &input->plans_room, layout->index, sizeof(struct plan *));

	if (plans)
		input->plans = plans;
	if (!plan || !plans || !plan_template(input, plan, layout))
		return NULL;
	plan->n_id = (unsigned)(put_id(plan->id, layout, plan->hook) - plan->id);
	plan->n_fields = layout->n_fields;
	plan->has_quotes = false;
	plan->room = (size_t)LINE_ROOM + 6 * layout->type->name_bytes + plan->unit->room;
	for (unsigned i = 0; i < layout->n_fields; i++) {
		if (!plan_field(&input->arena, &plan->fields[i], &layout->fields[i]))
			return NULL;
		plan->room += (size_t)plan->fields[i].json_lead_bytes + VALUE_ROOM;
		plan->has_quotes |=
			plan->fields[i].form == VALUE_ANY || strchr(layout->fields[i].name, '"') != NULL;
	}
	if (!input->report->options.format->event_cell(input, plan, layout))
		return NULL;
	input->plans[layout->index] = plan;
	return plan;
}

void plan_forget_cells(struct report_input *input)
{
	if (input->cells_room)
		memset(input->cells, 0, input->cells_room * sizeof(struct cell));
}

struct cell *plan_reach_cell(struct report_input *input, size_t index)
{
	struct cell *cells = array_reach(input->cells, &input->cells_room, index, sizeof(struct cell));

	if (cells)
		input->cells = cells;
	return cells ? &cells[index] : NULL;
}

const struct cell *plan_context(struct report_input *input, const struct report_line *line)
{
	const struct report_format *format = input->report->options.format;
	const struct rst_context *context = line->batch->context[line->row],
				 *interrupted = rst_batch_interrupted(line->batch, line->row);
	bool has_interrupted = format->has_interrupted && interrupted != NULL;
	const char *name = (has_interrupted ? interrupted : context)->name;
	struct cell *cell = plan_cell(input, has_interrupted ? interrupted : context, has_interrupted);
	unsigned depth = format->has_depth ? rst_batch_depth(line->batch, line->row) : 0;

	while (cell && cell->bytes && (cell->depth != depth || cell->context != context)) {
		if (!cell->other)
			cell->other = arena_alloc(&input->arena, sizeof(*cell));
		cell = cell->other;
	}
	if (!cell || (cell->bytes && cell->name == name))
		return cell;
	cell->depth = depth;
	cell->context = context;
	cell->name = name;
	return format->context_cell(input, cell, line) ? cell : NULL;
}

/* Its dialect guarantees that the payload has the hook word. */
void plan_see_hook(struct entry *entry, const struct report_line *line)
{
	const struct aix_hook_spec spec = {
		.is_64 = line->layout->hook_bytes == 8, .hook_type = -1, .hook_data = -1, .hook_id = -1
	};

	entry_of_aix(
		entry, NULL, line->batch->payload[line->row], line->batch->payload_bytes[line->row], &spec);
}
