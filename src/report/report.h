/* SPDX-License-Identifier: MIT */
/*
 * From batches to lines. What does not change from event to event is prepared once: each type has a plan (its name, its
 * compiled template, and the key of each field), each context a cell. A format then copies pieces, prints numbers, and
 * has the template run.
 *
 *	report.c        the loop over traces, batches and selected rows
 *	select.c        which rows
 *	explain.c       why it chose nothing
 *	plan.c          what is prepared for each type and context
 *	host.c          what templates ask of an event besides its payload
 *	underway.c      … of what its thread is at work on
 *	value.c         a field's value as JSON
 *	columns.c       the columns of text, and wrap.c its lines on a terminal
 *	format_*.c      one const struct for each output format
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <string.h>

#include <rastrum/rastrum.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "report/columns.h"
#include "report/select.h"
#include "report/times.h"
#include "report/underway.h"
#include "report/value.h"
#include "template/run.h"

struct report;
struct report_line;
struct plan;
struct cell;

struct report_format {
	const char *name; /* as --format takes it */
	const char *summary;

	/*
	 * Headings, before the first line of each trace (report->n_begun counts those before it); also when no trace
	 * could be opened, and report->trace is NULL. NULL: nothing to do.
	 */
	void (*begin)(struct report *report);

	/* The heads of the columns, in front of the first line of each trace, when report->has_head. NULL: none. */
	void (*head)(struct report *report);

	/* Prepares what all events of a type have in common, or all of a context. false when memory ran out. */
	bool (*event_cell)(struct report *report, struct plan *plan, const struct rst_type *type);
	bool (*context_cell)(struct report *report, struct cell *cell, const struct report_line *line);

	/* Writes one event at p, where there is room for the line, and returns its end. */
	char *(*event)(struct report *report, const struct report_line *line, char *p);

	/* Loss or damage. */
	void (*gap)(struct report *report, const struct report_line *line, const struct rst_gap *gap);

	/* A context's cell depends on what it interrupts, or on how deeply: they are part of its key. */
	bool has_interrupted, has_depth;

	/* Who did it stands in a column, so that a text that begins with $EXECPATH begins behind it. */
	bool has_subjects;

	/* A line end between quotes ends no line. */
	bool has_quotes;

	/* An event whose template says $SKIP is a line without text, not no line. */
	bool keeps_skipped;
};

extern const struct report_format report_format_text, report_format_aix, report_format_jsonl,
	report_format_csv;

/* All formats; NULL ends the list. */
extern const struct report_format *const report_formats[];

/* The format of that name; RST_E_USAGE names those that there are. */
enum rst_status report_format_find(
	const char *name, const struct report_format **ret_format, struct rst_error *err);

struct plan_field {
	const struct rst_field *field;
	const char *json_lead; /* ,"queue":, for text_put_short */
	const char *csv_lead;  /* ;queue=, likewise */
	uint32_t json_lead_bytes, csv_lead_bytes;
};

enum {
	PLAN_ID_ROOM = 8,
	CELL_PIECE = 64,
	REPORT_CONTEXT_MAX = 24, /* columns of names that are padded; longer ones shift their line */
};

struct plan {
	const char *cell; /* the event column of text, or the name and id of JSON and CSV */
	size_t cell_bytes;
	unsigned columns;	 /* that the cell takes on a terminal */
	const struct unit *unit; /* how it reads */
	bool is_generated;	 /* made of the type's fields: nobody wrote a template */
	enum level level;
	char id[PLAN_ID_ROOM]; /* as run_put_id() writes it, of 32 bits */
	unsigned n_id;
	size_t room; /* bytes that all of a line can take, but for names and texts longer than VALUE_ROOM */
	unsigned n_fields;
	struct plan_field fields[];
};

struct cell {
	const char *bytes; /* NULL: not prepared yet */
	size_t n_bytes;
	unsigned columns;		   /* that it takes on a terminal */
	const struct rst_context *context; /* and depth of interrupts, that it was prepared for */
	unsigned depth;
	struct cell *other; /* for another interrupt or depth */
};

/* One row of a batch with what was prepared for it. */
struct report_line {
	struct report *report;
	const struct rst_batch *batch;
	size_t row;
	const struct rst_type *type;
	const struct plan *plan;
	const struct cell *context;
	struct value_source values;
};

struct report {
	/* Set by the caller. */
	struct outbuf *out;
	const struct report_format *format;
	const struct select_wish *wish;
	enum time_form time_form;
	struct columns_wish columns_wish;
	unsigned n_columns; /* of the terminal that the lines are wrapped for; 0: they are not */
	bool has_head;
	bool has_color;
	bool has_sources;				    /* several traces: lines say from which */
	void (*progress)(void *context, uint64_t n_events); /* after each batch, or NULL */
	void *progress_context;
	/* A trace was read to its end: why a part of the wish chose nothing; or NULL. */
	void (*explain)(void *context, const char *sentence);
	void *explain_context;
	struct outbuf *heading; /* where the first heading goes, when not to out */

	/* Set by the caller for each trace, both or neither. */
	struct template_set
		*templates;  /* of the trace's dialect; NULL: all texts are made of the events' fields */
	struct diags *diags; /* what is wrong with those that events needed */

	/* Across traces. */
	uint64_t seq;
	unsigned source;
	uint64_t n_left; /* events until --limit */
	unsigned n_begun;

	/* Of the trace being reported. */
	struct rst_trace *trace;
	struct arena arena;
	struct times times;
	struct select select;
	struct plan **plans; /* by type index */
	size_t plans_room;
	struct cell *cells; /* by context index, in two halves: as it is, and as what is interrupted */
	size_t cells_room;
	unsigned columns;		     /* bit n: enum column n is shown */
	unsigned context_width, event_width; /* 0: no line has been written, so they are not known */
	uint16_t core;			     /* the only one so far, or RST_NO_CORE */
	uint64_t last_ticks;
	uint64_t n_events; /* that were read, shown or not */
	bool has_last;
	bool has_begun;
	uint64_t end_ticks; /* of the last row that was read */
	bool has_chosen;    /* some event was selected */
	bool is_started;    /* the first event is there, and with it time and names */

	/* For its templates. What happened to them is in the runner until the next trace. */
	struct runner runner;
	struct entry entry;
	struct template_set *own_templates; /* where the caller has set none */
	struct diags own_diags;
	struct underway underway;
	uint64_t n_lines; /* of events, loss and damage */
	unsigned n_cores; /* seen by templates that asked */
};

/*
 * Reports one trace. RST_END when --limit was reached and no further trace needs to be opened, RST_OK at the end of
 * the trace; otherwise why it ended. Output errors are left in report->out. $STOP in a template ends a report as
 * --limit does.
 */
enum rst_status report_trace(struct report *report, struct rst_trace *trace, struct rst_error *err);

/* The heading, unless the trace's is there already: for a report that comes to no trace. */
void report_begin(struct report *report);

/* The line of a loss or damage for people. */
void report_gap(struct report *report, const struct report_line *line, const struct rst_gap *gap);

/* host.c: who ran, where and when; host_data of its entries is a struct report_line. */
extern const struct entry_host report_host;

/* plan.c: the plan of a type. NULL when memory ran out. */
const struct plan *plan_make(struct report *report, const struct rst_type *type);

static inline const struct plan *plan_of(struct report *report, const struct rst_type *type)
{
	if (__builtin_expect(type->index < report->plans_room && report->plans[type->index], 1))
		return report->plans[type->index];
	return plan_make(report, type);
}

/* plan.c: sets the columns' widths from the rows of the first batch that has any to print. */
void plan_widths(struct report *report, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows);

/* plan.c: the cells of all contexts are made anew when they are needed next. */
void plan_forget_cells(struct report *report);

/* plan.c: makes there be a cell of this index. NULL when memory ran out. */
struct cell *plan_reach_cell(struct report *report, size_t index);

/* Where the cell of a context (or of a context as what is interrupted) is kept. NULL when memory ran out. */
static inline struct cell *plan_cell(struct report *report, const struct rst_context *context, bool is_over)
{
	size_t index = 2 * (size_t)context->index + is_over;

	return __builtin_expect(index < report->cells_room, 1) ? &report->cells[index]
							       : plan_reach_cell(report, index);
}

/* Copies a cell; CELL_PIECE bytes must be readable where it begins, and writable at p. */
static inline char *cell_put(char *p, const char *bytes, size_t n_bytes)
{
	memcpy(p, bytes, CELL_PIECE);
	if (__builtin_expect(n_bytes > CELL_PIECE, 0))
		memcpy(p + CELL_PIECE, bytes + CELL_PIECE, n_bytes - CELL_PIECE);
	return p + n_bytes;
}

/* plan.c: the text of an event, as its template says. Further lines begin at report->runner.margin. */
char *plan_put_text(const struct report_line *line, char *p);

/*
 * plan.c: the same as the last column: where there is no text, or none in its last line, the line ends before the
 * blanks.
 */
char *plan_put_last(const struct report_line *line, char *p);

/*
 * wrap.c: breaks what stands in report->out from offset start to end, which begins in a column of the terminal, into
 * lines that fit it; those behind the first begin in that column, or nearer to the left where little room would be. Blanks
 * where a line ends are dropped, colours take no room. Returns the new end; `room` bytes are left behind it.
 */
char *wrap_text(struct report *report, size_t start, char *end, unsigned column, size_t room);

#endif
