/* SPDX-License-Identifier: MIT */
#include "dialect/store/pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dialect/store/blocks.h"
#include "dialect/store/store.h"

enum { LOSS, DAMAGE, N_MARKERS }; /* the layouts of markers */

void store_read_only(struct store *store, const struct store_plan *plan)
{
	store->passing.plan = *plan;
	store->segment.source = plan->source;
}

static bool pass_tally_add(struct passed_counts *tallies, uint64_t index, uint64_t n_rows)
{
	uint64_t *n = array_reach(tallies->n, &tallies->room, (size_t)index, sizeof(*n));

	if (!n)
		return false;
	tallies->n = n;
	n[index] += n_rows;
	return true;
}

/*
 * Counts by the indexes of the model, which may have one context for several numbers. If memory runs out,
 * less is counted.
 */
static bool contexts_count(struct store *store)
{
	const struct passed_counts *numbers = &store->passing.contexts;
	struct passed_counts *counts = &store->passing.passed.tallies[PASSED_CONTEXTS];

	for (size_t i = 0; i < numbers->room && i < store->definitions.n_contexts; i++)
		if (numbers->n[i] &&
			!pass_tally_add(counts, store->definitions.contexts[i]->public.index, numbers->n[i]))
			return false;
	if (numbers->n)
		memset(numbers->n, 0, numbers->room * sizeof(uint64_t));
	return true;
}

const struct passed *store_take_passed(void *state)
{
	struct store *store = state;

	if (store->passing.is_taken || !store->passing.passed.n_rows || !contexts_count(store))
		return NULL;
	store->passing.is_taken = true;
	return &store->passing.passed;
}

/* Resets counts that were taken. */
static void passed_begin(struct store_passing *passing)
{
	struct passed *passed = &passing->passed;

	if (!passing->is_taken)
		return;
	passing->is_taken = false;
	passed->n_rows = passed->n_events = 0;
	for (size_t i = 0; i < N_PASSED_TALLIES; i++)
		if (passed->tallies[i].n)
			memset(passed->tallies[i].n, 0, passed->tallies[i].room * sizeof(uint64_t));
}

void store_passing_done(struct store_passing *passing)
{
	for (size_t i = 0; i < N_PASSED_TALLIES; i++)
		free(passing->passed.tallies[i].n);
	free(passing->contexts.n);
	*passing = (struct store_passing){ 0 };
}

bool store_passing_wants(struct store_passing *passing, uint64_t row, uint64_t n_rows)
{
	const struct store_plan *plan = &passing->plan;

	if (!plan->directory)
		return true;
	while (passing->next_range < plan->n_ranges && plan->ranges[passing->next_range].to <= row)
		passing->next_range++;
	return passing->next_range < plan->n_ranges && plan->ranges[passing->next_range].from < row + n_rows;
}

bool store_passing_skips(struct store_passing *passing, uint64_t at,
	const struct directory_segment **ret_zone, uint64_t *ret_n_bytes)
{
	const struct directory *directory = passing->plan.directory;
	const struct directory_block *block;

	while (passing->next_block < directory->n_blocks && directory->blocks[passing->next_block].at < at)
		passing->next_block++;
	block = directory->blocks + passing->next_block;
	if (passing->next_block == directory->n_blocks || block->at != at || !block->is_segment)
		return false;
	*ret_zone = &directory->segments[block->segment];
	*ret_n_bytes = block_whole(block->n_bytes);
	return !store_passing_wants(passing, (*ret_zone)->row, (*ret_zone)->n_rows);
}

/* Counts equal indexes that follow each other together. */
static bool tally_rows(struct passed_counts *tallies, const uint64_t *indexes, size_t n_rows)
{
	for (size_t i = 0, end; i < n_rows; i = end) {
		for (end = i + 1; end < n_rows && indexes[end] == indexes[i]; end++)
			continue;
		if (!pass_tally_add(tallies, indexes[i], end - i))
			return false;
	}
	return true;
}

static struct passed_counts *tally_of(struct store_passing *passing, size_t tally)
{
	return tally == PASSED_CONTEXTS ? &passing->contexts : &passing->passed.tallies[tally];
}

static void pass_ticks(struct passed *passed, uint64_t least, uint64_t greatest)
{
	if (!passed->n_rows || least < passed->least_ticks)
		passed->least_ticks = least;
	if (!passed->n_rows || greatest > passed->greatest_ticks)
		passed->greatest_ticks = greatest;
}

/*
 * Counts the rows as the model counts rows that were given out. Losses and damages that the model keeps are
 * not passed over.
 */
static void pass_end(struct store_passing *passing, struct model *model, uint64_t n_rows,
	const uint64_t n_markers[N_MARKERS], uint64_t ticks, uint64_t seq)
{
	struct passed *passed = &passing->passed;

	passed->n_rows += n_rows;
	passed->n_events += n_rows - n_markers[LOSS] - n_markers[DAMAGE];
	passed->last_ticks = model->last_ticks = ticks;
	model->last_seq = seq;
	model->n_gaps_all += n_markers[LOSS] + n_markers[DAMAGE];
	model->n_damages += n_markers[DAMAGE];
}

bool store_pass_zone(struct store_passing *passing, struct model *model, const struct directory_segment *zone)
{
	const struct directory *directory = passing->plan.directory;
	uint64_t n_markers[N_MARKERS] = { 0 };

	passed_begin(passing);
	pass_ticks(&passing->passed, zone->least_ticks, zone->greatest_ticks);
	for (size_t i = 0; i < N_PASSED_TALLIES; i++)
		for (size_t k = zone->counts[i]; k < zone->counts[i + 1]; k++) {
			const struct directory_count *count = &directory->counts[k];

			if (!pass_tally_add(tally_of(passing, i), count->index, count->n_rows))
				return false;
			if (i == PASSED_LAYOUTS && count->index < N_MARKERS)
				n_markers[count->index] += count->n_rows;
		}
	pass_end(passing, model, zone->n_rows, n_markers, zone->last_ticks, zone->last_seq);
	return true;
}

bool store_pass_rows(struct store_passing *passing, struct model *model, const struct segment *segment,
	size_t n, size_t n_rows)
{
	static const enum segment_column columns[N_PASSED_TALLIES] = {
		[PASSED_LAYOUTS] = SEGMENT_LAYOUT,
		[PASSED_CONTEXTS] = SEGMENT_CONTEXT,
		[PASSED_CORES] = SEGMENT_CORE,
	};
	uint64_t n_markers[N_MARKERS] = { 0 };
	uint64_t least = UINT64_MAX, greatest = 0;

	passed_begin(passing);
	for (size_t row = n; row < n + n_rows; row++) {
		const uint64_t ticks = segment->columns[SEGMENT_TICKS][row];

		least = ticks < least ? ticks : least;
		greatest = ticks > greatest ? ticks : greatest;
		if (segment->columns[SEGMENT_LAYOUT][row] < N_MARKERS)
			n_markers[segment->columns[SEGMENT_LAYOUT][row]]++;
	}
	for (size_t i = 0; i < N_PASSED_TALLIES; i++)
		if (!tally_rows(tally_of(passing, i), segment->columns[columns[i]] + n, n_rows))
			return false;
	pass_ticks(&passing->passed, least, greatest);
	pass_end(passing, model, n_rows, n_markers, segment->columns[SEGMENT_TICKS][n + n_rows - 1],
		segment->columns[SEGMENT_SEQ][n + n_rows - 1]);
	return true;
}
