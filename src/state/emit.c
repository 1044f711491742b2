/* SPDX-License-Identifier: MIT */
/* Keeps the intervals that have ended until the consumer takes them, and fills the entities in them. */
#include "base/array.h"
#include "state/states.h"

/* Returns false if memory ran out. */
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
	/* Each member is set by itself, because the compiler would clear a large struct by a loop. */
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
	interval->value_type = RST_UNSIGNED;
	return interval;
}

struct rst_beginning *beginning_add(struct rst_states *states, enum rst_interval_kind kind, struct moment at)
{
	struct rst_beginning *beginnings = array_room(states->beginnings, states->n_beginnings,
		&states->beginnings_room, sizeof(struct rst_beginning));

	if (!beginnings) {
		states->has_no_memory = true;
		return NULL;
	}
	states->beginnings = beginnings;
	beginnings += states->n_beginnings++;
	*beginnings = (struct rst_beginning){ .kind = kind,
		.at = at.ticks,
		.seq = at.seq,
		.core = RST_NO_CORE,
		.n_intervals = states->n_intervals };
	return beginnings;
}

void carried_give(struct rst_states *states, const struct rst_carried *carried)
{
	for (size_t i = 0; i < carried->n_intervals; i++) {
		if (states->n_intervals == states->intervals_room && !intervals_grow(states))
			return;
		states->intervals[states->n_intervals++] = carried->intervals[i];
	}
	for (size_t i = 0; i < carried->n_beginnings; i++) {
		const struct rst_beginning *from = &carried->beginnings[i];
		struct rst_beginning *beginning =
			beginning_add(states, from->kind, (struct moment){ from->at, from->seq });

		if (!beginning)
			return;
		*beginning = *from;
	}
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
