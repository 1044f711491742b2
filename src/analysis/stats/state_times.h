/* SPDX-License-Identifier: MIT */
/*
 * How long a thread, a process or a core was in each state, as far as the recording proves it. Time that is
 * not proved counts as unknown: all of it may have passed in any one state. So a figure is at least the time
 * that is proved in its state, and at most this and the unknown time. `load`, `threads` and `processes` have
 * these figures; run, ready and wait of `rastrum check` sum pieces by the same rule (piece_is_proved()).
 */
#ifndef ANALYSIS_STATS_STATE_TIMES_H
#define ANALYSIS_STATS_STATE_TIMES_H

#include "analysis/observer.h"
#include "analysis/table/table.h"

struct state_times {
	uint64_t ticks[RST_N_STATES];
	uint64_t reasons[RST_N_REASONS]; /* of waiting */
};

static inline void state_times_add(struct state_times *times, const struct piece *piece)
{
	const enum rst_state state = piece_is_proved(piece) ? piece->interval->state : RST_STATE_UNKNOWN;

	times->ticks[state] += piece_ticks(piece);
	if (state == RST_STATE_WAITING)
		times->reasons[piece->interval->reason] += piece_ticks(piece);
}

static inline struct table_cell state_time_cell(const struct state_times *times, enum rst_state state)
{
	const uint64_t least = times->ticks[state];

	return cell_time_between(least, least + times->ticks[RST_STATE_UNKNOWN]);
}

/* The share of a whole, in ticks, that some of the states take together. */
static inline struct table_cell state_share_cell(
	const struct state_times *times, uint64_t proved, uint64_t whole)
{
	return cell_share_between(
		(double)proved, (double)(proved + times->ticks[RST_STATE_UNKNOWN]), (double)whole);
}

#endif
