/* SPDX-License-Identifier: MIT */
/*
 * Where events are lost: what is measured from one event to another one is no figure where a loss lies between. Intervals of a
 * batch end behind all of its markers, and those that were open at an earlier loss ended there: the markers of one batch
 * and the last one before are all that must be known.
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

/* Something is lost behind the first moment and not behind the second. */
static inline bool cuts_between(const struct cuts *cuts, uint64_t from, uint64_t to)
{
	const uint64_t n = cuts->n < CUTS_MAX ? cuts->n : CUTS_MAX;

	for (uint64_t i = 0; i < n; i++)
		if (cuts->at[i] >= from && cuts->at[i] < to)
			return true;
	return false;
}

#endif
