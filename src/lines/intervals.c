/* SPDX-License-Identifier: MIT */
#include "lines/intervals.h"

#include "base/choice.h"
#include "base/error.h"
#include "lines/format.h"

static const struct interval_format *const formats[] = {
	&interval_format_text,
	&interval_format_jsonl,
	&interval_format_csv,
	NULL,
};

static const char *intervals_format_name(size_t i)
{
	return formats[i] ? formats[i]->name : NULL;
}

enum rst_status interval_format_find(
	const char *name, const struct interval_format **ret_format, struct rst_error *err)
{
	const struct choice choice = { .kind = "format of intervals", .name = intervals_format_name };
	size_t index;

	error_try(choice_find(&choice, name, &index, err));
	*ret_format = formats[index];
	return RST_OK;
}

void intervals_begin(struct report *report, const struct report_input *input)
{
	const struct interval_format *format = report->options.intervals;

	if (format->head && (format->is_headed || (report->options.has_head && input)) &&
		(!format->is_headed || !report->n_begun))
		format->head(report, input);
}

/* --- the loop ------------------------------------------------------------------------------------------- */

static void interval_write(struct report_input *input, const struct rst_interval *interval)
{
	struct report *report = input->report;
	struct outbuf *out = report->out;
	const size_t n_names =
		interval->subject.name_bytes + interval->object.name_bytes + interval->by.name_bytes;

	input->has_chosen = true;
	if (!outbuf_reserve(out, INTERVAL_ROOM + 6 * n_names))
		return;
	report->options.intervals->put(input, out, interval);
	report->seq++;
	report->n_lines++;
	report->n_left--;
}

static void intervals_write(struct report_input *input, const struct rst_states *states)
{
	struct report *report = input->report;
	const struct rst_interval *intervals;
	const size_t n_intervals = rst_states_intervals(states, &intervals);

	for (size_t i = 0; i < n_intervals && report->n_left; i++)
		if (select_takes_interval(&input->select, &intervals[i]))
			interval_write(input, &intervals[i]);
}

static void gaps_write(struct report_input *input, const struct rst_batch *batch)
{
	struct report *report = input->report;

	if (!report->options.intervals->has_gaps)
		return;
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct report_line line = {
			.report = report, .input = input, .batch = batch, .row = i, .layout = batch->layout[i]
		};

		if (batch->type[i]->marker == RST_EVENT)
			continue;
		report_gap(report, &line, rst_batch_gap(batch, i));
		report->n_lines++;
	}
}

static void batch_count(struct report_input *input, const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++)
		input->n_events += batch->type[i]->marker == RST_EVENT;
	if (batch->n_events)
		input->end_ticks = batch->ticks[batch->n_events - 1];
}

static enum rst_status intervals_read(
	struct report_input *input, struct rst_states *states, struct rst_error *err)
{
	struct report *report = input->report;
	static const struct rst_batch none;
	const struct rst_batch *batch;
	enum rst_status status;

	while ((status = rst_trace_next(input->trace, &batch, err)) == RST_OK) {
		batch_count(input, batch);
		if (!input->is_started && rst_trace_metadata(input->trace)->has_first_ticks)
			error_try(input_start(input, batch, err));
		report_begin(report, input);
		gaps_write(input, batch);
		error_try(rst_states_feed(states, batch, err));
		if (input->is_started)
			intervals_write(input, states);
		if (report->n_left == 0 || report->out->error)
			return RST_END;
		if (report->progress)
			report->progress(report->progress_context, input->n_events);
	}
	if ((status == RST_END || status == RST_E_DAMAGED) && !input->is_started)
		error_try(input_start(input, &none, err));
	if (rst_states_finish(states, status < 0 ? NULL : err) == RST_OK)
		intervals_write(input, states);
	return status == RST_END ? RST_OK : status;
}

enum rst_status intervals_trace(struct report_input *input, struct rst_error *err)
{
	struct rst_states *states = NULL;
	enum rst_status status = rst_states_new(&states, input->trace, err);

	if (status == RST_OK)
		status = intervals_read(input, states, err);
	rst_states_free(states);
	return status;
}
