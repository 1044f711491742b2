/* SPDX-License-Identifier: MIT */
/*
 * From batches to lines. What does not change from event to event is prepared once: each type has a plan (its name
 * and the text in front of each field), each context a cell. A format then only copies pieces and prints numbers.
 *
 *	report.c        the loop over traces, batches and selected rows
 *	select.c        which rows
 *	plan.c          what is prepared for each type and context
 *	value.c         a field's value as text or JSON
 *	format_*.c      one const struct for each output format
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <rastrum/rastrum.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "report/select.h"
#include "report/times.h"
#include "report/value.h"

struct report;
struct report_line;
struct plan;
struct cell;

struct report_format {
	const char *name; /* as --format takes it */
	const char *summary;

	/* Before the first line of all; NULL: nothing to do. */
	void (*begin)(struct report *report);

	/* Prepares what all events of a type have in common, or all of a context. false when memory ran out. */
	bool (*event_cell)(struct report *report, struct plan *plan, const struct rst_type *type);
	bool (*context_cell)(struct report *report, struct cell *cell, const struct report_line *line);

	/* Writes one event at p, where there is room for the line, and returns its end. */
	char *(*event)(struct report *report, const struct report_line *line, char *p);

	/* Loss or damage. */
	void (*gap)(struct report *report, const struct report_line *line, const struct rst_gap *gap);

	/* A context's cell depends on what it interrupts and how deeply: they are part of its key. */
	bool has_nesting;
};

extern const struct report_format report_format_text, report_format_jsonl, report_format_csv;

/* All formats; NULL ends the list. */
extern const struct report_format *const report_formats[];

/* The format of that name; RST_E_USAGE names those that there are. */
enum rst_status report_format_find(
	const char *name, const struct report_format **ret_format, struct rst_error *err);

struct plan_field {
	const struct rst_field *field;
	const char *text_lead; /* ", queue=", for text_put_short */
	const char *json_lead; /* ,"queue":, likewise */
	uint32_t text_lead_bytes, json_lead_bytes;
};

struct plan {
	const char *cell; /* the event column of text, or the name and id of JSON and CSV */
	size_t cell_bytes;
	size_t room; /* bytes that all of a line can take, but for names and texts longer than VALUE_ROOM */
	unsigned n_fields;
	struct plan_field fields[];
};

struct cell {
	const char *bytes; /* NULL: not prepared yet */
	size_t n_bytes;
	unsigned depth;	    /* of interrupts, that it was prepared for */
	struct cell *other; /* the same at another depth */
};

/* One row of a batch with what was prepared for it. */
struct report_line {
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
	bool has_color;
	bool has_sources;				    /* several traces: lines say from which */
	void (*progress)(void *context, uint64_t n_events); /* after each batch, or NULL */
	void *progress_context;

	/* Across traces. */
	uint64_t seq;
	unsigned source;
	uint64_t n_left; /* events until --limit */

	/* Of the trace being reported. */
	struct rst_trace *trace;
	struct arena arena;
	struct times times;
	struct select select;
	struct plan **plans; /* by type index */
	size_t plans_room;
	struct cell *cells; /* by context index, in two halves: as it is, and as what is interrupted */
	size_t cells_room;
	unsigned context_width, event_width;
	uint64_t last_ticks;
	bool has_last;
	bool is_started; /* the first event is there, and with it time and names */
};

/*
 * Reports one trace. RST_END when --limit was reached and no further trace needs to be opened, RST_OK at the end of
 * the trace; otherwise why it ended. Output errors are left in report->out.
 */
enum rst_status report_trace(struct report *report, struct rst_trace *trace, struct rst_error *err);

/* plan.c: the plan of a type. NULL when memory ran out. */
const struct plan *plan_make(struct report *report, const struct rst_type *type);

static inline const struct plan *plan_of(struct report *report, const struct rst_type *type)
{
	if (__builtin_expect(type->index < report->plans_room && report->plans[type->index], 1))
		return report->plans[type->index];
	return plan_make(report, type);
}

/* plan.c: sets the columns' widths from the names that are known when the first row is printed. */
void plan_widths(struct report *report, const struct rst_batch *batch);

/* plan.c: where the cell of a context (or of a context as what is interrupted) is kept. NULL when memory ran out. */
struct cell *plan_cell(struct report *report, const struct rst_context *context, bool is_over);

/* plan.c: all fields of an event as text, "queue=q1, enqueued=3". */
char *plan_put_text(const struct report_line *line, char *p);

#endif
