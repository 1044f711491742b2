/* SPDX-License-Identifier: MIT */
#include "job/run_window.h"

#include <inttypes.h>

#include "base/error.h"
#include "select/runs.h"
#include "select/times.h"

/* The search for a run. */
struct run_search {
	uint64_t wanted, first, number; /* the wanted run, the first one and the present one */
	uint64_t begin, end;		/* the first and the last ticks of the wanted one */
	uint64_t last_marker;		/* the ticks of the latest marker */
	bool has_marker, steps_back;	/* a marker is not behind the one before */
};

static void search_see_marker(struct run_search *search, const struct rst_gap *marker, uint64_t ticks)
{
	const uint64_t before = search->number;

	search->number = run_number_behind(before, marker);
	if (!search->has_marker)
		search->first = run_number_first(marker);
	search->steps_back |= search->has_marker && ticks < search->last_marker;
	if (search->wanted == (search->has_marker ? before : search->first))
		search->end = ticks;
	if (search->wanted == search->number)
		search->begin = ticks + (ticks < UINT64_MAX);
	search->last_marker = ticks;
	search->has_marker = true;
}

static void search_see(struct run_search *search, const struct rst_batch *batch)
{
	for (size_t row = 0; row < batch->n_events; row++)
		if (batch->type[row]->marker == RST_RUN)
			search_see_marker(search, rst_batch_gap(batch, row), batch->ticks[row]);
}

/* Numbers may have gaps in damaged input only; then the run is as good as absent. */
static enum rst_status search_judge(const struct run_search *search, const char *path, struct rst_error *err)
{
	const bool is_there = search->wanted == search->first || search->begin;

	if (is_there && !search->steps_back)
		return RST_OK;
	if (is_there) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"run %" PRIu64 " cannot be selected, as the runs do not follow each other in time",
			search->wanted);
		error_advise(err, "select it in the recording that it comes from");
	} else if (search->number == search->first) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"there is no run %" PRIu64 "; the recording has one run", search->wanted);
		error_advise(err, "leave out --run");
	} else {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"there is no run %" PRIu64 "; the recording has runs %" PRIu64 " to %" PRIu64,
			search->wanted, search->first, search->number);
		error_advise(err, "`rastrum info` lists them");
	}
	error_name(err, path);
	return RST_E_USAGE;
}

/*
 * Puts the later begin and the earlier end into the filter. Times after the first event need the clock of the
 * trace, which has been read.
 */
static enum rst_status moments_set(struct run_window *window, const struct run_search *search,
	const struct rst_metadata *metadata, struct filter_spec *filter, struct rst_error *err)
{
	uint64_t from = 0, to = UINT64_MAX;

	if (window->from)
		error_try(times_parse(window->from, metadata, &from, err));
	if (window->to)
		error_try(times_parse(window->to, metadata, &to, err));
	*text_put_dec(window->from_text, from > search->begin ? from : search->begin) = '\0';
	*text_put_dec(window->to_text, to < search->end ? to : search->end) = '\0';
	filter->from = window->from || search->begin ? window->from_text : NULL;
	filter->to = window->to || search->end < UINT64_MAX ? window->to_text : NULL;
	return RST_OK;
}

/* A trace that ends with an error has the runs up to there; its reader meets the error again. */
static enum rst_status search_run(struct run_search *search, struct rst_trace *trace, struct rst_error *err)
{
	const struct rst_batch *batch;
	enum rst_status status;

	while ((status = rst_trace_next(trace, &batch, err)) == RST_OK)
		search_see(search, batch);
	return status == RST_E_NOMEM ? status : RST_OK;
}

static enum rst_status window_check(
	const struct run_window *window, size_t n, uint64_t *ret_run, struct rst_error *err)
{
	if (!text_parse_u64(window->run, ret_run) || !*ret_run) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "'%s' is no run", window->run);
		error_advise(err, "runs are numbers from 1 on; `rastrum info` lists them");
		return RST_E_USAGE;
	}
	if (open_can_repeat(window->open, window->n_paths, window->paths, n))
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"--run reads its input twice, and this input can be read only once");
	error_advise(err, "save it in a file first");
	if (!window->open->live)
		error_name(err, window->paths[n]);
	return RST_E_USAGE;
}

enum rst_status run_window_set(
	struct run_window *window, size_t n, struct filter_spec *filter, struct rst_error *err)
{
	struct run_search search = { .first = 1, .number = 1, .end = UINT64_MAX };
	struct rst_trace *trace = NULL;
	enum rst_status status;

	if (!window->run)
		return RST_OK;
	error_try(window_check(window, n, &search.wanted, err));
	error_try(open_nth_trace(&trace, window->open, window->n_paths, window->paths, n, err));
	status = search_run(&search, trace, err);
	if (status == RST_OK)
		status = search_judge(&search, rst_trace_metadata(trace)->path, err);
	if (status == RST_OK)
		status = moments_set(window, &search, rst_trace_metadata(trace), filter, err);
	rst_trace_free(trace);
	return status;
}
