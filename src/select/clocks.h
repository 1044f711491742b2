/* SPDX-License-Identifier: MIT */
/* Compares the clocks of several traces, so that their events can be put in one order of time. */
#ifndef SELECT_CLOCKS_H
#define SELECT_CLOCKS_H

#include <rastrum/trace.h>

struct clocks {
	bool have_day; /* the time of day is known for all traces with events */
	bool are_one;  /* all of them have the same frequency, or all are unknown */
	bool has_any;
	uint64_t hz; /* of the first trace */
};

extern const struct clocks clocks_none;

/* Takes one more trace, whose first batch was read; one without events counts for nothing. */
void clocks_see(struct clocks *clocks, const struct rst_metadata *metadata);

/*
 * The axis that traces share. Ticks of one clock stay as they are. By the time of day, the ticks of all are
 * those of the clock that was started first, so that none is below 0. Without either, each has an axis of its
 * own.
 */
enum shared_kind { SHARED_CLOCK, SHARED_DAY, SHARED_NOTHING };

struct shared_axis {
	enum shared_kind kind;
	bool is_shown;	  /* of one clock: the time of day shows that it is one */
	size_t reference; /* the trace whose clock counts; SIZE_MAX: ticks of several frequencies */
	struct rst_trace *const *traces; /* borrowed */
};

/* Traces whose first batches were read. */
void shared_axis_choose(struct shared_axis *axis, struct rst_trace *const *traces, size_t n_traces);

/* Ticks of trace n on the axis. */
uint64_t shared_axis_ticks(const struct shared_axis *axis, size_t n, uint64_t ticks);

#endif
