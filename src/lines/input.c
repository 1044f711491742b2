/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/error.h"
#include "lines/explain.h"
#include "lines/format.h"
#include "lines/text_cache.h"
#include "template/compile/bind.h"

enum { TAIL_ROOM = 64 }; /* of a line, behind its text */

static const struct set_off colors[N_SET_OFF] = {
	[SET_OFF_OBJECT] = { "\033[33m", "\033[39m", 5, 5 },
	[SET_OFF_THREAD] = { "\033[36m", "\033[39m", 5, 5 },
};

/* The system takes any bytes for the name of a file. */
static bool path_keep(struct report_input *input)
{
	const char *path = rst_trace_metadata(input->trace)->path;
	const size_t n_path = strlen(path);
	char *clean = arena_alloc(&input->arena, text_clean_bytes((const uint8_t *)path, n_path) + 1);

	if (!clean)
		return false;
	input->path =
		(struct text){ clean, (size_t)(text_clean(clean, (const uint8_t *)path, n_path) - clean) };
	return true;
}

enum rst_status input_prepare(struct report_input *input, struct report *report, struct rst_error *err)
{
	const bool has_colors = report->options.has_color && report->options.format->has_subjects;

	input->report = report;
	input->is_started = input->has_chosen = false;
	input->n_cores = 0;
	input->n_events = input->end_ticks = 0;
	input->runner = (struct runner){ .out = report->out, .trace = input->trace, .room_after = TAIL_ROOM };
	input->runner.set_off = has_colors ? colors : set_off_quotes;
	input->entry = (struct entry){ .host = &report_host };
	input->runner.timers = calloc(RUN_TIMERS, sizeof(struct timer_slot));
	input->runner.names = calloc(1, sizeof(struct value_names));
	input->texts = text_cache_new();
	if (!input->templates)
		input->own_templates = template_set_new(rst_trace_metadata(input->trace)->dialect);
	if (!path_keep(input) || !input->runner.timers || !input->runner.names || !input->texts ||
		!(input->templates || input->own_templates))
		return error_nomem(err);
	if (input->templates && !open_spans_init(&input->spans, input->templates))
		return error_nomem(err);
	input->spans.set_off = input->runner.set_off;
	return RST_OK;
}

/* Entries of AIX are known by their hook. */
static bool has_hooks(const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++)
		if (batch->layout[i]->hook_bytes)
			return true;
	return false;
}

/*
 * Markers may come before the first event; the only moments they are selected by, and shown with, are then
 * unknown.
 */
enum rst_status input_start(struct report_input *input, const struct rst_batch *first, struct rst_error *err)
{
	const struct report_options *options = &input->report->options;
	struct report_section *section = &input->report->section;

	error_try(times_init(&input->times, options->time_form, rst_trace_metadata(input->trace), err));
	error_try(select_init(
		&input->select, input->filter ? input->filter : options->filter, input->trace, err));
	section->columns = columns_apply(&options->columns,
		columns_default(options->n_columns) | (unsigned)has_hooks(first) << COLUMN_EVENT);
	input->runner.omits_subject =
		options->format->has_subjects && columns_has(section->columns, COLUMN_THREAD);
	input->runner.counts_ticks = input->times.hz == 0;
	input->is_started = true;
	return RST_OK;
}

void input_refresh(struct report_input *input)
{
	times_refresh(&input->times, rst_trace_metadata(input->trace));
	text_cache_refresh(input->texts, input->trace);
}

/* All types, contexts and objects are known now. */
void input_explain(const struct report_input *input)
{
	const struct rst_metadata *metadata = rst_trace_metadata(input->trace);
	const struct explain explain = {
		.select = &input->select,
		.has_chosen = input->has_chosen,
		.first_ticks = metadata->first_ticks,
		.last_ticks = input->end_ticks,
		.tell = input->explain,
		.context = input->explain_context,
	};

	if (input->explain && input->is_started && metadata->has_first_ticks)
		explain_selection(&explain);
}

void input_release(struct report_input *input)
{
	select_done(&input->select);
	free(input->plans);
	free(input->cells);
	input->plans = NULL;
	input->cells = NULL;
	input->plans_room = input->cells_room = 0;
	free(input->runner.timers);
	input->runner.timers = NULL;
	free(input->runner.names);
	input->runner.names = NULL;
	input->texts = text_cache_free(input->texts);
	open_spans_done(&input->spans);
	for (size_t i = 0; input->templates && i < input->templates->n_others; i++)
		bind_forget(input->templates->others[i]);
	if (input->templates)
		bind_forget(input->templates);
	input->own_templates = template_set_free(input->own_templates);
	diags_done(&input->own_diags);
	input->own_diags = (struct diags){ 0 };
	arena_done(&input->arena);
}
