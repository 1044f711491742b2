/* SPDX-License-Identifier: MIT */
/*
 * Explains a rule about something that the trace does not have: what is missing, and which names are similar.
 */
#include <stdio.h>

#include "base/similar.h"
#include "query/check.h"

/* Everything in the trace that the selector could mean; each name is offered. true: one of them is meant. */
static bool is_in_types(
	const struct selector *selector, const struct rst_trace *trace, struct similar *similar)
{
	const struct rst_type *type;
	bool is_there = false;

	for (size_t i = 0; selector->form == SELECTOR_EVENT && (type = rst_trace_type(trace, i)); i++) {
		is_there |= type->marker == RST_EVENT && selector_takes_type(selector, type);
		if (type->marker == RST_EVENT)
			similar_offer(similar, type->name);
	}
	return is_there;
}

static bool is_in_contexts(
	const struct selector *selector, const struct rst_trace *trace, struct similar *similar)
{
	const struct rst_context *context;
	bool is_there = false;

	for (size_t i = 0; selector->form == SELECTOR_THREAD && (context = rst_trace_context(trace, i));
		i++) {
		const struct rst_entity entity = rst_entity_of_context(context);

		if (context->kind != RST_CONTEXT_THREAD)
			continue;
		is_there |= selector_takes_entity(selector, &entity);
		similar_offer(similar, context->name);
	}
	return is_there;
}

static bool is_in_objects(
	const struct selector *selector, const struct rst_trace *trace, struct similar *similar)
{
	struct selector any = *selector;
	const struct rst_object *object;
	bool is_there = false;

	any.name = "*";
	for (size_t i = 0; selector->form == SELECTOR_OBJECT && (object = rst_trace_object(trace, i)); i++) {
		is_there |= selector_takes_object(selector, object);
		if (object->name && selector_takes_object(&any, object))
			similar_offer(similar, object->name);
	}
	return is_there;
}

static bool is_in_things(
	const struct selector *selector, const struct subjects *things, struct similar *similar)
{
	struct selector any = *selector;
	bool is_there = false;

	any.name = "*";
	for (size_t i = 0; i < things->n; i++) {
		const struct rst_entity *entity = &things->all[i]->entity;

		is_there |= selector_takes_entity(selector, entity);
		if (entity->name && selector_takes_entity(&any, entity))
			similar_offer(similar, entity->name);
	}
	return is_there;
}

static bool selector_is_there(struct run *run, size_t n, const struct scan *scan, struct similar *similar)
{
	const struct selector *selector = &run->rule->selectors[n];

	*similar = similar_to(selector->name);
	return is_in_types(selector, scan->trace, similar) | is_in_contexts(selector, scan->trace, similar) |
	       is_in_objects(selector, scan->trace, similar) |
	       is_in_things(selector, &run->check->things, similar);
}

/* Only one of the layouts is looked at; all of them lack one of the fields. */
bool run_explain_fields(struct run *run)
{
	for (size_t n = 0; n < run->rule->n_selectors; n++) {
		const struct selector *selector = &run->rule->selectors[n];
		const struct rst_layout *layout = run->sights[n].lacking;
		const struct field_value *lacking;
		struct similar similar;
		char text[SIMILAR_TEXT_MAX];

		if (!layout || run->sights[n].has_fields)
			continue;
		lacking = selector_lacks_field(selector, layout);
		similar = similar_to(lacking->name);
		for (size_t i = 0; i < layout->n_fields; i++)
			similar_offer(&similar, layout->fields[i].name);
		run_unknown(run, "event '%s' has no field '%s'%s%s", selector->name, lacking->name,
			layout->n_fields ? ": " : "", layout->n_fields ? similar_or_all(&similar, text) : "");
		run->is_absent = true;
		return true;
	}
	return false;
}

static void run_explain_first(struct run *run)
{
	const struct selector *first = &run->rule->selectors[0];

	if (first->n_fields)
		run_unknown(run, "no event '%s' has %s", first->name, first->fields_text);
	else
		run_unknown(run, "the recording does not tell this of %s '%s'", first->kind, first->name);
}

bool run_explain_absence(struct run *run, const struct scan *scan)
{
	struct similar similar;
	char text[SIMILAR_TEXT_MAX];

	for (size_t n = 0; n < run->rule->n_selectors; n++) {
		const struct selector *selector = &run->rule->selectors[n];

		if (selector_is_there(run, n, scan, &similar))
			continue;
		if (similar_text(&similar, text))
			run_unknown(
				run, "the trace has no %s '%s': %s", selector->kind, selector->name, text);
		else
			run_unknown(run, "the trace has no %s '%s'", selector->kind, selector->name);
		run->is_absent = true;
		return true;
	}
	if (run_explain_fields(run))
		return true;
	if (!run->has_match && run->rule->n_selectors && run->rule->metric != &metric_hold)
		run_explain_first(run);
	return true;
}

bool absence_finish(void *state, const struct scan *scan)
{
	return run_explain_absence(((struct metric_state *)state)->run, scan);
}
