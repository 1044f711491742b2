/* SPDX-License-Identifier: MIT */
/*
 * The origins of a merged trace are the traces from which it was made. Ids are valid only within their own
 * trace, so the merged trace has a process for each origin. If objects and contexts belong to the whole
 * target in their own trace, they belong to that process in the merged one. The processes of an origin keep
 * their numbers, unless an earlier trace has the same number; then they get another one.
 */
#ifndef MODEL_ORIGINS_H
#define MODEL_ORIGINS_H

#include <rastrum/trace.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/limit.h"
#include "base/map.h"

enum { ORIGINS_MAX = LIMIT(4096, 8), ORIGIN_PROCESSES_MAX = LIMIT(65536, 32) };

/*
 * The properties of the ids of one trace. Without a merge, struct objects and struct contexts have these
 * members.
 */
struct origin {
	struct rst_origin public; /* first */
	uint32_t number;	  /* from 1 on */
	const char *noun;
	uint64_t scoped_kinds, thread_mask;
	bool is_by_kind, is_counted;
};

/* A process of the merged trace. */
struct origin_process {
	uint64_t number;
	uint64_t own; /* its number in its own trace; 0 if it stands for the trace */
	const struct origin *origin;
};

struct origins {
	struct origin **all; /* by number - 1 */
	size_t n_all, room;
	struct map processes;		  /* struct origin_process by number */
	struct origin_process **in_order; /* processes that do not stand for a trace, as they were added */
	size_t n_in_order, in_order_room;
	struct origin **ended; /* the origins that have ended, in the order of their ends */
	size_t n_ended, ended_room;
	uint64_t factor; /* map_factor() */
};

/*
 * Adds a copy of the origin, and its process. The texts are borrowed. Returns false if memory ran out, or
 * there are too many origins.
 */
bool origins_add(struct origins *origins, struct arena *arena, const struct origin *origin);

/* Notes that the origin has no row after these ticks. Returns false if memory ran out. */
bool origins_end(struct origins *origins, uint32_t origin, uint64_t ticks);

/*
 * Adds a process of an origin (its number: from 1 on), unless the number is taken. Returns false if memory
 * ran out, or there are too many processes.
 */
bool origins_add_process(
	struct origins *origins, struct arena *arena, uint32_t origin, uint64_t number, uint64_t own);

static inline const struct origin_process *origins_process(const struct origins *origins, uint64_t number)
{
	return map_find(&origins->processes, number);
}

/* The process to which ids of a kind belong, if an event of `process` names them. */
static inline uint64_t origins_scope(
	const struct origins *origins, uint64_t process, enum rst_object_kind kind)
{
	const struct origin_process *found = origins_process(origins, process);

	if (!found)
		return process;
	return found->own && found->origin->scoped_kinds >> kind & 1 ? process
								     : found->origin->public.process;
}

/* Whether both ids belong to one thread of an origin. */
static inline bool origins_is_same(
	const struct origins *origins, uint32_t origin, uint64_t id, uint64_t other)
{
	check(origin >= 1 && origin <= origins->n_all);
	const uint64_t mask = origins->all[origin - 1]->thread_mask;

	return ((id ^ other) & (mask ? mask : UINT64_MAX)) == 0;
}

void origins_done(struct origins *origins);

#endif
