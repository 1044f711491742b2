/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

const struct report_format *const report_formats[] = {
	&report_format_text,
	&report_format_jsonl,
	&report_format_csv,
	NULL,
};

enum rst_status report_format_find(
	const char *name, const struct report_format **ret_format, struct rst_error *err)
{
	char names[100] = "";

	for (size_t i = 0; report_formats[i]; i++) {
		size_t n = strlen(names);

		*ret_format = report_formats[i];
		if (strcmp(name, report_formats[i]->name) == 0)
			return RST_OK;
		snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", report_formats[i]->name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no format '%s'", name);
	error_advise(err, "it is one of %s", names);
	return RST_E_USAGE;
}

/* Rows up to --limit; markers do not count, but those behind the last event wanted are left out with it. */
static size_t limit_rows(
	struct report *report, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		if (report->n_left == 0)
			return i;
		report->n_left -= batch->type[rows[i]]->marker == RST_EVENT;
	}
	return n_rows;
}

/* The cell of the row's context: prepared once for each depth, which may change with every event. */
static const struct cell *context_cell(struct report *report, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row],
				 *over = line->batch->over[line->row];
	bool has_over = report->format->has_nesting && over != NULL;
	struct cell *cell = plan_cell(report, has_over ? over : context, has_over);
	unsigned depth = report->format->has_nesting ? line->batch->depth[line->row] : 0;

	while (cell && cell->bytes && cell->depth != depth) {
		if (!cell->other)
			cell->other = arena_alloc(&report->arena, sizeof(*cell));
		cell = cell->other;
	}
	if (!cell || cell->bytes)
		return cell;
	cell->depth = depth;
	return report->format->context_cell(report, cell, line) ? cell : NULL;
}

static bool report_event(struct report *report, struct report_line *line)
{
	const struct report_format *format = report->format;

	line->plan = plan_of(report, line->type);
	line->context = context_cell(report, line);
	if (!line->plan || !line->context)
		return false;
	if (!outbuf_reserve(report->out, line->plan->room + line->context->n_bytes + line->plan->cell_bytes))
		return true; /* remembered in out->error */
	line->values = (struct value_source){
		.out = report->out,
		.trace = report->trace,
		.payload = line->batch->payload[line->row],
		.payload_bytes = line->batch->payload_bytes[line->row],
		.place = line->batch->place[line->row],
		.room_after = line->plan->room,
	};
	report->out->at = format->event(report, line, report->out->at);
	report->seq++;
	return true;
}

static bool report_batch(struct report *report, const struct rst_batch *batch)
{
	uint16_t rows[RST_BATCH_EVENTS];
	size_t n_rows = select_rows(&report->select, batch, rows);

	n_rows = limit_rows(report, batch, rows, n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		struct report_line line = { .batch = batch, .row = rows[i], .type = batch->type[rows[i]] };

		if (line.type->marker != RST_EVENT)
			report->format->gap(report, &line, rst_batch_gap(batch, line.row));
		else if (!report_event(report, &line))
			return false;
	}
	return true;
}

/*
 * What is bound to the trace's time and names, once its first event is there. Markers may come before; the only moments
 * they are selected by, and shown with, are then unknown.
 */
static enum rst_status report_start(
	struct report *report, const struct rst_batch *first, struct rst_error *err)
{
	error_try(times_init(&report->times, report->time_form, rst_trace_facts(report->trace), err));
	error_try(select_init(&report->select, report->wish, report->trace, err));
	plan_widths(report, first);
	report->is_started = true;
	return RST_OK;
}

/* Markers in front of everything. */
static void report_markers(struct report *report, const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct report_line line = { .batch = batch, .row = i, .type = batch->type[i] };

		if (line.type->marker != RST_EVENT)
			report->format->gap(report, &line, rst_batch_gap(batch, i));
	}
}

static enum rst_status report_batches(struct report *report, struct rst_error *err)
{
	static const struct rst_batch none;
	const struct rst_batch *batch;
	enum rst_status status;
	uint64_t n_events = 0;

	while ((status = rst_trace_next(report->trace, &batch, err)) == RST_OK) {
		n_events += batch->n_events;
		if (!report->is_started && rst_trace_facts(report->trace)->has_first_ticks)
			error_try(report_start(report, batch, err));
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

enum rst_status report_trace(struct report *report, struct rst_trace *trace, struct rst_error *err)
{
	enum rst_status status;

	report->trace = trace;
	report->is_started = report->has_last = false;
	status = report_batches(report, err);
	select_done(&report->select);
	free(report->plans);
	free(report->cells);
	report->plans = NULL;
	report->cells = NULL;
	report->plans_room = report->cells_room = 0;
	arena_done(&report->arena);
	return status;
}
