/* SPDX-License-Identifier: MIT */
/*
 * Records of objects. Process, kind and id identify an object. If the id is an address, the kind does not
 * count, because fields may name one object by different kinds. If the id is a number, each kind has its own
 * numbers.
 */
#include "base/array.h"
#include "state/states.h"

static uint64_t thing_key(const struct rst_ref *ref)
{
	return ref->id ^ ref->process << 40 ^ (ref->is_number ? (uint64_t)ref->kind << 56 : 0);
}

static bool is_it(const struct thing *thing, const struct rst_ref *ref)
{
	return thing->ref.id == ref->id && thing->ref.process == ref->process &&
	       thing->ref.is_number == ref->is_number && (!ref->is_number || thing->ref.kind == ref->kind);
}

static struct thing *thing_new(struct rst_states *states, uint64_t key, const struct rst_ref *ref)
{
	struct thing *thing, **all;

	if (states->n_things == STATES_THINGS_MAX)
		return NULL;
	all = array_room(states->all_things, states->n_things, &states->things_room, sizeof(struct thing *));
	if (all)
		states->all_things = all;
	thing = all ? arena_alloc(&states->arena, sizeof(*thing)) : NULL;
	if (thing) {
		*thing = (struct thing){
			.next = map_find(&states->things, key), .ref = *ref, .origin = states->self->origin
		};
		levels_hide_waiters(thing, true);
		if (map_set(&states->things, key, thing))
			return all[states->n_things++] = thing;
	}
	states->has_no_memory = true;
	return NULL;
}

static struct thing *thing_find(struct rst_states *states, const struct rst_ref *ref)
{
	const uint64_t key = thing_key(ref);
	struct thing *thing = map_find(&states->things, key);

	while (thing && !is_it(thing, ref))
		thing = thing->next;
	return thing ? thing : thing_new(states, key, ref);
}

/* Finds the record of an object of the recording, and stores it by index for the next time. */
static __attribute__((noinline)) struct thing *thing_of_object(
	struct rst_states *states, const struct rst_ref *ref)
{
	struct thing **found = array_reach(
		states->found_things, &states->found_room, ref->object->index, sizeof(struct thing *));

	if (!found) {
		states->has_no_memory = true;
		return NULL;
	}
	states->found_things = found;
	return found[ref->object->index] = thing_find(states, ref);
}

struct thing *thing_before(struct rst_states *states, const struct rst_ref *ref)
{
	const uint32_t index = ref->object ? ref->object->index : UINT32_MAX;
	struct thing *thing = index < states->found_room ? states->found_things[index] : NULL;

	if (!ref->is_there || ref->is_unknown)
		return NULL;
	if (!thing || !is_it(thing, ref))
		thing = ref->object ? thing_of_object(states, ref) : thing_find(states, ref);
	return thing;
}

struct thing *thing_of(struct rst_states *states, const struct rst_ref *ref)
{
	struct thing *thing = thing_before(states, ref);

	if (thing && (ref->object || ref->kind != RST_OBJECT_UNKNOWN))
		thing->ref = *ref;
	return thing;
}
