/* SPDX-License-Identifier: MIT */
#include "analysis/allocations.h"

#include <rastrum/object.h>

static uint64_t process_of(const struct rst_effect_facts *facts)
{
	return facts->thread ? facts->thread->process : 0;
}

static bool has_pool(const struct rst_effect_facts *facts)
{
	return facts->object.is_there && !facts->object.is_unknown;
}

/* Memory without a named pool belongs to the process. */
static struct allocation place_of(const struct rst_effect_facts *facts)
{
	const uint64_t process = process_of(facts);

	return (struct allocation){ .pool = has_pool(facts) ? facts->object.id : 0,
		.pool_process = has_pool(facts) ? facts->object.process : process,
		.process = process,
		.address = facts->value };
}

static uint64_t pool_key(const struct allocation *place)
{
	return (place->pool * map_factor() + place->pool_process) * map_factor() + place->address;
}

static uint64_t address_key(const struct allocation *place)
{
	return place->process * map_factor() + place->address;
}

static struct allocation *find_in_pool(const struct allocations *allocations, const struct allocation *place)
{
	struct allocation *allocation = map_find(&allocations->by_pool, pool_key(place));

	while (allocation && (allocation->pool != place->pool || allocation->address != place->address ||
				     allocation->pool_process != place->pool_process))
		allocation = allocation->same;
	return allocation;
}

/*
 * Addresses are used again and again, so the record of a free address stays; a new address does not replace
 * another one.
 */
static struct allocation *allocation_new(struct allocations *allocations, const struct allocation *place)
{
	struct allocation *const first = map_find(&allocations->by_pool, pool_key(place)),
				 *allocation = arena_alloc(&allocations->arena, sizeof(*allocation));

	if (!allocation || !map_set(&allocations->by_pool, pool_key(place), allocation))
		return NULL;
	*allocation = *place;
	allocation->same = first;
	if (allocations->last)
		allocations->last->next = allocation;
	else
		allocations->first = allocation;
	allocations->last = allocation;
	allocations->n++;
	return allocation;
}

struct allocation *allocation_take(struct allocations *allocations, const struct rst_effect_facts *facts,
	size_t run, bool *ret_has_memory)
{
	const struct allocation place = place_of(facts);
	struct allocation *allocation = find_in_pool(allocations, &place);

	*ret_has_memory = true;
	if (!allocation && allocations->n == ALLOCATIONS_MAX)
		return NULL;
	if (!allocation)
		allocation = allocation_new(allocations, &place);
	*ret_has_memory = allocation && map_set(&allocations->by_address, address_key(&place), allocation);
	if (!*ret_has_memory)
		return NULL;
	allocation->process = place.process;
	if (allocation->run != run)
		allocation->record = NULL;
	allocation->run = run;
	return allocation;
}

struct allocation *allocation_given_back(
	const struct allocations *allocations, const struct rst_effect_facts *facts, size_t run)
{
	const struct allocation place = place_of(facts);
	struct allocation *allocation;

	if (!facts->has_value)
		return NULL;
	allocation = find_in_pool(allocations, &place);
	if (!allocation || !allocation->record)
		allocation = map_find(&allocations->by_address, address_key(&place));
	return allocation && allocation->record && allocation->run == run &&
			       allocation->address == place.address
		       ? allocation
		       : NULL;
}

void allocations_done(struct allocations *allocations)
{
	map_done(&allocations->by_pool);
	map_done(&allocations->by_address);
	arena_done(&allocations->arena);
}
