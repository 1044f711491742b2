/* SPDX-License-Identifier: MIT */
/*
 * Output formats and their input. A line is one row of a batch, with the texts that were prepared for its
 * layout (a plan) and for its context (a cell). A format copies these texts, prints numbers, and runs the
 * template.
 *
 *	plan.c          plans and cells
 *	host.c          what templates use of an event besides its payload
 *	wrap.c          lines on a terminal
 *	format_*.c      one const struct for each output format
 */
#ifndef LINES_FORMAT_H
#define LINES_FORMAT_H

#include <string.h>

#include "base/text.h"
#include "lines/quote.h"
#include "lines/report.h"
#include "lines/text_cache.h"

struct report_line;

struct report_format {
	const char *name; /* as --format takes it */
	const char *summary;

	/*
	 * Writes the heading before the first line of each trace (report->n_begun counts earlier headings).
	 * It is also called if no trace could be opened; input is NULL then. The member is NULL if there is
	 * nothing to do.
	 */
	void (*begin)(struct report *report, const struct report_input *input);

	/*
	 * With options.has_head: writes the heads of the columns before each trace's first line. May be NULL.
	 */
	void (*head)(struct report *report, const struct report_input *input);

	/*
	 * Prepare the common text of all events of a layout, or of a context. Return false if memory ran out.
	 */
	bool (*event_cell)(struct report_input *input, struct plan *plan, const struct rst_layout *layout);
	bool (*context_cell)(struct report_input *input, struct cell *cell, const struct report_line *line);

	/* Writes one event at p, which has room for the line, and returns the end of the line. */
	char *(*event)(struct report *report, const struct report_line *line, char *p);

	/*
	 * Writes rows as event() does, with lines_put(), up to one that it leaves; returns how many. line has
	 * all but the row. Returns NULL if it has no such way.
	 */
	size_t (*events)(struct report_line *line, const uint16_t *rows, size_t n_rows);

	/* Writes loss or damage. */
	void (*gap)(struct report *report, const struct report_line *line, const struct rst_gap *gap);

	/*
	 * The cell of a context depends on the context it interrupts, or on the depth: they are part of its
	 * key.
	 */
	bool has_interrupted, has_depth;

	/* The thread has a column, so a text that begins with $EXECPATH begins behind it. */
	bool has_subjects;

	/* A line end between quotes does not end the line. */
	bool has_quotes;

	/* event() needs the line's values: it shows fields by themselves. */
	bool has_values;

	/* An event whose template runs $SKIP still has a line, but without text. */
	bool keeps_skipped;
};

struct plan_field {
	const struct rst_field *field;
	const char *json_lead; /* ,"queue":, for text_put_short */
	const char *csv_lead;  /* ;queue=, likewise */
	uint32_t json_lead_bytes, csv_lead_bytes;
	enum value_form form;

	/* For plain numbers, as in the field. */
	uint64_t need; /* bytes of payload up to its end; UINT64_MAX if it is not a plain number */
	uint32_t offset, n_bytes;
	bool is_big_endian, is_spare;
};

enum {
	PLAN_ID_ROOM = TEXT_SHORT,
	CELL_COPY = 64,		   /* bytes that are copied at once, however short a cell is … */
	CELL_ROOM = 2 * CELL_COPY, /* … so that so many more must be there than it has */
	REPORT_CONTEXT_MAX = 24,   /* columns of names that are padded; longer ones shift their line */
};

struct plan {
	const char *
		/* the event column of text, the name and id of JSON and CSV, or how AIX's lines begin */
		cell;
	size_t cell_bytes;
	unsigned columns; /* that the cell takes on a terminal; of AIX's lines those in front of the text */
	unsigned n_free;  /* of AIX's lines: columns of aix_front_put(); 0 if it does not do */
	const struct unit *unit; /* the compiled template */
	struct text_use
		*use;	   /* of the cache of texts; NULL: its texts depend on more than its events' bytes */
	bool is_generated; /* made of the type's fields: there is no template for it */
	bool counts;	   /* template_set_counts(); only where threads share the work */
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
	const char *bytes; /* NULL until it is prepared */
	size_t n_bytes;
	unsigned columns;		   /* that it takes on a terminal */
	const struct rst_context *context; /* and depth of interrupts, that it was prepared for */
	const char *name;		   /* that the context, or what is interrupted, had then */
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
 * host.c: the interrupt that the event is in, or the service that it is a call of, since its template stands
 * in the column of system calls. No text: neither.
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

/* plan.c: forgets the cells of all contexts. Each is made again when it is needed next. */
void plan_forget_cells(struct report_input *input);

/* plan.c: makes sure that a cell of this index exists. Returns NULL if memory ran out. */
struct cell *plan_reach_cell(struct report_input *input, size_t index);

/*
 * plan.c: the cell of the row's context. A cell that is missing is made: one for each depth, and one for each
 * interrupt over the same context. Returns NULL if memory ran out.
 */
const struct cell *plan_context(struct report_input *input, const struct report_line *line);

/*
 * Finds the place of a context's cell (or of its cell as an interrupted context). Returns NULL if memory ran
 * out.
 */
static inline struct cell *plan_cell(
	struct report_input *input, const struct rst_context *context, bool is_interrupted)
{
	size_t index = 2 * (size_t)context->index + is_interrupted;

	return __builtin_expect(index < input->cells_room, 1) ? &input->cells[index]
							      : plan_reach_cell(input, index);
}

/*
 * Sees a row for which all is prepared: a plan, which markers never have, and the cell of its context as it
 * stands there. Returns false if something is to be made, or it is a marker.
 */
static inline bool line_see(const struct report_format *format, struct report_line *line, size_t row)
{
	const struct report_input *input = line->input;
	const struct rst_batch *batch = line->batch;
	const struct rst_context *context = batch->context[row],
				 *interrupted =
					 format->has_interrupted ? rst_batch_interrupted(batch, row) : NULL;
	const struct rst_layout *layout = batch->layout[row];
	const struct rst_context *named = interrupted ? interrupted : context;
	const size_t index = 2 * (size_t)named->index + (interrupted != NULL);
	const unsigned depth = format->has_depth ? rst_batch_depth(batch, row) : 0;
	const struct cell *cell;

	if (__builtin_expect(layout->index >= input->plans_room || index >= input->cells_room, 0))
		return false;
	line->plan = input->plans[layout->index];
	cell = &input->cells[index];
	while (__builtin_expect(cell->context != context || cell->depth != depth, 0))
		if ((cell = cell->other) == NULL)
			return false;
	line->row = row;
	line->layout = layout;
	line->context = cell;
	return line->plan != NULL && cell->bytes != NULL && cell->name == named->name;
}

/* Where the values of a row are read from. */
static inline void values_open(struct value_source *values, const struct rst_batch *batch, size_t row)
{
	values->payload = batch->payload[row];
	values->payload_bytes = batch->payload_bytes[row];
	values->seq = batch->seq[row];
	values->process = batch->context[row]->process;
}

/* Bytes that a line can take, but for long names and texts. */
static inline size_t line_room(const struct report_line *line)
{
	return line->plan->room + line->context->n_bytes + line->plan->cell_bytes;
}

/*
 * report.c: counts a line that stands from start to end, or takes it back; and what else is to be done behind
 * one.
 */
void report_line_end(const struct report_line *line, size_t start, char *end);

/*
 * The loop of report_format.events, of which each format that calls it has its own: format and event are
 * constants there. The rows that it leaves are the ones that need anything made, or more room.
 */
static inline __attribute__((always_inline)) size_t lines_put(const struct report_format *format,
	struct report_line *line, const uint16_t *rows, size_t n_rows,
	char *(*event)(struct report *report, const struct report_line *line, char *p))
{
	struct report *report = line->report;
	const struct runner *runner = &line->input->runner;
	struct outbuf *out = report->out;
	const char *const room_end = out->end;
	size_t i;

	for (i = 0; i < n_rows && line_see(format, line, rows[i]); i++) {
		const size_t start = (size_t)(out->at - out->start);
		char *end;

		if (__builtin_expect((size_t)(room_end - out->at) < line_room(line), 0))
			break;
		if (format->has_values) {
			values_open(&line->values, line->batch, line->row);
			line->values.room_after = line->plan->room;
		}
		end = event(report, line, out->at);
		/* It is no line, the last one, several, or one that needed a larger buffer. */
		if (__builtin_expect(runner->outcome != RUN_DONE || runner->line != runner->start ||
					     out->end != room_end,
			    0)) {
			report_line_end(line, start, end);
			return i + 1;
		}
		out->at = end;
		report->section.last_ticks = line->batch->ticks[line->row];
		report->section.has_last = true;
		report->seq++;
		report->n_lines++;
		report->n_left--;
	}
	return i;
}

/*
 * Copies a cell, in pieces of CELL_COPY: what is behind it up to the end of one must be readable, and
 * writable behind p.
 */
static inline char *cell_put(char *p, const char *bytes, size_t n_bytes)
{
	memcpy(p, bytes, CELL_COPY);
	for (size_t at = CELL_COPY; __builtin_expect(at < n_bytes, 0); at += CELL_COPY)
		memcpy(p + at, bytes + at, CELL_COPY);
	return p + n_bytes;
}

/* plan.c: an AIX entry as its template sees it. */
void plan_see_hook(struct entry *entry, const struct report_line *line);

/* The text of an event, as its template makes it. */
static inline char *plan_run_text(const struct report_line *line, char *p)
{
	struct report_input *input = line->input;
	struct entry *entry = &input->entry;
	const struct rst_batch *batch = line->batch;
	const struct rst_context *context = batch->context[line->row];

	if (__builtin_expect(line->layout->hook_bytes != 0, 0)) {
		plan_see_hook(entry, line);
	} else {
		entry->bytes = batch->payload[line->row];
		entry->n_bytes = entry->hook_bytes = batch->payload_bytes[line->row];
		entry->start = 0;
		entry->is_generic = false;
		entry->hook_type = 0;
		entry->n_variable = 0;
		entry->hook_data = line->plan->hook_data;
	}
	entry->seq = batch->seq[line->row];
	entry->process = context->process;
	entry->path = (struct text){ context->name, context->name_bytes };
	entry->has_bare_path = context->kind != RST_CONTEXT_THREAD || !context->has_name;
	entry->host_data = line;
	return run_unit(&input->runner, line->plan->unit, entry, p);
}

/* The same, or a copy of it from the cache. Further lines begin at input->runner.margin. */
static inline char *plan_put_text(const struct report_line *line, char *p)
{
	struct text_use *use = line->plan->use;

	return use && text_use_is_due(use) ? text_cache_put(line->input->texts, use, line, p)
					   : plan_run_text(line, p);
}

/*
 * The same as the last column: where there is no text, or none in its last line, the line ends before the
 * blanks.
 */
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
 * The fields of an event, each behind its lead; addresses are in quotes for JSON. Most are numbers, of which
 * the plan knows how they are written.
 */
static inline char *plan_put_fields(
	const struct value_source *from, char *p, const struct plan *plan, bool is_json)
{
	for (unsigned i = 0; i < plan->n_fields; i++) {
		const struct plan_field *planned = &plan->fields[i];
		const char *lead = is_json ? planned->json_lead : planned->csv_lead;
		const size_t n_lead = is_json ? planned->json_lead_bytes : planned->csv_lead_bytes;
		const uint8_t *at;
		uint64_t number;

		if (__builtin_expect(planned->need > from->payload_bytes, 0)) {
			if (value_is_idle(from, planned->field))
				continue;
			p = text_put_short(p, lead, n_lead);
			p = (is_json ? value_put_json : value_put_bare)(from, p, planned->field);
			continue;
		}
		at = from->payload + planned->offset;
		number = planned->n_bytes == 4 ? load_u32(at, planned->is_big_endian)
					       : load_uint(at, planned->n_bytes, planned->is_big_endian);
		if (planned->is_spare && !number)
			continue;
		p = text_put_short(p, lead, n_lead);
		if (planned->form == VALUE_DECIMAL) {
			p = text_put_dec_over(p, number);
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
 * wrap.c: breaks the text of report->out from offset start to end into lines that fit the terminal. The text
 * begins in the given column. Later lines begin in that column, too, or nearer to the left if little room
 * would remain. Blanks at the end of a line are dropped; colours take no room. Returns the new end; `room`
 * bytes are left behind it.
 */
char *wrap_text(struct report *report, size_t start, char *end, unsigned column, size_t room);

#endif
