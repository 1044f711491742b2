/* SPDX-License-Identifier: MIT */
/*
 * Statistics: each table is one const struct in one array, and one scan fills all tables that the user wants.
 * An analysis is an observer (analysis/observer.h) which keeps its figures in a state of its own. With a
 * width of time (--per) it has one state for each part of the window, and an interval is given to every part
 * that it reaches into.
 *
 *	const struct analysis analysis_locks = { .observer = { … }, .name = "locks", .columns = columns, … };
 *
 * Figures of single intervals (counts, the longest, percentiles) belong to the part in which the interval
 * ends, or begins if begins are counted. Sums of time are sums of the pieces.
 */
#ifndef ANALYSIS_STATS_STATS_H
#define ANALYSIS_STATS_STATS_H

#include "analysis/changes.h"
#include "analysis/edges.h"
#include "analysis/scan.h"
#include "analysis/table/table.h"
#include "base/limit.h"

/* The basis of the unknown share of a table. */
enum analysis_basis {
	BASIS_EVENTS, /* of the window: the time in which events are lost */
	/* of the time of all cores: the time in which it is not known what ran; without cores, as threads */
	BASIS_CORES,
	BASIS_THREADS, /* of the time of all threads: the time in which it is not known what they did */
};

struct analysis {
	struct observer_kind observer;
	const char *name;  /* of the table */
	const char *about; /* one line of --list */
	const struct table_column *columns;
	size_t n_columns;
	size_t order; /* the column by which rows are sorted, largest first; n_columns: as they were met */
	enum analysis_basis basis;
	uint8_t page_rows; /* at most, on the page that is shown first; 0 if the table is not on it */
	bool (*change)(void *state,
		const struct change *change); /* of a thread, in the order in which intervals end */
	/*
	 * Makes the row of one of the first records in the state; window is the length of this state's.
	 * Returns false if memory ran out.
	 */
	bool (*record)(void *state, const void *record, struct table *table, uint64_t window);
	/* In its place: makes all rows; from and to are those of this state's window, in ticks. */
	bool (*rows)(void *state, struct table *table, uint64_t from, uint64_t to);
};

/* All analyses; NULL ends the list. */
extern const struct analysis *const analyses[];

/* Returns RST_E_USAGE, with the existing names, if a name is unknown. */
enum rst_status analysis_find(const char *name, const struct analysis **ret_analysis, struct rst_error *err);

enum { ANALYSES_MAX = 16, STATS_PARTS_MAX = LIMIT(10000, 8) };

/* How much of the time is known, for `unknown`. */
struct coverage {
	uint64_t cores, cores_unknown; /* ticks of all cores */
	uint64_t lost;		       /* in which events are lost */
	uint64_t lost_from;	       /* the last event before a loss that is still open … */
	bool is_lost;		       /* … if one is */
};

struct part {
	void *states
		[ANALYSES_MAX]; /* by index of the analysis among those that are wanted; NULL: nothing yet */
	struct coverage coverage;
};

/* The content of the window. */
struct overview {
	uint64_t n_events;
	uint64_t n_losses, n_lost; /* places, and events as far as their number is known */
	bool has_unknown_loss;	   /* some places have no known number */
	uint64_t n_damages;
	unsigned n_cores;
	uint64_t cores[(UINT16_MAX + 1) / 64]; /* bit n: core n */
};

/* One run of some analyses over a trace. */
struct stats {
	/* Set by the caller. */
	const struct analysis *analyses[ANALYSES_MAX];
	size_t n_analyses;
	const char
		*per_text; /* length of one part, as the user writes it; NULL if the window is the only one */

	uint64_t per; /* the same in ticks, or 0 */

	struct observer_kind observer;
	const struct scan *scan;
	struct observers observers; /* of the analyses; its states are those of the present part */
	uint32_t wants_changes;	    /* bit n: the n-th analysis wants it */
	struct changes changes;	    /* of threads, all of which are met there */
	size_t n_ended;		    /* threads whose last run is counted, behind the scan */
	struct edges edges;	    /* where the recording begins and stops */
	struct overview overview;
	struct part *parts;
	size_t n_parts, room;
	size_t present;			   /* the part that was asked for last, where n_parts is not 0 … */
	uint64_t present_from, present_to; /* … from its begin, to before its end */
	bool has_too_many;		   /* parts: those beyond share the last one */
};

/* Becomes an observer of a scan that is about to run. */
void stats_init(struct stats *stats, struct scan *scan);

/* Makes the rows of a state whose window is given, in ticks. Returns false if memory ran out. */
bool analysis_rows(
	const struct analysis *analysis, void *state, struct table *table, uint64_t from, uint64_t to);

/*
 * After the scan: the table of the n-th analysis, which is the caller's; table_done() is due in any case.
 * RST_E_NOMEM.
 */
enum rst_status stats_table(struct stats *stats, size_t n, struct table *ret_table, struct rst_error *err);

/* The share of the window that is not known, of a basis. */
double stats_unknown(const struct stats *stats, enum analysis_basis basis);

void stats_done(struct stats *stats);

#endif
