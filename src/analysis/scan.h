/* SPDX-License-Identifier: MIT */
/*
 * One pass over a trace for tables, findings and rules. Each of them is an observer (observer.h). The scan
 * feeds the state engine, cuts its intervals to the window that the user has selected, and hands them on.
 */
#ifndef ANALYSIS_SCAN_H
#define ANALYSIS_SCAN_H

#include "analysis/observer.h"
#include "select/select.h"
#include "select/times.h"

struct scan {
	/* Set by the caller. */
	struct rst_trace *trace;
	const struct filter_spec *filter;
	struct observers observers; /* observers_add() */
	void (*progress)(
		void *context, uint64_t n_events); /* after each batch, and between many pieces; or NULL */
	void *progress_context;

	/* How far it is. */
	struct rst_states *states;
	struct select select; /* with is_started */
	struct times times;   /* likewise: the unit of ticks */
	bool is_started;      /* the zero of times is known, mostly by the first event */
	bool has_event;	      /* the first event is there */
	uint32_t intervals;   /* with is_started: bits of those that an observer wants */
	uint64_t to_selected; /* the end of what the user selects */
	uint64_t from, to;    /* the window: of the first event to the last one, or what is selected of it */
	uint64_t now;	      /* ticks of the last row */
	uint64_t n_events;    /* that were read, selected or not */
	uint64_t n_selected;  /* events that were selected */
	uint64_t n_rows_lost; /* losses and damages among the selected rows */
	uint64_t *runs;	      /* the ticks behind which new runs begin, … */
	size_t n_runs, runs_room, run; /* … and how many of them are in front of the present effect */

	uint64_t seq; /* events before row seq_row of the present batch */
	size_t seq_row;
	const bool *taken; /* of the present batch, by row; NULL: all */
	const uint64_t *
		/*
		 * by row of the present batch: its number in the recording that the trace is a part of, or
		 * NULL
		 */
		numbers;
	bool has_no_memory;
};

/* The number of an event whose row is given, as intervals have it; of a loss, that of the next event. */
static inline uint64_t row_seq(const struct scan *scan, const struct rst_batch *batch, size_t row)
{
	if (scan->numbers)
		return scan->numbers[row];
	return scan->n_events - (batch->type[row]->marker == RST_EVENT);
}

/* How many events the numbers of row_seq() are for: in a part of a recording, those of the recording. */
static inline uint64_t scan_n_numbers(const struct scan *scan)
{
	const struct rst_carried *carried = rst_trace_carried(scan->trace);

	return carried ? carried->n_events : scan->n_events;
}

/*
 * Reads the trace to its end. Returns RST_OK, also for a trace without an event (not is_started). On an
 * error, returns the status of rst_trace_next(), after it has handed on everything read before. Returns
 * RST_E_USAGE if a moment or core of the filter is wrong. scan_done() is due in any case.
 */
enum rst_status scan_run(struct scan *scan, struct rst_error *err);
void scan_done(struct scan *scan);

#endif
