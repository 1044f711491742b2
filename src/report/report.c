/* SPDX-License-Identifier: MIT */
#include "report/report.h"

#include <stdlib.h>

#include "base/error.h"

const struct report_format *const report_formats[] = {
	&report_format_text,
	&report_format_jsonl,
	&report_format_csv,
	NULL,
};

/* Rows up to --limit; markers do not count, but those behind the last event wanted are left out with it. */
static size_t limit_rows(
	struct report *report, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	if (report->n_left >= n_rows) {
		for (size_t i = 0; i < n_rows; i++)
			report->n_left -= batch->type[rows[i]]->marker == RST_EVENT;
		return n_rows;
	}
	for (size_t i = 0; i < n_rows; i++) {
		if (report->n_left == 0)
			return i;
		report->n_left -= batch->type[rows[i]]->marker == RST_EVENT;
	}
	return n_rows;
}

static bool report_batch(struct report *report, const struct rst_batch *batch)
{
	uint16_t rows[RST_BATCH_EVENTS];
	size_t n_rows = select_rows(&report->select, batch, rows);

	return report->format->rows(report, batch, rows, limit_rows(report, batch, rows, n_rows));
}

/* Facts about time are complete once the first batch is there. */
static enum rst_status report_start(
	struct report *report, const struct rst_batch *first, struct rst_error *err)
{
	struct rst_facts facts;

	rst_trace_facts(report->trace, &facts);
	error_try(times_init(&report->times, report->time_form, &facts, err));
	error_try(select_init(&report->select, report->wish, report->trace, err));
	plan_widths(report, first);
	report->has_last = false;
	return RST_OK;
}

static enum rst_status report_batches(struct report *report, struct rst_error *err)
{
	const struct rst_batch *batch;
	enum rst_status status;
	uint64_t n_events = 0;

	while ((status = rst_trace_next(report->trace, &batch, err)) == RST_OK) {
		if (n_events == 0)
			error_try(report_start(report, batch, err));
		n_events += batch->n_events;
		if (!report_batch(report, batch))
			return error_nomem(err);
		if (report->n_left == 0 || report->out->error)
			return RST_END;
		if (report->progress)
			report->progress(report->progress_context, n_events);
	}
	return status == RST_END ? RST_OK : status;
}

enum rst_status report_trace(struct report *report, struct rst_trace *trace, struct rst_error *err)
{
	enum rst_status status;

	report->trace = trace;
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
