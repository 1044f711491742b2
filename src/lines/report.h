/* SPDX-License-Identifier: MIT */
/*
 * From batches to lines. The texts that do not change from event to event are prepared once: each layout has
 * a plan (its name, its compiled template, and the key of each field), and each context has a cell. The cost
 * of an event is the copies of these texts, the numbers, and the run of its template.
 *
 *	report.c        the loop over batches and selected rows
 *	input.c         prepares one trace, and releases it
 *	select.c        selects rows
 *	explain.c       explains why a selection chose nothing
 *	workers.c       several threads that format
 *	blocks.c        lines of these threads that wait to be written
 *	merge.c         several traces as one, by time
 *	duplicates.c    events that several files have
 *	type_counts.c   how many events of each type were shown
 *	open_spans.c    the open span of each thread, for templates
 *	value.c         a field's value as JSON
 *	columns.c       the columns of text
 *	format.h        plans, cells, lines and output formats
 *	intervals.c     intervals instead of events
 */
#ifndef LINES_REPORT_H
#define LINES_REPORT_H

#include <rastrum/rastrum.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "lines/aix_front.h"
#include "lines/columns.h"
#include "lines/open_spans.h"
#include "lines/type_counts.h"
#include "model/hook.h"
#include "model/passed.h"
#include "select/duplicates.h"
#include "select/select.h"
#include "select/times.h"
#include "template/machine/run.h"

struct report_format;
struct interval_format;
struct report_input;
struct plan;
struct cell;
struct worker;

extern const struct report_format report_format_text, report_format_aix, report_format_jsonl,
	report_format_csv;

/* All formats; NULL ends the list. */
extern const struct report_format *const report_formats[];

/* The format of that name; RST_E_USAGE names those that there are. */
enum rst_status report_format_find(
	const char *name, const struct report_format **ret_format, struct rst_error *err);

/* The user's options: the same for all traces. */
struct report_options {
	const struct report_format *format;
	const struct interval_format *intervals; /* intervals instead of events, in this form; or NULL */
	const struct filter_spec *filter;
	enum time_form time_form;
	struct columns_spec columns;
	const struct aix_look *aix_look; /* for the format aix; NULL: `columns` decides */
	bool has_no_heading;		 /* for the format aix */
	/*
	 * For the format aix: writes the text above the first heading; input may be NULL. The member is NULL
	 * if there is no such text.
	 */
	void (*preface)(struct outbuf *out, const struct report_input *input);
	bool removes_duplicates; /* an event like one of the same time is left out */
	unsigned n_columns;	 /* of the terminal that lines are wrapped for; 0 if they are not */
	bool has_head;
	bool has_color;
	bool has_sources; /* several traces: lines have the number of theirs */
};

/* One trace of a report. Nothing of it is shared with other traces. */
struct report_input {
	/* Set by the caller. */
	struct rst_trace *trace;
	unsigned source; /* its number among the traces */
	struct template_set
		*templates;  /* of the trace's dialect; NULL if all texts are made of the events' fields */
	struct diags *diags; /* what is wrong with those that events needed; with templates */
	/* The trace was read to its end: why a part of the selection chose nothing; or NULL. */
	struct type_counts *counts;	  /* of the events shown; or NULL */
	const struct filter_spec *filter; /* in place of the report's; or NULL */
	void (*explain)(void *context, const char *sentence);
	void *explain_context;
	passed_take *take_passed; /* of a trace that passes over rows; or NULL */
	/*
	 * Finds the hook that AIX's trace has for events of a layout; the events are shown as that hook.
	 * Returns NULL if they are shown as themselves. The member may be NULL.
	 */
	const struct hook *(*hook)(struct rst_trace *trace, const struct rst_layout *layout);

	/* Time, selection, and what was prepared for lines. */
	struct report *report;
	struct arena arena;
	struct text path; /* of the trace, printable; as long as the arena */
	struct times times;
	struct select select;
	struct plan **plans; /* by layout index */
	size_t plans_room;
	struct cell *cells; /* by context index, in two halves: as it is, and as what is interrupted */
	size_t cells_room;

	/* For its templates. The runner keeps their faults after report_trace(). */
	struct runner runner;
	struct entry entry;
	struct text_cache *texts;	    /* of events as they were made before */
	struct template_set *own_templates; /* where the caller has set none */
	struct diags own_diags;
	struct open_spans spans;
	unsigned n_cores; /* counted for templates that use it */

	/* How far it was read. */
	bool is_started;    /* the first event is there, and with it time and names */
	bool has_chosen;    /* some event was selected */
	uint64_t n_events;  /* that were read, shown or not */
	uint64_t end_ticks; /* of the last row that was read */
};

/* Lines from one heading to the next, and what a line shows of those before it. */
struct report_section {
	bool is_begun;			     /* its heading is written */
	unsigned columns;		     /* bit n: enum column n is shown */
	unsigned context_width, event_width; /* 0 if no line has been written, so they are not known */
	uint16_t core;			     /* the only one so far, or RST_NO_CORE */
	uint64_t last_ticks;		     /* of the line before */
	bool has_last;

	/* For the format aix, if several traces are merged by time: the times of the line, in ns or ticks. */
	bool is_merged;
	uint64_t elapsed;
	int64_t delta;
};

/* The page that the format aix is on. */
struct aix_page {
	struct aix_look look;
	struct aix_count count;
	bool counts_ticks, has_pages;
	uint64_t n_before; /* lines of the report above its heading */
	uint64_t n_pages;  /* begun behind the first */
};

/* How another thread gets a trace of its own, of the same input and with the same options. */
struct report_opener {
	/*
	 * Sets trace, templates and diags of the input. Returns false if the trace cannot be opened. close()
	 * is due in any case.
	 */
	bool (*open)(void *context, struct report_input *input, void **ret_owned);
	void (*close)(void *context, struct report_input *input, void *owned);
	void *context;
};

/* One output of one or several traces. */
struct report {
	/* Set by the caller. */
	struct report_options options;
	struct outbuf *out;
	struct outbuf *heading; /* where the first heading goes, when not to out */
	uint64_t n_left;	/* events until --limit */
	void (*progress)(void *context, uint64_t n_events); /* after each batch, or NULL */
	void *progress_context;
	/* Behind each event, by its number from 0 on: out has its lines from byte start on; or NULL. */
	void (*written)(void *context, uint64_t seq, size_t start);
	void *written_context;

	/*
	 * Threads that format; 0, 1: the caller's alone. More of them need to have the trace for themselves.
	 */
	unsigned n_threads;
	const struct report_opener *opener;
	struct worker *worker; /* of the trace that is being reported; NULL: one thread formats all of it */

	/* Across traces. */
	size_t n_merged;  /* traces that are shown as one; 0: each is by itself */
	uint64_t seq;	  /* of the next event */
	uint64_t n_lines; /* of events, loss and damage */
	unsigned n_begun; /* sections */
	struct aix_page page;
	struct duplicates duplicates; /* the caller's, to be freed with duplicates_done() */

	struct report_section section;
};

/*
 * Reports one trace. RST_END when --limit was reached and no further trace needs to be opened, RST_OK at the
 * end of the trace; otherwise why it ended. Output errors are left in report->out. $STOP in a template ends a
 * report as --limit does.
 */
enum rst_status report_trace(struct report *report, struct report_input *input, struct rst_error *err);

/* The heading, unless it is written already; input is NULL for a report without a trace. */
void report_begin(struct report *report, const struct report_input *input);

/* Shows one event of the batch, which is selected. Returns false if memory ran out. */
bool report_row(struct report *report, struct report_input *input, const struct rst_batch *batch, size_t row);

/* Behind the rows of a batch, shown or not. Returns false if memory ran out. */
bool report_end_batch(struct report_input *input, const struct rst_batch *batch);

/* The events of a batch, without loss and damage. */
uint64_t report_count_events(const struct rst_batch *batch);

/* input.c, for report.c: makes what templates need to run, and frees all that was prepared. */
enum rst_status input_prepare(struct report_input *input, struct report *report, struct rst_error *err);
void input_release(struct report_input *input);

/* input.c: binds time and selection to the trace, whose first batch is there. RST_E_USAGE, RST_E_NOMEM. */
enum rst_status input_start(struct report_input *input, const struct rst_batch *first, struct rst_error *err);

/* input.c: updates the clock and the objects. It is due behind each rst_trace_next(). */
void input_refresh(struct report_input *input);

/* input.c: explains why a part of the selection chose nothing, when the trace was read to its end. */
void input_explain(const struct report_input *input);

#endif
