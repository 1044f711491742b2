/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/similar.h"
#include "report/explain.h"

enum { TAIL_ROOM = 64 }; /* of a line, behind its text */

const struct report_format *const report_formats[] = {
	&report_format_text,
	&report_format_aix,
	&report_format_jsonl,
	&report_format_csv,
	NULL,
};

enum rst_status report_format_find(
	const char *name, const struct report_format **ret_format, struct rst_error *err)
{
	struct similar similar = similar_to(name);
	char advice[SIMILAR_TEXT_MAX];

	for (size_t i = 0; report_formats[i]; i++) {
		*ret_format = report_formats[i];
		if (strcmp(name, report_formats[i]->name) == 0)
			return RST_OK;
		similar_offer(&similar, report_formats[i]->name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no format '%s'", name);
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return RST_E_USAGE;
}

/* The cell of the row's context: one for each depth, and for each interrupt over the same context. */
static const struct cell *context_cell(struct report *report, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row],
				 *interrupted = line->batch->interrupted[line->row];
	bool has_interrupted = report->format->has_interrupted && interrupted != NULL;
	struct cell *cell = plan_cell(report, has_interrupted ? interrupted : context, has_interrupted);
	unsigned depth = report->format->has_depth ? line->batch->depth[line->row] : 0;

	while (cell && cell->bytes && (cell->depth != depth || cell->context != context)) {
		if (!cell->other)
			cell->other = arena_alloc(&report->arena, sizeof(*cell));
		cell = cell->other;
	}
	if (!cell || cell->bytes)
		return cell;
	cell->depth = depth;
	cell->context = context;
	return report->format->context_cell(report, cell, line) ? cell : NULL;
}

void report_begin(struct report *report)
{
	struct outbuf *out = report->out;

	if (report->has_begun)
		return;
	report->has_begun = true;
	if (report->heading && report->n_begun == 0)
		report->out = report->heading;
	if (report->format->begin)
		report->format->begin(report);
	report->out = out;
	report->n_begun++;
}

void report_gap(struct report *report, const struct report_line *line, const struct rst_gap *gap)
{
	enum { MARK = 4, BEHIND = 16 };
	struct outbuf *out = report->out;
	size_t start;

	(void)line;
	if (report->has_color)
		outbuf_puts(out, "\033[1;31m");
	outbuf_puts(out, "*** ");
	start = (size_t)(out->at - out->start);
	if (gap->marker == RST_DAMAGE && gap->n_bytes)
		outbuf_printf(out, "DAMAGE at byte %llu, %llu byte%s: ", (unsigned long long)gap->offset,
			(unsigned long long)gap->n_bytes, gap->n_bytes == 1 ? "" : "s");
	else if (gap->marker == RST_DAMAGE)
		outbuf_printf(out, "DAMAGE at byte %llu: ", (unsigned long long)gap->offset);
	else if (gap->n_events)
		outbuf_printf(out, "LOST %llu event%s: ", (unsigned long long)gap->n_events,
			gap->n_events == 1 ? "" : "s");
	else
		outbuf_puts(out, "LOST an unknown number of events: ");
	outbuf_puts(out, gap->what);
	if (report->n_columns)
		out->at = wrap_text(report, start, out->at, MARK, BEHIND);
	outbuf_puts(out, report->has_color ? "\033[0m\n" : "\n");
}

/* Lines of what the event came to: more than one where its template has them. */
static uint64_t count_lines(const struct report *report, size_t start)
{
	const char *at = report->out->start + start;
	uint64_t n_lines = 0;

	if (__builtin_expect(report->runner.line == report->runner.start, 1))
		return 1;
	while ((at = memchr(at, '\n', (size_t)(report->out->at - at))) != NULL) {
		n_lines++;
		at++;
	}
	return n_lines;
}

/* Writes the line, or takes it back; an event that is not shown is none for --limit and for the time to the next. */
static void report_line_put(struct report *report, const struct report_line *line)
{
	const struct report_format *format = report->format;
	struct outbuf *out = report->out;
	size_t start = (size_t)(out->at - out->start);

	report->runner.outcome = RUN_DONE;
	out->at = format->event(report, line, out->at);
	if (__builtin_expect(report->runner.outcome == RUN_SKIP && !format->keeps_skipped, 0)) {
		out->at = out->start + start;
		return;
	}
	report->last_ticks = line->batch->ticks[line->row];
	report->has_last = true;
	report->seq++;
	report->n_lines += count_lines(report, start);
	report->n_left = __builtin_expect(report->runner.outcome == RUN_STOP, 0) ? 0 : report->n_left - 1;
	/* A long line has made the buffer larger; lines to come must not have it filled before it is written out. */
	if (__builtin_expect(out->at - out->start > OUTBUF_BYTES, 0))
		outbuf_flush(out);
}

static bool report_event(struct report *report, struct report_line *line)
{
	report->has_chosen = true;
	line->plan = plan_of(report, line->type);
	line->context = context_cell(report, line);
	if (!line->plan || !line->context)
		return false;
	if (!outbuf_reserve(report->out, line->plan->room + line->context->n_bytes + line->plan->cell_bytes))
		return true; /* remembered in out->error */
	line->values.payload = line->batch->payload[line->row];
	line->values.payload_bytes = line->batch->payload_bytes[line->row];
	line->values.seq = line->batch->seq[line->row];
	line->values.room_after = line->plan->room;
	report_line_put(report, line);
	return true;
}

static void report_marker(struct report *report, const struct report_line *line)
{
	report->format->gap(report, line, rst_batch_gap(line->batch, line->row));
	report->n_lines++;
}

/* Before the first line of a trace is written. */
static void report_first(
	struct report *report, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	plan_widths(report, batch, rows, n_rows);
	if (report->has_head && report->format->head)
		report->format->head(report);
}

/* From the batch on in which a second core is met, lines say which, unless it was asked for or not wanted. */
static void watch_cores(struct report *report, const struct rst_batch *batch)
{
	if ((report->columns_wish.hidden | report->columns) >> COLUMN_CORE & 1)
		return;
	for (size_t i = 0; i < batch->n_events; i++)
		if (batch->core[i] != report->core && batch->core[i] != RST_NO_CORE) {
			if (report->core != RST_NO_CORE) {
				report->columns |= 1U << COLUMN_CORE;
				return;
			}
			report->core = batch->core[i];
		}
}

/* Markers do not count for --limit, but those behind the last event wanted are left out with it. */
static bool report_batch(struct report *report, const struct rst_batch *batch)
{
	uint16_t rows[RST_BATCH_EVENTS];
	size_t n_rows = select_rows(&report->select, batch, rows);
	struct report_line line = {
		.report = report, .batch = batch, .values = { .out = report->out, .trace = report->trace }
	};

	watch_cores(report, batch);
	if (!report->context_width && n_rows && report->n_left)
		report_first(report, batch, rows, n_rows);
	for (size_t i = 0; i < n_rows && report->n_left; i++) {
		line.row = rows[i];
		line.type = batch->type[rows[i]];
		if (line.type->marker != RST_EVENT)
			report_marker(report, &line);
		else if (!report_event(report, &line))
			return false;
	}
	return !report->underway.is_wanted || underway_end_batch(&report->underway, batch);
}

/* Entries of AIX are known by their hook. */
static bool has_hooks(const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++)
		if (batch->type[i]->hook_bytes)
			return true;
	return false;
}

/*
 * What is bound to the trace's time and names, once its first event is there. Markers may come before; the only moments
 * they are selected by, and shown with, are then unknown.
 */
static enum rst_status report_start(
	struct report *report, const struct rst_batch *first, struct rst_error *err)
{
	error_try(times_init(&report->times, report->time_form, rst_trace_metadata(report->trace), err));
	error_try(select_init(&report->select, report->wish, report->trace, err));
	report->columns = columns_apply(&report->columns_wish,
		columns_default(report->n_columns) | (unsigned)has_hooks(first) << COLUMN_EVENT);
	report->runner.omits_subject =
		report->format->has_subjects && columns_has(report->columns, COLUMN_THREAD);
	report->runner.counts_ticks = report->times.hz == 0;
	report->is_started = true;
	return RST_OK;
}

/* Markers in front of everything. */
static void report_markers(struct report *report, const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct report_line line = {
			.report = report, .batch = batch, .row = i, .type = batch->type[i]
		};

		if (line.type->marker != RST_EVENT)
			report_marker(report, &line);
	}
}

static uint64_t count_events(const struct rst_batch *batch)
{
	uint64_t n_events = 0;

	for (size_t i = 0; i < batch->n_events; i++)
		n_events += batch->type[i]->marker == RST_EVENT;
	return n_events;
}

static enum rst_status report_batches(struct report *report, struct rst_error *err)
{
	static const struct rst_batch none;
	const struct rst_batch *batch;
	enum rst_status status;
	uint64_t n_events = 0;

	while ((status = rst_trace_next(report->trace, &batch, err)) == RST_OK) {
		n_events += batch->n_events;
		report->n_events += count_events(batch);
		if (batch->n_events)
			report->end_ticks = batch->ticks[batch->n_events - 1];
		if (!report->is_started && rst_trace_metadata(report->trace)->has_first_ticks)
			error_try(report_start(report, batch, err));
		report_begin(report);
		if (!report->is_started)
			report_markers(report, batch);
		else if (!report_batch(report, batch))
			return error_nomem(err);
		if (report->n_left == 0 || report->out->error)
			return RST_END;
		if (report->progress)
			report->progress(report->progress_context, n_events);
	}
	/* A wish that cannot be read is told for a trace without events, too. */
	if (status == RST_END && !report->is_started)
		error_try(report_start(report, &none, err));
	return status == RST_END ? RST_OK : status;
}

static const struct set_off colors[N_SET_OFF] = {
	[SET_OFF_OBJECT] = { "\033[33m", "\033[39m", 5, 5 },
	[SET_OFF_THREAD] = { "\033[36m", "\033[39m", 5, 5 },
};

/* What templates need to run. */
static enum rst_status report_prepare(struct report *report, struct rst_error *err)
{
	report->runner =
		(struct runner){ .out = report->out, .trace = report->trace, .room_after = TAIL_ROOM };
	report->runner.set_off = report->has_color && report->format->has_subjects ? colors : set_off_quotes;
	report->entry = (struct entry){ .host = &report_host };
	report->runner.timers = calloc(RUN_TIMERS, sizeof(struct timer_slot));
	if (!report->templates)
		report->own_templates = template_set_new(rst_trace_metadata(report->trace)->dialect);
	if (!report->runner.timers || !(report->templates || report->own_templates))
		return error_nomem(err);
	if (report->templates && !underway_init(&report->underway, report->templates))
		return error_nomem(err);
	report->underway.set_off = report->runner.set_off;
	return RST_OK;
}

static void report_release(struct report *report)
{
	select_done(&report->select);
	free(report->plans);
	free(report->cells);
	report->plans = NULL;
	report->cells = NULL;
	report->plans_room = report->cells_room = 0;
	free(report->runner.timers);
	report->runner.timers = NULL;
	underway_done(&report->underway);
	if (report->templates)
		bind_forget(report->templates);
	report->own_templates = template_set_free(report->own_templates);
	diags_done(&report->own_diags);
	report->own_diags = (struct diags){ 0 };
	arena_done(&report->arena);
}

/* All types, contexts and objects are known now. */
static void explain_wish(struct report *report, uint64_t last_ticks)
{
	const struct explain explain = {
		.select = &report->select,
		.has_chosen = report->has_chosen,
		.first_ticks = rst_trace_metadata(report->trace)->first_ticks,
		.last_ticks = last_ticks,
		.tell = report->explain,
		.context = report->explain_context,
	};

	if (report->explain && report->is_started && rst_trace_metadata(report->trace)->has_first_ticks)
		explain_selection(&explain);
}

enum rst_status report_trace(struct report *report, struct rst_trace *trace, struct rst_error *err)
{
	enum rst_status status;

	report->trace = trace;
	report->is_started = report->has_last = report->has_begun = report->has_chosen = false;
	report->n_cores = report->context_width = 0;
	report->n_events = 0;
	report->core = RST_NO_CORE;
	status = report_prepare(report, err);
	if (status == RST_OK)
		status = report_batches(report, err);
	if (status == RST_OK)
		explain_wish(report, report->end_ticks);
	report_begin(report);
	report_release(report);
	report->trace = NULL;
	return status;
}
