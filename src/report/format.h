/* SPDX-License-Identifier: MIT */
/*
 * What an output format is, and what it is given: a line is one row of a batch with what was prepared for its layout (a plan)
 * and for its context (a cell). A format copies these texts, prints numbers, and has the template run.
 *
 *	plan.c          plans and cells
 *	host.c          what templates use of an event besides its payload
 *	wrap.c          lines on a terminal
 *	format_*.c      one const struct for each output format
 */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include <string.h>

#include "base/text.h"
#include "report/quote.h"
#include "report/report.h"

struct report_line;

struct report_format {
	const char *name; /* as --format takes it */
	const char *summary;

	/*
	 * Headings, before the first line of each trace (report->n_begun counts those before it). Also when no trace
	 * could be opened: input is NULL then. NULL: nothing to do.
	 */
	void (*begin)(struct report *report, const struct report_input *input);

	/* The heads of the columns, in front of the first line of each trace, with options.has_head. NULL: none. */
	void (*head)(struct report *report, const struct report_input *input);

	/* Prepares what all events of a layout have in common, or all of a context. false when memory ran out. */
	bool (*event_cell)(struct report_input *input, struct plan *plan, const struct rst_layout *layout);
	bool (*context_cell)(struct report_input *input, struct cell *cell, const struct report_line *line);

	/* Writes one event at p, where there is room for the line, and returns its end. */
	char *(*event)(struct report *report, const struct report_line *line, char *p);

	/* Loss or damage. */
	void (*gap)(struct report *report, const struct report_line *line, const struct rst_gap *gap);

	/* The cell of a context depends on the context it interrupts, or on the depth: they are part of its key. */
	bool has_interrupted, has_depth;

	/* The thread stands in a column, so that a text that begins with $EXECPATH begins behind it. */
	bool has_subjects;

	/* A line end between quotes ends no line. */
	bool has_quotes;

	/* An event whose template runs $SKIP is a line without text, not no line. */
	bool keeps_skipped;
};

struct plan_field {
	const struct rst_field *field;
	const char *json_lead; /* ,"queue":, for text_put_short */
	const char *csv_lead;  /* ;queue=, likewise */
	uint32_t json_lead_bytes, csv_lead_bytes;
	enum value_form form;
};

enum {
	PLAN_ID_ROOM = TEXT_SHORT,
	CELL_COPY = 64,		 /* bytes that are copied at once, however short a cell is */
	REPORT_CONTEXT_MAX = 24, /* columns of names that are padded; longer ones shift their line */
};

struct plan {
	const char *
		cell; /* the event column of text, the name and id of JSON and CSV, or how AIX's lines begin */
	size_t cell_bytes;
	unsigned columns; /* that the cell takes on a terminal; of AIX's lines those in front of the text */
	unsigned n_free;  /* of AIX's lines: columns of aix_front_put(); 0: it does not do */
	const struct unit *unit; /* the compiled template */
	bool is_generated;	 /* made of the type's fields: there is no template for it */
	bool counts;		 /* template_set_counts(); only where threads share the work */
	enum level level;
	const struct hook *hook; /* that its events are shown as; or NULL */
	uint16_t hook_data;	 /* $HD, unless the entry has it */
	char id[PLAN_ID_ROOM];	 /* as run_put_id() writes it, of 32 bits */
	unsigned n_id;
	size_t room; /* bytes that all of a line can take, but for names and texts longer than VALUE_ROOM */
	bool has_quotes; /* the fields may have, or their names */
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
	struct report_input *input;
	const struct rst_batch *batch;
	size_t row;
	const struct rst_layout *layout;
	const struct plan *plan;
	const struct cell *context;
	struct value_source values;
};

/* The line of a loss or damage for people. */
void report_gap(struct report *report, const struct report_line *line, const struct rst_gap *gap);

/* host.c: context, time and core of an event; host_data of its entries is a struct report_line. */
extern const struct entry_host report_host;

/*
 * host.c: the interrupt that the event is in, or the service that it is a call of, since its template stands in the column
 * of system calls. No text: neither.
 */
struct text report_service(const struct report_line *line);

/* plan.c: the plan of a layout. NULL when memory ran out. */
const struct plan *plan_make(struct report_input *input, const struct rst_layout *layout);

static inline const struct plan *plan_of(struct report_input *input, const struct rst_layout *layout)
{
	if (__builtin_expect(layout->index < input->plans_room && input->plans[layout->index], 1))
		return input->plans[layout->index];
	return plan_make(input, layout);
}

/* plan.c: sets the columns' widths from the rows of the first batch that has any to print. */
void plan_widths(
	struct report_section *section, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows);

/* plan.c: the cells of all contexts are made anew when they are needed next. */
void plan_forget_cells(struct report_input *input);

/* plan.c: makes there be a cell of this index. NULL when memory ran out. */
struct cell *plan_reach_cell(struct report_input *input, size_t index);

/* Where the cell of a context (or of a context as what is interrupted) is kept. NULL when memory ran out. */
static inline struct cell *plan_cell(
	struct report_input *input, const struct rst_context *context, bool is_interrupted)
{
	size_t index = 2 * (size_t)context->index + is_interrupted;

	return __builtin_expect(index < input->cells_room, 1) ? &input->cells[index]
							      : plan_reach_cell(input, index);
}

/* Copies a cell; CELL_COPY bytes must be readable where it begins, and writable at p. */
static inline char *cell_put(char *p, const char *bytes, size_t n_bytes)
{
	memcpy(p, bytes, CELL_COPY);
	if (__builtin_expect(n_bytes > CELL_COPY, 0))
		memcpy(p + CELL_COPY, bytes + CELL_COPY, n_bytes - CELL_COPY);
	return p + n_bytes;
}

/* plan.c: an AIX entry as its template sees it. */
void plan_see_hook(struct entry *entry, const struct report_line *line);

/* The text of an event, as its template makes it. Further lines begin at input->runner.margin. */
static inline char *plan_put_text(const struct report_line *line, char *p)
{
	struct report_input *input = line->input;
	struct entry *entry = &input->entry;
	const struct rst_context *context = line->batch->context[line->row];

	if (__builtin_expect(line->layout->hook_bytes != 0, 0)) {
		plan_see_hook(entry, line);
	} else {
		entry->bytes = line->values.payload;
		entry->n_bytes = line->values.payload_bytes;
		entry->hook_data = line->plan->hook_data;
		entry->hook_bytes = (uint32_t)line->values.payload_bytes;
	}
	entry->seq = line->values.seq;
	entry->process = line->values.process;
	entry->path = (struct text){ context->name, context->name_bytes };
	entry->has_bare_path = context->kind != RST_CONTEXT_THREAD || !context->has_name;
	entry->host_data = line;
	return run_unit(&input->runner, line->plan->unit, entry, p);
}

/* The same as the last column: where there is no text, or none in its last line, the line ends before the blanks. */
static inline char *plan_put_last(const struct report_line *line, char *p)
{
	const struct report *report = line->report;

	p = plan_put_text(line, p);
	if (__builtin_expect(value_position(&line->values, p) == line->input->runner.line, 0))
		while (p > report->out->start && p[-1] == ' ')
			p--;
	return p;
}

/*
 * The fields of an event, each behind its lead; addresses are in quotes for JSON. Most are numbers, of which the plan knows how they
 * are written.
 */
static inline char *plan_put_fields(
	const struct value_source *from, char *p, const struct plan *plan, bool is_json)
{
	for (unsigned i = 0; i < plan->n_fields; i++) {
		const struct plan_field *planned = &plan->fields[i];
		const struct rst_field *field = planned->field;
		const char *lead = is_json ? planned->json_lead : planned->csv_lead;
		const size_t n_lead = is_json ? planned->json_lead_bytes : planned->csv_lead_bytes;
		const bool is_known = planned->form != VALUE_ANY &&
				      (uint64_t)field->offset + field->n_bytes <= from->payload_bytes;
		uint64_t number;

		if (__builtin_expect(!is_known, 0)) {
			if (value_is_idle(from, field))
				continue;
			p = text_put_short(p, lead, n_lead);
			p = (is_json ? value_put_json : value_put_bare)(from, p, field);
			continue;
		}
		number = load_uint(from->payload + field->offset, field->n_bytes, field->is_big_endian);
		if (field->is_spare && !number)
			continue;
		p = text_put_short(p, lead, n_lead);
		if (planned->form == VALUE_DECIMAL) {
			p = text_put_dec(p, number);
			continue;
		}
		*p = '"';
		p = text_put_hex(p + is_json, number);
		*p = '"';
		p += is_json;
	}
	return p;
}

/* format_jsonl.c: the fields of an event as a JSON object; there is room for the line at p. */
char *jsonl_put_fields(const struct value_source *from, char *p, const struct plan *plan);

/*
 * wrap.c: breaks the text of report->out from offset start to end, which begins in a column of the terminal, into
 * lines that fit it; those behind the first begin in that column, or nearer to the left where little room would be. Blanks
 * where a line ends are dropped, colours take no room. Returns the new end; `room` bytes are left behind it.
 */
char *wrap_text(struct report *report, size_t start, char *end, unsigned column, size_t room);

#endif
