/* SPDX-License-Identifier: MIT */
/*
 * Which memory is allocated, by pool and address: for `memory` of stats and for leaks of explain, which must
 * agree.
 *
 * A recording may name no pool where memory goes back (nx_packet_release). The address tells: what was
 * allocated there last is what goes back. Addresses beyond a bound are not followed.
 */
#ifndef ANALYSIS_ALLOCATIONS_H
#define ANALYSIS_ALLOCATIONS_H

#include <rastrum/effect.h>

#include "base/arena.h"
#include "base/limit.h"
#include "base/map.h"

enum { ALLOCATIONS_MAX = LIMIT(262144, 16) }; /* addresses of which is known whether they are allocated */

/* An address of a pool. The caller sets only the members that it keeps there. */
struct allocation {
	struct allocation *same; /* of the same key */
	struct allocation *next; /* the one that was made behind it */
	uint64_t pool, pool_process, process, address;
	void *record; /* the caller's; NULL if the memory is free, or its fate is not known */
	void *thread; /* the caller's: what allocated it */
	uint64_t at, seq, n_bytes;
	/* the one in which it was allocated: a target that is started anew has nothing any more */
	size_t run;
	bool has_bytes;
};

struct allocations {
	struct map by_pool;    /* pool and address, to the first of that key */
	struct map by_address; /* process and address, to what was allocated there last */
	struct arena arena;
	struct allocation *first, *last; /* in the order in which they were made */
	size_t n;
};

/*
 * Where the effect of an allocation, whose address is known, puts it in this run. Its record may still be
 * that of an allocation of the same run whose end was not recorded. Returns NULL if there are as many as may
 * be followed, or, where *ret_has_memory is false, memory ran out.
 */
struct allocation *allocation_take(struct allocations *allocations, const struct rst_effect_facts *facts,
	size_t run, bool *ret_has_memory);

/*
 * Finds the allocation that a free gives back: one of this run with a record. Returns NULL if no such
 * allocation is known.
 */
struct allocation *allocation_given_back(
	const struct allocations *allocations, const struct rst_effect_facts *facts, size_t run);

/*
 * Whether the effect shows that the memory is free from then on. Some events are recorded before a call that
 * may free it (LiteOS's MEM_REALLOC): then the fate of the memory is not known.
 */
static inline bool allocation_is_freed(const struct rst_effect_facts *facts)
{
	return facts->phase == RST_DONE;
}

void allocations_done(struct allocations *allocations);

#endif
