/* SPDX-License-Identifier: MIT */
/* Which memory is allocated: by pool and address. Addresses beyond a bound are not known. */
#ifndef ANALYSIS_STATS_ALLOCATIONS_H
#define ANALYSIS_STATS_ALLOCATIONS_H

#include "base/arena.h"
#include "base/limit.h"
#include "base/map.h"

enum { ALLOCATIONS_MAX = LIMIT(262144, 16) }; /* addresses of which is known whether they are allocated */

struct allocation {
	uint64_t pool, address;
	struct allocation *next; /* of the same key */
	uint64_t n_bytes;
	size_t run;   /* the caller's: the one in which it was allocated */
	void *record; /* the caller's; NULL: it is free */
};

struct allocations {
	struct map map;
	struct arena arena;
	size_t n;
};

/*
 * The allocation at an address, NULL: it is not known. With wants_new one is made where there is none, unless there are as many as
 * there may be. Its record is the caller's to set; an allocation without a record is there no more.
 */
struct allocation *allocation_at(struct allocations *allocations, uint64_t pool, uint64_t address,
	bool wants_new, bool *ret_has_memory);

void allocations_done(struct allocations *allocations);

#endif
