/* SPDX-License-Identifier: MIT */
/*
 * Spans of work. The context keeps its open spans, innermost first, until an end with the same name, object
 * and key comes. If an end has no begin, its span began before the window.
 */
#include <string.h>

#include "state/states.h"

static void span_emit(
	struct rst_states *states, const struct actor *actor, const struct open_span *span, struct moment to)
{
	const char *name = span->name ? span->name : span->object.is_there ? NULL : span->type->name;
	struct rst_interval *interval = interval_add(states, RST_INTERVAL_SPAN, &span->since, &to);

	if (!interval)
		return;
	for (const struct open_span *outer = span->outer; outer; outer = outer->outer)
		interval->depth++;
	entity_set_ref(&interval->subject, &span->object);
	entity_set_context(&interval->object, actor->context);
	if (name) {
		interval->subject.form = RST_ENTITY_THING;
		interval->subject.name = name;
		interval->subject.name_bytes = strlen(name);
	}
	interval->subject.kind = "span";
	interval->subject.is_number |= !span->object.is_there;
	if (!span->object.is_there)
		interval->subject.id = span->type->id;
}

static struct open_span span_of(const struct rst_states *states, const struct rst_effect_facts *facts)
{
	return (struct open_span){ .name = facts->effect->name,
		.object = facts->object,
		.has_key = facts->has_key,
		.key = facts->key,
		.type = states->layout->type,
		.since = { states->now, RST_CERTAINTY_EXACT } };
}

void spans_begin(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;
	struct open_span *span;

	if (!actor || actor->n_spans == STATES_SPANS_MAX)
		return;
	span = states->free_spans;
	if (span)
		states->free_spans = span->outer;
	else
		span = arena_alloc(&states->arena, sizeof(*span));
	if (!span) {
		states->has_no_memory = true;
		return;
	}
	*span = span_of(states, facts);
	span->outer = actor->spans;
	actor->spans = span;
	actor->n_spans++;
}

static bool is_same_name(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_its_end(const struct open_span *span, const struct open_span *end, bool is_any)
{
	return is_any || (is_same_name(span->name, end->name) && span->has_key == end->has_key &&
				 span->key == end->key && span->object.is_there == end->object.is_there &&
				 span->object.id == end->object.id);
}

void spans_end(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;
	struct open_span end = span_of(states, facts), **link = actor ? &actor->spans : NULL, *span;
	const bool is_any = facts->effect->is_any;

	if (!actor)
		return;
	while (*link && !is_its_end(*link, &end, is_any))
		link = &(*link)->outer;
	span = *link;
	if (!span) {
		end.since = (struct since){ run_begin(states), RST_CERTAINTY_INFERRED };
		if (!is_any)
			span_emit(states, actor, &end, states->now);
		return;
	}
	span_emit(states, actor, span, states->now);
	*link = span->outer;
	span->outer = states->free_spans;
	states->free_spans = span;
	actor->n_spans--;
}

void spans_lose(struct actor *actor)
{
	for (struct open_span *span = actor->spans; span; span = span->outer)
		span->since.certainty = RST_CERTAINTY_UNKNOWN;
}

void spans_cut(struct rst_states *states, struct actor *actor)
{
	spans_finish(states, actor);
	while (actor->spans) {
		struct open_span *span = actor->spans;

		actor->spans = span->outer;
		span->outer = states->free_spans;
		states->free_spans = span;
	}
	actor->n_spans = 0;
}

void spans_finish(struct rst_states *states, struct actor *actor)
{
	for (const struct open_span *span = actor->spans; span; span = span->outer)
		span_emit(states, actor, span, (struct moment){ states->now.ticks, RST_NO_SEQ });
}
