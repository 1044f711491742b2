/* SPDX-License-Identifier: MIT */
#include "summary/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "select/runs.h"
#include "summary/summary_merge.h"

static bool count_at(uint64_t **counts, size_t *room, size_t index)
{
	uint64_t *reached = array_reach(*counts, room, index, sizeof(uint64_t));

	if (reached)
		*counts = reached;
	return reached != NULL;
}

/* Words are kept, as those of a gap last no longer than its batch. false when memory ran out. */
static bool count_damage(struct summary *summary, const struct rst_gap *gap)
{
	struct summary_kind *kind = summary->kinds, *end = kind + summary->n_kinds;

	summary->n_damages++;
	summary->n_damage_bytes += gap->n_bytes;
	while (kind < end && strcmp(kind->what, gap->what) != 0)
		kind++;
	if (kind == summary->kinds + SUMMARY_KINDS) {
		summary->n_other_damages++;
		return true;
	}
	if (kind == end) {
		kind->what = arena_copy(&summary->names, gap->what, strlen(gap->what));
		if (!kind->what)
			return false;
		summary->n_kinds++;
	}
	kind->count++;
	return true;
}

/* Keeps the present run, if there is room for it in the list. Returns false when memory ran out. */
static bool run_keep(struct summary *summary)
{
	struct summary_run *runs;

	if (summary->n_kept_runs == SUMMARY_RUNS)
		return true;
	runs = array_room(summary->runs, summary->n_kept_runs, &summary->runs_room, sizeof(*runs));
	if (!runs)
		return false;
	summary->runs = runs;
	runs[summary->n_kept_runs++] = summary->run;
	return true;
}

static bool count_run(struct summary *summary, const struct rst_gap *gap)
{
	const uint64_t number = run_number_behind(summary->run.number, gap);

	if (!summary->n_runs++)
		summary->run.number = run_number_first(gap);
	if (!run_keep(summary))
		return false;
	summary->run = (struct summary_run){ .number = number };
	return true;
}

static bool count_gap(struct summary *summary, const struct rst_gap *gap)
{
	if (gap->marker == RST_DAMAGE)
		return count_damage(summary, gap);
	if (gap->marker == RST_RUN)
		return count_run(summary, gap);
	summary->n_gaps++;
	summary->n_lost += gap->n_events;
	summary->n_lost_packets += gap->n_packets;
	summary->n_unknown += gap->n_events == 0;
	return true;
}

static bool count_core(struct summary *summary, uint16_t core)
{
	if (core == RST_NO_CORE)
		return true;
	if (core >= summary->cores_room && !count_at(&summary->cores, &summary->cores_room, core))
		return false;
	summary->cores[core]++;
	return true;
}

/* Stamps may step back, so neither the first event need be the earliest nor the last one the latest. */
static void span_reach(struct summary *summary, uint64_t least, uint64_t greatest, uint64_t n_events)
{
	struct summary_run *run = &summary->run;

	if (!summary->n_events || least < summary->first_ticks)
		summary->first_ticks = least;
	if (!summary->n_events || greatest > summary->last_ticks)
		summary->last_ticks = greatest;
	if (!run->n_events || least < run->first_ticks)
		run->first_ticks = least;
	if (!run->n_events || greatest > run->last_ticks)
		run->last_ticks = greatest;
	summary->n_events += n_events;
	run->n_events += n_events;
}

static bool count_batch(struct summary *summary, const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct rst_type *type = batch->type[i];
		uint32_t context = batch->context[i]->index;

		if (type->marker != RST_EVENT) {
			if (!count_gap(summary, rst_batch_gap(batch, i)))
				return false;
			continue;
		}
		if ((type->index >= summary->types_room &&
			    !count_at(&summary->types, &summary->types_room, type->index)) ||
			(context >= summary->contexts_room &&
				!count_at(&summary->contexts, &summary->contexts_room, context)))
			return false;
		summary->types[type->index]++;
		summary->contexts[context]++;
		if (batch->core && !count_core(summary, batch->core[i]))
			return false;
		span_reach(summary, batch->ticks[i], batch->ticks[i], 1);
	}
	return true;
}

static bool add_at(uint64_t **counts, size_t *room, size_t index, uint64_t n)
{
	if (n && !count_at(counts, room, index))
		return false;
	if (n)
		(*counts)[index] += n;
	return true;
}

static bool count_passed(struct summary *summary)
{
	const struct passed *passed = summary->take_passed ? summary->take_passed(summary->trace) : NULL;
	bool is_good = true;

	if (!passed)
		return true;
	for (size_t i = 0; i < passed->tallies[PASSED_LAYOUTS].room && is_good; i++) {
		const struct rst_layout *layout = rst_trace_layout(summary->trace, i);

		if (layout)
			is_good = add_at(&summary->types, &summary->types_room, layout->type->index,
				passed->tallies[PASSED_LAYOUTS].n[i]);
	}
	for (size_t i = 0; i < passed->tallies[PASSED_CONTEXTS].room && is_good; i++)
		is_good = add_at(&summary->contexts, &summary->contexts_room, i,
			passed->tallies[PASSED_CONTEXTS].n[i]);
	for (size_t i = 0; i < passed->tallies[PASSED_CORES].room && i < RST_NO_CORE && is_good; i++)
		is_good =
			add_at(&summary->cores, &summary->cores_room, i, passed->tallies[PASSED_CORES].n[i]);
	if (passed->n_events)
		span_reach(summary, passed->least_ticks, passed->greatest_ticks, passed->n_events);
	return is_good;
}

enum rst_status summary_read(struct summary *summary, struct rst_trace *trace,
	void (*progress)(void *context, uint64_t n_events), void *progress_context, struct rst_error *err)
{
	return summary_read_passing(summary, trace, NULL, progress, progress_context, err);
}

enum rst_status summary_read_passing(struct summary *summary, struct rst_trace *trace,
	passed_take *take_passed, void (*progress)(void *context, uint64_t n_events), void *progress_context,
	struct rst_error *err)
{
	const struct rst_batch *batch;
	enum rst_status status;

	*summary = (struct summary){ .trace = trace, .take_passed = take_passed, .run = { .number = 1 } };
	while ((status = rst_trace_next(trace, &batch, &summary->failure)) == RST_OK) {
		if (!count_passed(summary) || !count_batch(summary, batch)) {
			status = error_nomem(&summary->failure);
			break;
		}
		if (progress)
			progress(progress_context, summary->n_events);
	}
	if (!count_passed(summary) || !run_keep(summary) || !summary_name_contexts(summary))
		status = error_nomem(&summary->failure);
	if (status == RST_END)
		return RST_OK;
	if (err)
		*err = summary->failure;
	return status;
}

void summary_done(struct summary *summary)
{
	free(summary->types);
	free(summary->contexts);
	free(summary->cores);
	free(summary->rows);
	free(summary->runs);
	arena_done(&summary->names);
	summary->types = summary->contexts = summary->cores = NULL;
	summary->rows = NULL;
	summary->runs = NULL;
}
