/* SPDX-License-Identifier: MIT */
/*
 * One pass over a trace for tables, findings and rules. Each of them is an observer, and lists the rows,
 * effects and intervals that it needs. The scan feeds the state engine, cuts its intervals to the window that
 * the user has selected, and hands them on.
 *
 *	rows     as batches have them: events, losses, damages and new runs that are selected
 *	effects  of selected rows, read once, by the state engine
 *	pieces   of selected intervals, behind the effects of their batch, in the order of their ends
 *	beginnings of selected intervals: locks that are taken, interrupts that come
 *	step     when all of a batch has been handed on: time has come so far
 */
#ifndef ANALYSIS_SCAN_H
#define ANALYSIS_SCAN_H

#include <rastrum/rastrum.h>

#include "report/select.h"
#include "report/times.h"

/* The part of an interval that lies in the window, or in one part (--per) of the window. */
struct piece {
	const struct rst_interval *interval;
	uint64_t from, to; /* ticks; from < to */
	uint64_t begin;	   /* its begin in the window; before `from` if it lies in an earlier part */
	bool has_begin;	   /* an event in the window began it, at begin */
	bool has_end;	   /* … ended it, at to */
};

/* For sums of time, of which each part gets its share. */
static inline uint64_t piece_ticks(const struct piece *piece)
{
	return piece->to - piece->from;
}

/*
 * It ends here, was recorded from its begin to its end, and nothing in it is lost: its length, which is piece_length(), is
 * a figure of the target.
 */
static inline bool piece_is_whole(const struct piece *piece)
{
	return piece->has_begin && piece->has_end && piece->interval->certainty != RST_CERTAINTY_UNKNOWN;
}

static inline uint64_t piece_length(const struct piece *piece)
{
	return piece->to - piece->begin;
}

/* An event began it here, and not in an earlier part. */
static inline bool piece_begins(const struct piece *piece)
{
	return piece->has_begin && piece->from == piece->begin;
}

/* An effect of an event. */
struct occurrence {
	const struct rst_batch *batch;
	size_t row;
	uint64_t at;  /* ticks, which never step back */
	uint64_t seq; /* of the event, as intervals have it */
	size_t run;   /* new runs before it; nothing from an earlier run exists any more */
	const struct rst_effect_facts *facts;
};

struct scan;

/*
 * The others return false if memory ran out, which ends the scan. A function that the observer does not need
 * is NULL.
 */
struct observer {
	void *context;
	uint32_t effects;   /* bit n: enum rst_effect_kind n */
	uint32_t intervals; /* bit n: enum rst_interval_kind n */
	/* The clock and the zero of times are known; the window begins at or behind that. A failure ends the scan. */
	enum rst_status (*start)(void *context, const struct scan *scan, struct rst_error *err);
	bool (*row)(void *context, const struct rst_batch *batch, size_t row, uint64_t at);
	bool (*batch)(void *context, const struct rst_batch *batch); /* after the rows of a batch */
	bool (*effect)(void *context, const struct occurrence *occurrence);
	bool (*piece)(void *context, const struct piece *piece);
	/* An interval of those kinds begins; called between the pieces that end before and after that. */
	bool (*beginning)(void *context, const struct rst_beginning *beginning);
	bool (*step)(void *context, const struct scan *scan);
};

#define SCAN_BIT(n) (UINT32_C(1) << (n))

struct scan {
	/* Set by the caller. */
	struct rst_trace *trace;
	const struct filter_spec *filter;
	const struct observer *const *observers;
	size_t n_observers;
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
	uint64_t from, to;    /* the window: of the first event to the last one, or what is selected of it */
	uint64_t now;	      /* ticks of the last row */
	uint64_t n_events;    /* that were read, selected or not */
	uint64_t n_rows_lost; /* losses and damages among the selected rows */
	uint64_t *runs;	      /* the ticks behind which new runs begin, … */
	size_t n_runs, runs_room, run; /* … and how many of them are in front of the present effect */

	uint64_t seq; /* events before row seq_row of the present batch */
	size_t seq_row;
	const bool *taken; /* of the present batch, by row; NULL: all */
	bool has_no_memory;
};

/* The number of an event whose row is given, as intervals have it; of a loss, that of the next event. */
static inline uint64_t row_seq(const struct scan *scan, const struct rst_batch *batch, size_t row)
{
	return scan->n_events - (batch->type[row]->marker == RST_EVENT);
}

/*
 * Reads the trace to its end. Returns RST_OK, also for a trace without an event (not is_started). On an
 * error, returns the status of rst_trace_next(), after it has handed on everything read before. Returns
 * RST_E_USAGE if a moment or core of the filter is wrong. scan_done() is due in any case.
 */
enum rst_status scan_run(struct scan *scan, struct rst_error *err);
void scan_done(struct scan *scan);

#endif
