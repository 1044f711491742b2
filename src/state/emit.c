/* SPDX-License-Identifier: MIT */
/* The intervals that have ended, until the consumer takes them; and what things are called in them. */
#include "base/array.h"
#include "state/states.h"

/* false: memory ran out. */
static __attribute__((noinline)) bool intervals_grow(struct rst_states *states)
{
	struct rst_interval *intervals = array_room(
		states->intervals, states->n_intervals, &states->intervals_room, sizeof(struct rst_interval));

	if (intervals)
		states->intervals = intervals;
	states->has_no_memory |= !intervals;
	return intervals;
}

struct rst_interval *interval_add(struct rst_states *states, enum rst_interval_kind kind,
	const struct since *since, const struct moment *to)
{
	struct rst_interval *interval;

	if (since->at.ticks >= to->ticks)
		return NULL;
	if (states->n_intervals == states->intervals_room && !intervals_grow(states))
		return NULL;
	interval = &states->intervals[states->n_intervals++];
	/* Member by member: the compiler clears a large struct by a loop. */
	interval->kind = kind;
	interval->state = RST_N_STATES;
	interval->reason = RST_REASON_NONE;
	interval->certainty = since->certainty;
	interval->core = RST_NO_CORE;
	interval->depth = 0;
	interval->has_value = false;
	memset(&interval->subject, 0, sizeof(interval->subject));
	memset(&interval->object, 0, sizeof(interval->object));
	memset(&interval->by, 0, sizeof(interval->by));
	interval->from = since->at.ticks;
	interval->to = to->ticks;
	interval->from_seq = since->at.seq;
	interval->to_seq = to->seq;
	interval->value = 0;
	return interval;
}

void entity_set_context(struct rst_entity *ret, const struct rst_context *context)
{
	ret->form = RST_ENTITY_THING;
	ret->is_number = context->is_number;
	ret->kind = rst_context_kind_name(context->kind);
	ret->id = context->thread->id;
	ret->process = context->process;
	ret->name = context->has_name ? context->name : NULL;
	ret->name_bytes = context->has_name ? context->name_bytes : 0;
}

void entity_set_ref(struct rst_entity *ret, const struct rst_ref *ref)
{
	const bool has_name = ref->object && ref->object->name && ref->object->name_bytes;

	if (!ref->is_there || ref->is_unknown)
		return;
	ret->form = RST_ENTITY_THING;
	ret->is_number = ref->is_number;
	ret->kind = rst_object_kind_name(ref->kind);
	ret->id = ref->id;
	ret->process = ref->process;
	ret->name = has_name ? ref->object->name : NULL;
	ret->name_bytes = has_name ? ref->object->name_bytes : 0;
}

void entity_set_number(struct rst_entity *ret, uint64_t number)
{
	ret->form = RST_ENTITY_NUMBER;
	ret->is_number = true;
	ret->id = number;
}

struct rst_entity rst_entity_of_context(const struct rst_context *context)
{
	struct rst_entity entity = { .form = RST_ENTITY_NONE };

	if (context)
		entity_set_context(&entity, context);
	return entity;
}

struct rst_entity rst_entity_of_ref(const struct rst_ref *ref)
{
	struct rst_entity entity = { .form = RST_ENTITY_NONE };

	entity_set_ref(&entity, ref);
	return entity;
}
