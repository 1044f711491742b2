/* SPDX-License-Identifier: MIT */
#include "lines/merge.h"

#include <stdlib.h>

#include "base/error.h"
#include "select/clocks.h"

enum { NS_PER_SECOND = 1000000000 };

struct merge_input {
	const struct rst_batch *batch; /* NULL if the trace has ended */
	uint16_t rows[RST_BATCH_EVENTS];
	size_t n_rows, at;
	int64_t key; /* of the row at `at` */
};

/* --- keys ----------------------------------------------------------------------------------------------- */

/* Ticks are compared as they are; a clock that begins near its end is that of no two recordings. */
static int64_t merge_key_of(const struct merge *merge, struct report_input *input, uint64_t ticks)
{
	int64_t wall = 0;

	if (!merge->by_wall)
		return (int64_t)ticks;
	rst_clock_wall_ns(&rst_trace_metadata(input->trace)->clock, ticks, &wall);
	return wall;
}

static enum rst_status choose_clock(struct merge *merge, struct rst_error *err)
{
	struct clocks clocks = clocks_none;

	for (size_t i = 0; i < merge->n_inputs; i++)
		clocks_see(&clocks, rst_trace_metadata(merge->inputs[i].trace));
	merge->by_wall = clocks.have_day;
	if (clocks.have_day || clocks.are_one)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"these traces cannot be merged: neither have all of them the time of day, nor is their clock "
		"one");
	error_advise(err, "report them one after the other");
	return RST_E_USAGE;
}

/* Nanoseconds or ticks since the first event, as times_parse() reads them. */
static enum rst_status parse_bound(const char *text, uint64_t hz, uint64_t *ret_key, struct rst_error *err)
{
	const struct rst_metadata metadata = { .clock_hz = hz };

	return text ? times_parse(text, &metadata, ret_key, err) : RST_OK;
}

/* --- batches -------------------------------------------------------------------------------------------- */

static void see_row(struct merge *merge, size_t n)
{
	struct merge_input *state = &merge->states[n];

	if (state->batch && state->at < state->n_rows)
		state->key =
			merge_key_of(merge, &merge->inputs[n], state->batch->ticks[state->rows[state->at]]);
}

/* Reads up to the next batch with a row to show. Returns RST_END if no such batch follows. */
static enum rst_status next_batch(struct merge *merge, size_t n, struct rst_error *err)
{
	struct report_input *input = &merge->inputs[n];
	struct merge_input *state = &merge->states[n];
	enum rst_status status;

	do {
		if (state->batch && !report_end_batch(input, state->batch))
			return error_nomem(err);
		state->batch = NULL;
		status = rst_trace_next(input->trace, &state->batch, err);
		if (status != RST_OK) {
			state->batch = NULL;
			return status;
		}
		input->n_events += report_count_events(state->batch);
		input_refresh(input);
		state->at = 0;
		state->n_rows =
			input->is_started ? select_rows(&input->select, state->batch, state->rows) : 0;
	} while (input->is_started && state->n_rows == 0);
	return RST_OK;
}

/* Up to the first event; loss and damage in front of it are shown at once. */
static enum rst_status start_input(struct merge *merge, size_t n, struct rst_error *err)
{
	struct report_input *input = &merge->inputs[n];
	struct merge_input *state = &merge->states[n];
	enum rst_status status = input_prepare(input, merge->report, err);

	while (status == RST_OK && !rst_trace_metadata(input->trace)->has_first_ticks) {
		status = next_batch(merge, n, err);
		if (status != RST_OK || rst_trace_metadata(input->trace)->has_first_ticks)
			break;
		report_begin(merge->report, input);
		for (size_t row = 0; row < state->batch->n_events; row++)
			report_row(merge->report, input, state->batch, row);
	}
	if (status == RST_OK && !state->batch)
		status = next_batch(merge, n, err);
	return status == RST_END ? RST_OK : status;
}

/* Time and selection of a trace, whose first batch is there. */
static enum rst_status bind_input(struct merge *merge, size_t n, struct rst_error *err)
{
	struct report_input *input = &merge->inputs[n];
	struct merge_input *state = &merge->states[n];

	if (!state->batch)
		return RST_OK;
	error_try(input_start(input, state->batch, err));
	state->n_rows = select_rows(&input->select, state->batch, state->rows);
	return state->n_rows ? RST_OK : next_batch(merge, n, err);
}

/* --- the loop ------------------------------------------------------------------------------------------- */

/* The trace whose next row is the earliest; n_inputs: none has one. */
static size_t find_earliest(const struct merge *merge)
{
	size_t earliest = merge->n_inputs;

	for (size_t i = 0; i < merge->n_inputs; i++)
		if (merge->states[i].batch &&
			(earliest == merge->n_inputs || merge->states[i].key < merge->states[earliest].key))
			earliest = i;
	return earliest;
}

/* Keys are nanoseconds, or ticks of which the frequency may be known. */
static void merge_see_times(struct merge *merge, size_t n, uint64_t elapsed)
{
	struct report_section *section = &merge->report->section;
	const struct times *times = &merge->inputs[n].times;
	const int64_t key = merge->states[n].key, last = section->has_last ? merge->last : key;

	section->elapsed = elapsed;
	section->delta = key - last;
	if (merge->by_wall || !times->hz)
		return;
	section->elapsed = (uint64_t)times_distance_ns(times, 0, elapsed);
	section->delta = times_distance_ns(times, (uint64_t)last, (uint64_t)key);
}

static bool show_row(struct merge *merge, size_t n)
{
	const struct merge_input *state = &merge->states[n];
	struct report *report = merge->report;
	const size_t row = state->rows[state->at];
	const bool is_event = state->batch->type[row]->marker == RST_EVENT;
	const uint64_t elapsed =
		state->key > merge->origin ? (uint64_t)state->key - (uint64_t)merge->origin : 0;
	const uint64_t n_shown = report->seq;

	if (elapsed < merge->from_key || elapsed > merge->to_key)
		return true;
	if (is_event && report->options.removes_duplicates &&
		duplicates_have(&report->duplicates, (uint64_t)state->key, state->batch, row))
		return true;
	merge_see_times(merge, n, elapsed);
	if (!report_row(report, &merge->inputs[n], state->batch, row))
		return false;
	if (report->seq != n_shown)
		merge->last = state->key;
	return true;
}

/* The failure of one trace is kept for the end; the first of them. */
static void keep_failure(enum rst_status status, struct rst_error *err, const struct rst_error *own)
{
	if (status < 0 && err->status >= 0)
		*err = *own;
}

static enum rst_status run_merge(struct merge *merge, struct rst_error *err)
{
	struct report *report = merge->report;
	struct rst_error own;
	size_t n;

	err->status = RST_OK;
	while ((n = find_earliest(merge)) < merge->n_inputs && report->n_left && !report->out->error) {
		struct merge_input *state = &merge->states[n];

		if (!show_row(merge, n))
			return error_nomem(err);
		if (++state->at == state->n_rows)
			keep_failure(next_batch(merge, n, &own), err, &own);
		see_row(merge, n);
	}
	if (err->status < 0)
		return err->status;
	return report->n_left ? RST_OK : RST_END;
}

static enum rst_status begin_merge(struct merge *merge, struct rst_error *err)
{
	int64_t origin = INT64_MAX;

	for (size_t i = 0; i < merge->n_inputs; i++)
		error_try(start_input(merge, i, err));
	error_try(choose_clock(merge, err));
	for (size_t i = 0; i < merge->n_inputs; i++) {
		const struct rst_metadata *metadata = rst_trace_metadata(merge->inputs[i].trace);
		const int64_t key = metadata->has_first_ticks
					    ? merge_key_of(merge, &merge->inputs[i], metadata->first_ticks)
					    : INT64_MAX;

		origin = key < origin ? key : origin;
		error_try(bind_input(merge, i, err));
		see_row(merge, i);
	}
	merge->origin = origin;
	merge->to_key = UINT64_MAX;
	const uint64_t hz =
		merge->by_wall ? NS_PER_SECOND : rst_trace_metadata(merge->inputs[0].trace)->clock_hz;

	error_try(parse_bound(merge->from, hz, &merge->from_key, err));
	return parse_bound(merge->to, hz, &merge->to_key, err);
}

enum rst_status report_merged(struct merge *merge, struct rst_error *err)
{
	enum rst_status status;

	merge->report->section = (struct report_section){ .core = RST_NO_CORE, .is_merged = true };
	merge->states = calloc(merge->n_inputs, sizeof(*merge->states));
	if (!merge->states)
		return error_nomem(err);
	status = begin_merge(merge, err);
	report_begin(merge->report, &merge->inputs[0]);
	if (status >= 0)
		status = run_merge(merge, err);
	for (size_t i = 0; i < merge->n_inputs; i++)
		input_release(&merge->inputs[i]);
	free(merge->states);
	merge->states = NULL;
	return status;
}
