/* SPDX-License-Identifier: MIT */
/*
 * The fill levels of objects: each level has an interval, from the event that shows it to the next different
 * one.
 */
#include "state/states.h"

static void level_emit(struct rst_states *states, const struct thing *thing, struct moment to)
{
	struct rst_interval *interval = interval_add(states, RST_INTERVAL_LEVEL, &thing->level_since, &to);

	if (!interval)
		return;
	entity_set_ref(&interval->subject, &thing->ref);
	interval->has_value = true;
	interval->value = thing->level.bits;
	interval->value_type = thing->level.type;
	if (thing->level_name) {
		interval->subject.name = thing->level_name;
		interval->subject.name_bytes = strlen(thing->level_name);
	}
}

/* If a counter has no object, the type of the event identifies it. */
static struct thing *thing_of_level(struct rst_states *states, const struct rst_effect_facts *facts)
{
	if (facts->effect->object.from != RST_FROM_TYPE)
		return thing_of(states, &facts->object);
	return thing_of(states, &(struct rst_ref){ .is_there = true,
					.is_number = true,
					.kind = RST_OBJECT_UNKNOWN,
					.id = states->layout->type->index });
}

/*
 * The way of the effect in front of a level, or else of the first one behind it. An event that sends or
 * receives has the levels of both ways.
 */
static enum rst_effect_kind way_of(const struct rst_layout *layout, const struct rst_effect *level)
{
	enum rst_effect_kind way = RST_EFFECT_NONE;

	for (unsigned i = 0; i < layout->n_effects; i++) {
		const enum rst_effect_kind kind = layout->effects[i].kind;

		if (way != RST_EFFECT_NONE && &layout->effects[i] >= level)
			break;
		if (kind == RST_EFFECT_SEND || kind == RST_EFFECT_RECEIVE)
			way = kind;
	}
	return way;
}

/*
 * If a thread waits to receive, an item that is sent goes directly to that thread, and the other way round.
 */
enum destination { STAYS, IS_HANDED_OVER, MAY_BE_HANDED_OVER };

static uint64_t capacity_of(const struct thing *thing, const struct rst_effect_facts *facts)
{
	const struct rst_object *object = thing->ref.object;

	return facts->has_capacity ? facts->capacity : object ? object->capacity : 0;
}

static void waiters_are_served(struct waiters *waiters)
{
	waiters->n_served = waiters->n;
	waiters->may_be_hidden = false;
}

/*
 * The events do not show the end of each wait, so threads may wait unseen. None does for items of which there
 * are some, and none for room while there is room.
 */
static void waiters_rule_out(struct thing *thing, const struct rst_effect_facts *facts)
{
	const uint64_t before = facts->value - (uint64_t)(int64_t)facts->effect->value.add;

	if (!facts->effect->is_partial || !facts->has_value || facts->effect->value.from <= 0)
		return;
	if (before > 0)
		waiters_are_served(&thing->receivers);
	if (before < capacity_of(thing, facts))
		waiters_are_served(&thing->senders);
}

static enum destination destination_of(
	const struct rst_states *states, struct thing *thing, const struct rst_effect *effect)
{
	struct waiters *waiters;

	if (!effect->is_handed_over)
		return STAYS;
	waiters = way_of(states->layout, effect) == RST_EFFECT_RECEIVE ? &thing->senders : &thing->receivers;
	if (!effect->is_partial)
		return waiters->n ? IS_HANDED_OVER : STAYS;
	if (waiters->may_be_hidden)
		return MAY_BE_HANDED_OVER;
	if (waiters->n <= waiters->n_served)
		return STAYS;
	waiters->n_served++;
	return IS_HANDED_OVER;
}

/*
 * The level after the event. If the object is full, an item is refused or its sender waits, which the event
 * itself does not show. Returns false if the event has no value, or changes a level that is unknown.
 */
static bool level_after(const struct thing *thing, const struct rst_effect_facts *facts, struct number *ret)
{
	const struct number capacity = number_as(capacity_of(thing, facts), RST_UNSIGNED);
	const struct rst_effect *effect = facts->effect;

	*ret = number_as(facts->value, facts->value_type);
	if (!facts->has_value || (effect->is_change && !thing->has_level))
		return false;
	if (effect->is_change)
		*ret = number_add(thing->level, *ret);
	if (capacity.bits && effect->value.from > 0 && effect->value.add > 0 && !number_is_nan(*ret) &&
		number_compare(*ret, capacity) > 0)
		*ret = number_add(*ret, number_as((uint64_t) - (int64_t)effect->value.add, RST_SIGNED));
	return true;
}

/* Lists a pool whose level counts free memory: a free to an unknown pool may change this level. */
static void level_list(struct rst_states *states, struct thing *thing)
{
	if (thing->is_listed)
		return;
	thing->is_listed = true;
	thing->next_pool = states->pools[thing->ref.kind];
	states->pools[thing->ref.kind] = thing;
}

void levels_set(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct thing *thing = thing_of_level(states, facts);
	const bool is_of_type = facts->effect->object.from == RST_FROM_TYPE;
	const bool is_new = thing && !thing->has_level;
	struct number level;
	enum destination destination;

	if (!thing)
		return;
	waiters_rule_out(thing, facts);
	destination = destination_of(states, thing, facts->effect);
	if (destination == MAY_BE_HANDED_OVER)
		levels_forget(states, thing, states->now);
	if (destination != STAYS || !level_after(thing, facts, &level))
		return;
	if (!is_new && number_is_same(thing->level, level))
		return;
	if (!is_new)
		level_emit(states, thing, states->now);
	if (is_new && facts->effect->is_free)
		level_list(states, thing);
	thing->has_level = true;
	thing->level = level;
	thing->level_since = (struct since){ states->now, RST_CERTAINTY_EXACT };
	if (facts->effect->is_handed_over && facts->effect->value.from > 0)
		states->handing = (struct handing){ .thing = thing,
			.by = states->self,
			.seq = states->now.seq,
			.more = facts->effect->value.add };
	if (facts->effect->name)
		thing->level_name = facts->effect->name;
	else if (is_of_type && !thing->level_name)
		thing->level_name = states->layout->type->name;
	else if (!is_of_type && facts->object.kind != RST_OBJECT_UNKNOWN)
		thing->level_name = NULL;
}

/*
 * The event before this one passed an item, and this one wakes a thread whose wait is older than the
 * recording: the item went to that thread, and the level is as before.
 */
void levels_pass(struct rst_states *states)
{
	struct thing *thing = states->handing.thing;

	states->handing.thing = NULL;
	if (thing->has_level && thing->level_since.at.seq == states->handing.seq)
		thing->level = number_add(
			thing->level, number_as((uint64_t) - (int64_t)states->handing.more, RST_SIGNED));
}

/* Forgets the level of each pool to which the memory may have been returned. */
void levels_free(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct thing *pool, *next, *left = NULL;

	if (!facts->object.is_unknown)
		return;
	for (pool = states->pools[facts->object.kind]; pool; pool = next) {
		next = pool->next_pool;
		pool->is_listed = pool->origin != states->self->origin;
		if (pool->is_listed) {
			pool->next_pool = left;
			left = pool;
		} else {
			levels_forget(states, pool, states->now);
		}
	}
	states->pools[facts->object.kind] = left;
}

void levels_hide_waiters(struct thing *thing, bool may_be_hidden)
{
	thing->receivers.may_be_hidden = thing->senders.may_be_hidden = may_be_hidden;
}

void levels_forget(struct rst_states *states, struct thing *thing, struct moment at)
{
	if (thing->has_level)
		level_emit(states, thing, at);
	thing->has_level = false;
}
