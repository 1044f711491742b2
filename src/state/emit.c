/* SPDX-License-Identifier: MIT */
/* The intervals that have ended, until the consumer takes them; and what things are called in them. */
#include "base/array.h"
#include "state/states.h"

struct rst_interval *interval_add(
	struct rst_states *states, enum rst_interval_kind kind, const struct since *since, struct moment to)
{
	struct rst_interval *intervals;

	if (since->at.ticks >= to.ticks)
		return NULL;
	intervals = array_room(
		states->intervals, states->n_intervals, &states->intervals_room, sizeof(struct rst_interval));
	if (!intervals) {
		states->has_no_memory = true;
		return NULL;
	}
	states->intervals = intervals;
	intervals += states->n_intervals++;
	/* Member by member: the compiler clears a large struct by a loop. */
	intervals->kind = kind;
	intervals->state = RST_N_STATES;
	intervals->reason = RST_REASON_NONE;
	intervals->certainty = since->certainty;
	intervals->core = RST_NO_CORE;
	intervals->has_value = false;
	memset(&intervals->subject, 0, sizeof(intervals->subject));
	memset(&intervals->object, 0, sizeof(intervals->object));
	memset(&intervals->by, 0, sizeof(intervals->by));
	intervals->from = since->at.ticks;
	intervals->to = to.ticks;
	intervals->from_seq = since->at.seq;
	intervals->to_seq = to.seq;
	intervals->value = 0;
	return intervals;
}

struct rst_entity rst_entity_of_context(const struct rst_context *context)
{
	if (!context)
		return (struct rst_entity){ .form = RST_ENTITY_NONE };
	return (struct rst_entity){ .form = RST_ENTITY_THING,
		.kind = rst_context_kind_name(context->kind),
		.id = context->thread->id,
		.is_number = context->is_number,
		.process = context->process,
		.name = context->has_name ? context->name : NULL,
		.name_bytes = context->has_name ? context->name_bytes : 0 };
}

struct rst_entity rst_entity_of_ref(const struct rst_ref *ref)
{
	const bool has_name = ref->object && ref->object->name && ref->object->name_bytes;

	if (!ref->is_there || ref->is_unknown)
		return (struct rst_entity){ .form = RST_ENTITY_NONE };
	return (struct rst_entity){ .form = RST_ENTITY_THING,
		.kind = rst_object_kind_name(ref->kind),
		.id = ref->id,
		.is_number = ref->is_number,
		.process = ref->process,
		.name = has_name ? ref->object->name : NULL,
		.name_bytes = has_name ? ref->object->name_bytes : 0 };
}

struct rst_entity entity_of_irq(struct irq irq)
{
	return irq.is_known ? entity_of_number(irq.number) : (struct rst_entity){ .form = RST_ENTITY_NONE };
}

struct rst_entity entity_of_number(uint64_t number)
{
	return (struct rst_entity){ .form = RST_ENTITY_NUMBER, .id = number, .is_number = true };
}
