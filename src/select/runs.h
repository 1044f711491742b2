/* SPDX-License-Identifier: MIT */
/*
 * The numbers of runs. The first run is number 1, and the marker of each new run has its number. A part of a
 * recording has the numbers of the recording. In a merged recording numbers may come again; then each run has
 * the number behind the one before it.
 */
#ifndef SELECT_RUNS_H
#define SELECT_RUNS_H

#include <rastrum/event.h>

/* The number of the run in front of the first marker. */
static inline uint64_t run_number_first(const struct rst_gap *marker)
{
	return marker->n_events > 1 ? marker->n_events - 1 : 1;
}

/* The number of the run that begins at a marker, behind the run `before`. */
static inline uint64_t run_number_behind(uint64_t before, const struct rst_gap *marker)
{
	return marker->n_events > before ? marker->n_events : before + (before < UINT64_MAX);
}

#endif
