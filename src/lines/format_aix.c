/* SPDX-License-Identifier: MIT */
/*
 * The layout of AIX reports, as aix_line.h draws it. Which columns there are, options.aix_look has, or else
 * --columns with thread and core. An event without a template has its constant in front of its fields.
 */
#include "base/text.h"
#include "lines/format.h"
#include "template/machine/code.h"

/* Converts the columns of --columns to columns of this layout. */
static struct aix_look look_of_columns(unsigned shown)
{
	return (struct aix_look){ .columns = 1U << AIX_ID |
					     (unsigned)columns_has(shown, COLUMN_THREAD) << AIX_EXEC |
					     (unsigned)columns_has(shown, COLUMN_CORE) << AIX_CPU };
}

static bool counts_ticks(const struct report_input *input)
{
	return input && !rst_trace_metadata(input->trace)->clock_hz;
}

/* If there are several traces, each has a line with its name and units, since they share one heading. */
static void aix_begin(struct report *report, const struct report_input *input)
{
	const bool is_in_ticks = counts_ticks(input);
	struct aix_page *page = &report->page;
	struct outbuf *out = report->out;

	if (report->n_begun == 0) {
		page->look = report->options.aix_look ? *report->options.aix_look
						      : look_of_columns(report->options.columns.shown);
		aix_look_measure(&page->look);
		page->has_pages = page->look.page_lines && !report->options.has_no_heading;
		if (!report->options.has_no_heading && report->options.preface)
			report->options.preface(out, input);
		if (!report->options.has_no_heading && outbuf_reserve(out, AIX_HEADING_ROOM)) {
			out->at = aix_line_heading(out->at, &page->look, is_in_ticks);
			page->n_before = report->n_lines;
		}
	}
	page->counts_ticks = is_in_ticks;
	if (!report->options.has_sources || !input)
		return;
	outbuf_puts(out, "*** ");
	outbuf_clean(out, rst_trace_metadata(input->trace)->path);
	outbuf_puts(out, is_in_ticks ? ", in ticks\n" : ", in seconds and milliseconds\n");
}

/*
 * A further page begins with a form feed and the heading. This text belongs to the event that follows: if a
 * template removes that event, the next event writes the text again.
 */
static char *put_page(struct report *report, char *p)
{
	struct aix_page *page = &report->page;
	const unsigned n_heading = aix_line_heading_lines(&page->look);
	const uint64_t n_body = page->look.page_lines > n_heading ? page->look.page_lines - n_heading : 1;
	const bool is_taken_back = page->n_pages && report->n_lines == page->n_before;

	if (!is_taken_back && report->n_lines - page->n_before < n_body)
		return p;
	page->n_before = report->n_lines;
	page->n_pages += !is_taken_back;
	*p++ = '\f';
	return aix_line_heading(p, &page->look, page->counts_ticks);
}

/*
 * Makes the beginning of lines of the usual look, and behind it the constant, for events without a template.
 */
static bool aix_event_cell(struct report_input *input, struct plan *plan, const struct rst_layout *layout)
{
	const struct rst_type *type = layout->type;
	const size_t n_label = strlen(type->label) + plan->unit->stanza->label.n_bytes;
	const struct aix_look *look = &input->report->page.look;
	const struct text id = { plan->id, plan->n_id };
	char *cell = arena_alloc(&input->arena, AIX_FRONT_BYTES + type->name_bytes + CELL_ROOM), *constant;

	if (!cell)
		return false;
	constant = cell + AIX_FRONT_BYTES;
	plan->columns = aix_front_make(cell, look, id, plan->level);
	plan->n_free = aix_look_is_usual(look) && plan->n_id < look->elapsed_end
			       ? look->elapsed_end - plan->n_id
			       : 0;
	plan->cell = cell;
	plan->cell_bytes =
		(size_t)(text_put_literal(text_put(constant, type->name, type->name_bytes), " ") - cell);
	plan->room += AIX_LINE_ROOM + AIX_HEADING_ROOM + 4 * n_label +
		      4 * strlen(rst_trace_metadata(input->trace)->path);
	return true;
}

/* The name of the context, or "-" if it is not known. */
static bool aix_context_cell(struct report_input *input, struct cell *cell, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row];
	const bool is_known = context->kind != RST_CONTEXT_UNKNOWN;
	const struct text name = { is_known ? context->name : "-", is_known ? context->name_bytes : 1 };
	char *bytes = arena_alloc(&input->arena, name.n_bytes + CELL_ROOM);

	if (!bytes)
		return false;
	text_put(bytes, name.bytes, name.n_bytes);
	cell->bytes = bytes;
	cell->n_bytes = name.n_bytes;
	cell->columns = (unsigned)text_columns(bytes, name.n_bytes);
	return true;
}

/* --- columns in front of the times ---------------------------------------------------------------------- */

enum { NUMBER_ROOM = 24 };

static struct text format_aix_put_number(char *number, bool is_known, uint64_t value, bool is_decimal)
{
	char *end = !is_known	 ? text_put_literal(number, "-")
		    : is_decimal ? text_put_dec(number, value)
				 : text_put_hex(number, value);

	return (struct text){ number, (size_t)(end - number) };
}

static struct text cell_id(const struct report_line *line, char *number)
{
	(void)number;
	return (struct text){ line->plan->id, line->plan->n_id };
}

static struct text cell_exec(const struct report_line *line, char *number)
{
	(void)number;
	return (struct text){ line->context->bytes, line->context->n_bytes };
}

static struct text cell_cpu(const struct report_line *line, char *number)
{
	const uint16_t core = rst_batch_core(line->batch, line->row);

	return format_aix_put_number(number, core != RST_NO_CORE, core, true);
}

static struct text cell_pid(const struct report_line *line, char *number)
{
	const uint64_t process = line->batch->context[line->row]->process;

	return format_aix_put_number(number, process != 0, process, true);
}

static struct text cell_tid(const struct report_line *line, char *number)
{
	const struct rst_context *context = line->batch->context[line->row];

	return format_aix_put_number(
		number, context->kind == RST_CONTEXT_THREAD, context->id, context->is_number);
}

static struct text cell_svc(const struct report_line *line, char *number)
{
	const struct text service = report_service(line);

	(void)number;
	return service.n_bytes ? service : (struct text){ "-", 1 };
}

static struct text cell_file(const struct report_line *line, char *number)
{
	const char *name = text_file_name(line->input->path.bytes);

	(void)number;
	return (struct text){ name, strlen(name) };
}

static void put_front(struct aix_line *at, const struct report_line *line)
{
	static struct text (*const cells[N_AIX_COLUMNS])(const struct report_line *line, char *number) = {
		[AIX_ID] = cell_id,
		[AIX_EXEC] = cell_exec,
		[AIX_CPU] = cell_cpu,
		[AIX_PID] = cell_pid,
		[AIX_TID] = cell_tid,
		[AIX_SVC] = cell_svc,
		[AIX_FILE] = cell_file,
	};
	/* A column of a terminal for each byte. */
	static const bool is_plain[N_AIX_COLUMNS] = {
		[AIX_ID] = true, [AIX_CPU] = true, [AIX_PID] = true, [AIX_TID] = true
	};
	char number[NUMBER_ROOM];

	for (unsigned left = at->look->columns; left; left &= left - 1) {
		const unsigned column = (unsigned)__builtin_ctz(left);
		const struct text text = cells[column](line, number);

		if (is_plain[column]) {
			aix_line_put(at, (enum aix_column)column, text, (unsigned)text.n_bytes);
			continue;
		}
		aix_line_put(at, (enum aix_column)column, text,
			column == AIX_EXEC ? line->context->columns
					   : (unsigned)text_columns(text.bytes, text.n_bytes));
	}
}

/* --- an event ------------------------------------------------------------------------------------------- */

static void format_aix_see_times(
	struct aix_times *shown, const struct report *report, const struct report_line *line)
{
	const uint64_t ticks = line->batch->ticks[line->row],
		       last = report->section.has_last ? report->section.last_ticks : ticks;
	const struct times *times = &line->input->times;

	shown->is_ticks = times->hz == 0;
	shown->elapsed = ticks - times->first;
	shown->delta = (int64_t)(ticks - last);
	if (report->section.is_merged) {
		shown->elapsed = report->section.elapsed;
		shown->delta = report->section.delta;
	} else if (times->hz) {
		shown->elapsed = times_ns(times, ticks);
		shown->delta = times_distance_ns(times, last, ticks);
	}
}

/* Any look; and times that are too wide for their columns. */
static __attribute__((noinline)) char *format_aix_put_any(
	struct report *report, const struct report_line *line, char *p, struct aix_times *times)
{
	struct aix_line at = { .look = &report->page.look, .count = &report->page.count, .at = p };
	char clock[TIMES_ROOM];

	times->clock = (struct text){ NULL, 0 };
	if (at.look->stamp == AIX_STAMP_CLOCK)
		times->clock = (struct text){ clock,
			(size_t)(times_put(&line->input->times, clock, line->batch->ticks[line->row]) -
				 clock) };
	put_front(&at, line);
	aix_line_times(&at, times, line->plan->level);
	return at.at;
}

static char *aix_event(struct report *report, const struct report_line *line, char *p)
{
	struct aix_page *page = &report->page;
	const struct plan *plan = line->plan;
	struct aix_times times;

	if (page->has_pages)
		p = put_page(report, p);
	format_aix_see_times(&times, report, line);
	if (plan->n_free && aix_front_put(p, plan->cell, plan->n_free, &page->look, &page->count, &times))
		p += plan->columns;
	else
		p = format_aix_put_any(report, line, p, &times);
	line->input->runner.margin = plan->columns;
	if (plan->is_generated)
		p = cell_put(p, plan->cell + AIX_FRONT_BYTES, plan->cell_bytes - AIX_FRONT_BYTES);
	p = plan_put_last(line, p);
	if (plan->is_generated)
		while (p[-1] == ' ')
			p--;
	*p++ = '\n';
	return p;
}

static size_t aix_events(struct report_line *line, const uint16_t *rows, size_t n_rows)
{
	return lines_put(&report_format_aix, line, rows, n_rows, aix_event);
}

const struct report_format report_format_aix = {
	.name = "aix",
	.summary = "columns as AIX reports have them: hook id, elapsed and delta time, text by level",
	.begin = aix_begin,
	.event_cell = aix_event_cell,
	.context_cell = aix_context_cell,
	.event = aix_event,
	.events = aix_events,
	.gap = report_gap,
};
