/* SPDX-License-Identifier: MIT */
/*
 * The figures of `rastrum stats`, the findings of `rastrum explain` and the results of `rastrum check`, as
 * tables with rows and typed cells. Say what is wanted, run the analysis once, and read the tables:
 *
 *	rst_trace_open(&trace, "dump.trx", NULL, &err);
 *	rst_analysis_new(&analysis, trace, NULL, &err);
 *	rst_analysis_want_statistics(analysis, "load", &err);
 *	rst_analysis_want_findings(analysis, &err);
 *	rst_analysis_want_rules(analysis, text, strlen(text), "my.rules", &err);
 *	rst_analysis_run(analysis, &err);
 *	for (n = 0; (table = rst_analysis_table(analysis, n)); n++)
 *		for (row = 0; row < rst_table_rows(table); row++)
 *			rst_table_cell(table, row, column, &cell);
 *	analysis = rst_analysis_free(analysis);
 *	trace = rst_trace_free(trace);
 *
 * One scan of the trace serves all of them, in memory that does not grow with the number of events. The
 * figures are those of the commands: one function computes each. docs/STATES.md says what is known, inferred
 * and unknown. One thread per analysis at a time; analyses of different traces are independent.
 */
#ifndef RASTRUM_ANALYSIS_H
#define RASTRUM_ANALYSIS_H

#include <stdbool.h>

#include <rastrum/error.h>
#include <rastrum/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rst_analysis;
struct rst_table;

/*
 * The part of the trace that counts, and how; all zero (or a NULL pointer) is the usual way. Everything is
 * borrowed until rst_analysis_free().
 */
struct rst_analysis_options {
	/*
	 * The first and the last moment that count, as `rastrum stats --from` takes them: "1.5ms", "+4096",
	 * "123". NULL: all.
	 */
	const char *from, *to;
	const char
		*per; /* statistics: rows for each such part of the window, "10ms" or ticks; NULL: one row */
	size_t n_templates;
	const char *const
		*templates; /* files and folders that say what events do, over those that are there */
	/* Called after each batch with the number of events that were read so far; or NULL. */
	void (*progress)(void *context, uint64_t n_events);
	void *progress_context;
};

/*
 * Sets *ret_analysis, which the caller frees with rst_analysis_free() before it frees the trace. The trace is
 * borrowed: none of its batches may have been taken. Its events get the effects that templates describe.
 *
 * Errors: RST_E_NOMEM; RST_E_IO, RST_E_USAGE (a template cannot be read, or has errors).
 */
RST_PUBLIC enum rst_status rst_analysis_new(struct rst_analysis **ret_analysis, struct rst_trace *trace,
	const struct rst_analysis_options *options, struct rst_error *err);

/* NULL is fine; returns NULL. Its tables are gone with it. Errors: none. */
RST_PUBLIC struct rst_analysis *rst_analysis_free(struct rst_analysis *analysis);

/*
 * Asks for a table of `rastrum stats --list`, or for all of them if name is NULL. A table that was asked for
 * before stays one table. Call it before the run.
 *
 * Errors: RST_E_USAGE (no table has this name; the error lists the names).
 */
RST_PUBLIC enum rst_status rst_analysis_want_statistics(
	struct rst_analysis *analysis, const char *name, struct rst_error *err);

/*
 * Asks for the table "findings": what went wrong, the gravest first, a row each. Call it before the run.
 *
 * Errors: none so far; the status is for later versions.
 */
RST_PUBLIC enum rst_status rst_analysis_want_findings(struct rst_analysis *analysis, struct rst_error *err);

/*
 * Asks for the table "rules": a row with the result of each rule, in their order. The bytes are rules as
 * `rastrum check` reads them, and are used up by the call; name is for messages. Call it once, before the
 * run.
 *
 * Errors: RST_E_NOMEM; RST_E_USAGE (a rule cannot be read: "NAME:LINE:COLUMN: what is wrong");
 * RST_E_UNSUPPORTED (a rule in SQL, and SQLite is not installed).
 */
RST_PUBLIC enum rst_status rst_analysis_want_rules(struct rst_analysis *analysis, const char *bytes,
	size_t n_bytes, const char *name, struct rst_error *err);

/*
 * Reads the trace to its end and makes the tables. Call it once. Returns RST_OK also for a trace without an
 * event, and for one that is damaged and could be read past the damage: rst_trace_is_damaged() tells.
 *
 * Errors: RST_E_NOMEM; RST_E_USAGE (from, to or per cannot be read, per makes too many parts, or a rule has a
 * time and the frequency of the clock is not known). RST_E_IO, RST_E_DAMAGED and RST_E_UNSUPPORTED are those
 * of rst_trace_next(): the tables have everything in front of the fault, and the rules are undecided.
 */
RST_PUBLIC enum rst_status rst_analysis_run(struct rst_analysis *analysis, struct rst_error *err);

/*
 * The n-th table: statistics in the order in which they were asked for, then findings, then rules. Returns
 * NULL behind the last one, and before the run. Lives as long as the analysis.
 */
RST_PUBLIC const struct rst_table *rst_analysis_table(const struct rst_analysis *analysis, size_t n);

/* The table with this name, or NULL. Lives as long as the analysis. */
RST_PUBLIC const struct rst_table *rst_analysis_find_table(
	const struct rst_analysis *analysis, const char *name);

/* The window that the tables are about, in ticks. Returns false if the trace has no event. */
RST_PUBLIC bool rst_analysis_window(
	const struct rst_analysis *analysis, uint64_t *ret_from, uint64_t *ret_to);

enum rst_cell_type {
	RST_CELL_WORD,	    /* text */
	RST_CELL_COUNT,	    /* a number of what the column's name or unit says */
	RST_CELL_NUMBER,    /* a whole number that may be negative: a priority */
	RST_CELL_TIME,	    /* a length of time, in ticks */
	RST_CELL_MOMENT,    /* a point in time, in ticks, as in rst_batch.ticks */
	RST_CELL_SHARE,	    /* a fraction: 0.25 is 25 % */
	RST_CELL_REAL,	    /* a number with decimals, of the column's unit */
	RST_CELL_HISTOGRAM, /* how lengths of time are distributed: rst_table_range() */
	RST_N_CELL_TYPES
};

/* "word", "count", …. Static text, any thread. */
RST_PUBLIC const char *rst_cell_type_name(enum rst_cell_type type);

struct rst_column {
	const char *name; /* the same in every output of rastrum; static */
	enum rst_cell_type type;
	const char *unit;  /* "bytes", …; NULL if the name or the type says it */
	const char *about; /* a clause; NULL if the name says it */
};

/*
 * The figure of a cell is what the recording proves. Where the recording has unknown time, the truth may be
 * larger: then has_most is set, and the truth lies between the figure and the most.
 */
struct rst_cell {
	bool is_there;	  /* the figure applies, and the recording tells it */
	bool has_most;	  /* TIME, SHARE, REAL: see above */
	bool has_ns;	  /* TIME, MOMENT: the clock's frequency is known */
	const char *text; /* WORD: text_bytes bytes, as the recording has them, not cleaned */
	size_t text_bytes;
	uint64_t number, most_number; /* COUNT, TIME, MOMENT, and NUMBER as int64_t */
	uint64_t ns, most_ns;	/* the same as nanoseconds, if has_ns; of a MOMENT since the first event */
	double real, most_real; /* SHARE, REAL */
};

/* Facts about a table. Any thread, once the analysis has run. */
RST_PUBLIC const char *rst_table_name(const struct rst_table *table);
RST_PUBLIC size_t rst_table_rows(const struct rst_table *table);
RST_PUBLIC size_t rst_table_columns(const struct rst_table *table);

/* The share of the window's time about which the recording says nothing, from 0 to 1. Any thread. */
RST_PUBLIC double rst_table_unknown(const struct rst_table *table);

/* The n-th column; NULL if the table has no such column. Lives as long as the analysis. Any thread. */
RST_PUBLIC const struct rst_column *rst_table_column(const struct rst_table *table, size_t n);

/* The number of the column with this name. Returns false if the table has no such column. Any thread. */
RST_PUBLIC bool rst_table_find_column(const struct rst_table *table, const char *name, size_t *ret_column);

/* Gets a cell. Returns false if the table has no such row or column. Any thread. */
RST_PUBLIC bool rst_table_cell(
	const struct rst_table *table, size_t row, size_t column, struct rst_cell *ret_cell);

/*
 * Gets the next range of a histogram's cell: `n` times were from..to ticks long, both included. *position is
 * 0 before the first range. Returns false behind the last one, and if the cell is no histogram. Any thread.
 */
RST_PUBLIC bool rst_table_range(const struct rst_table *table, size_t row, size_t column, size_t *position,
	uint64_t *ret_from, uint64_t *ret_to, uint64_t *ret_n);

#ifdef __cplusplus
}
#endif
#endif
