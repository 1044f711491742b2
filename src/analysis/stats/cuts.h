/* SPDX-License-Identifier: MIT */
/*
 * The moments of losses: a measurement from one event to another is not valid if a loss lies between them.
 * The intervals of a batch end after all of its markers, and a loss ends all intervals that are open then. So
 * the markers of one batch and the last one before are enough.
 */
#ifndef ANALYSIS_STATS_CUTS_H
#define ANALYSIS_STATS_CUTS_H

#include <rastrum/event.h>

enum { CUTS_MAX = 65 };

struct cuts {
	uint64_t at[CUTS_MAX]; /* ticks; the next one goes to n % CUTS_MAX */
	uint64_t n;
};

static inline void cuts_add(struct cuts *cuts, uint64_t at)
{
	cuts->at[cuts->n++ % CUTS_MAX] = at;
}

/* Whether something is lost after the first moment and not after the second. */
static inline bool cuts_between(const struct cuts *cuts, uint64_t from, uint64_t to)
{
	const uint64_t n = cuts->n < CUTS_MAX ? cuts->n : CUTS_MAX;

	for (uint64_t i = 0; i < n; i++)
		if (cuts->at[i] >= from && cuts->at[i] < to)
			return true;
	return false;
}

#endif
