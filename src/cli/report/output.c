/* SPDX-License-Identifier: MIT */
#include "cli/report/report.h"
#include "lines/format.h"

/* Rows are events and markers; the link counts both, to know whether its bytes have a meaning. */
static void output_count(struct output *output, uint64_t n_rows)
{
	const struct rst_gap *gaps;
	size_t n_kept;
	uint64_t n_bad = rst_trace_gaps(output->trace, &gaps, &n_kept);

	link_gave(output->link, n_rows > n_bad ? n_rows - n_bad : 0, n_bad);
}

/* After each batch. Lines of a live input are shown as they come. */
static void output_update(void *context, uint64_t n_events)
{
	struct output *output = context;

	if (output->has_tail)
		tail_update(&output->tail);
	progress_update(&output->progress, n_events);
	if (!output->link)
		return;
	outbuf_flush(&output->out);
	output_count(output, n_events);
	/*
	 * A dump that came by a pipe is not read any more when it is shown; other links see signals where
	 * they read.
	 */
	if (output->link->kind->ends && !output->link->is_stopped && !link_goes_on(output->link))
		output->report->n_left = 0;
}

enum rst_status output_begin(struct output *output, struct report *report, struct rst_error *err)
{
	output->report = report;
	output->has_out = outbuf_init(&output->out, output->fd);
	if (!output->has_out)
		return error_nomem(err);
	if (output->wants_pager)
		pager_start(&output->pager, output->fd);
	progress_start(&output->progress, output->fd);
	report->out = report->heading = &output->out;
	report->progress = output_update;
	report->progress_context = output;
	if (output->n_last == UINT64_MAX)
		return RST_OK;
	output->has_tail = outbuf_init(&output->memory, OUTBUF_MEMORY);
	if (!output->has_tail)
		return error_nomem(err);
	tail_init(&output->tail, &output->memory, output->n_last, report->options.format->has_quotes);
	report->out = &output->memory;
	return RST_OK;
}

void output_trace(struct output *output, struct rst_trace *trace)
{
	output->trace = trace;
	if (trace)
		progress_trace(&output->progress, trace);
	else
		progress_end(&output->progress);
}

int output_finish(struct output *output)
{
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	if (!output->has_out)
		return EXIT_GOOD;
	if (output->has_tail) {
		if (!tail_update(&output->tail)) {
			error_nomem(&err);
			exit_status = common_fail(&err);
		}
		tail_write(&output->tail, &output->out);
	}
	return outcome_worse(exit_status, common_finish(&output->out));
}

void output_done(struct output *output)
{
	pager_done(&output->pager);
	if (output->has_tail) {
		tail_done(&output->tail);
		outbuf_done(&output->memory);
	}
	if (output->has_out)
		outbuf_done(&output->out);
}
