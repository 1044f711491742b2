/* SPDX-License-Identifier: MIT */
#include "analysis/stats/allocations.h"

/* Addresses are used again and again, so what is free stays where it is found; a new address takes no other one's place. */
struct allocation *allocation_at(struct allocations *allocations, uint64_t pool, uint64_t address,
	bool wants_new, bool *ret_has_memory)
{
	const uint64_t key = pool * map_factor() + address;
	struct allocation *first = map_find(&allocations->map, key), *allocation = first;

	*ret_has_memory = true;
	while (allocation && (allocation->pool != pool || allocation->address != address))
		allocation = allocation->next;
	if (allocation || !wants_new || allocations->n == ALLOCATIONS_MAX)
		return allocation;
	allocation = arena_alloc(&allocations->arena, sizeof(*allocation));
	if (!allocation || !map_set(&allocations->map, key, allocation)) {
		*ret_has_memory = false;
		return NULL;
	}
	allocations->n++;
	*allocation = (struct allocation){ .pool = pool, .address = address, .next = first };
	return allocation;
}

void allocations_done(struct allocations *allocations)
{
	map_done(&allocations->map);
	arena_done(&allocations->arena);
}
