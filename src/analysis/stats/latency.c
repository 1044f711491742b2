/* SPDX-License-Identifier: MIT */
/*
 * `latency`: how long each thread was ready before it ran, after it was woken. The wait after a preemption is
 * not latency.
 */
#include "analysis/stats/stats.h"
#include "analysis/stats/times.h"
#include "analysis/subjects.h"

enum {
	LATENCY_PROCESS,
	LATENCY_THREAD,
	LATENCY_COUNT,
	LATENCY_TOTAL,
	LATENCY_MEAN,
	LATENCY_DURATION,
	LATENCY_MAX_BY = LATENCY_DURATION + N_DURATION_CELLS,
	LATENCY_HISTOGRAM,
	N_LATENCY_COLUMNS
};

static const struct table_column columns[N_LATENCY_COLUMNS] = {
	[LATENCY_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[LATENCY_THREAD] = { .name = "thread", .type = CELL_WORD, .is_subject = true },
	[LATENCY_COUNT] = { .name = "count",
		.type = CELL_COUNT,
		.help = "how often it was woken and ran then; what is cut or lost does not count" },
	[LATENCY_TOTAL] = { .name = "total", .type = CELL_TIME, .rank = 2 },
	[LATENCY_MEAN] = { .name = "mean", .type = CELL_TIME, .rank = 1 },
	[LATENCY_DURATION + DURATION_P50] = { .name = "p50", .type = CELL_TIME, .help = "the median" },
	[LATENCY_DURATION + DURATION_P90] = { .name = "p90",
		.type = CELL_TIME,
		.rank = 1,
		.help = "nine in ten are not longer" },
	[LATENCY_DURATION +
		DURATION_P99] = { .name = "p99", .type = CELL_TIME, .help = "99 in 100 are not longer" },
	[LATENCY_DURATION + DURATION_MAX] = { .name = "max", .type = CELL_TIME, .help = "the longest" },
	[LATENCY_DURATION + DURATION_MAX_AT] = { .name = "max_at",
		.type = CELL_MOMENT,
		.rank = 1,
		.help = "when it ran after that one" },
	[LATENCY_MAX_BY] = { .name = "max_by",
		.type = CELL_WORD,
		.rank = 1,
		.help = "which thread or interrupt woke it before that one" },
	[LATENCY_HISTOGRAM] = { .name = "latencies", .type = CELL_HISTOGRAM },
};

struct latency_record {
	struct subject subject;
	struct histogram latencies;
	struct rst_entity max_by;
};

struct latency_state {
	struct subjects threads;
};

static bool latency_change(void *context, const struct change *change)
{
	struct latency_state *state = context;
	struct latency_record *record;

	if (!change->is_answer)
		return true;
	state->threads.record_bytes = sizeof(*record);
	record = subject_of(&state->threads, change->thread);
	if (!record)
		return false;
	if (!record->latencies.n || change->waited > record->latencies.most)
		record->max_by = *change->by;
	return histogram_add(&record->latencies, change->waited, change->at);
}

static bool record_row(struct latency_state *state, const struct latency_record *record, struct table *table)
{
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const struct histogram *latencies = &record->latencies;
	struct table_cell *cells = table_row(table);

	if (!cells || !entity_name(&process, table, &cells[LATENCY_PROCESS]) ||
		!subject_name(&state->threads, &record->subject, table, &cells[LATENCY_THREAD]) ||
		!entity_name(&record->max_by, table, &cells[LATENCY_MAX_BY]))
		return false;
	cells[LATENCY_COUNT] = cell_count(latencies->n);
	cells[LATENCY_TOTAL] = cell_time(latencies->sum);
	cells[LATENCY_MEAN] = mean_cell(latencies);
	duration_cells(cells + LATENCY_DURATION, latencies);
	cells[LATENCY_HISTOGRAM] = cell_histogram(latencies);
	return true;
}

static bool latency_rows(void *context, struct table *table, uint64_t from, uint64_t to)
{
	struct latency_state *state = context;
	bool is_done = true;

	(void)from;
	(void)to;
	for (size_t i = 0; i < state->threads.n && is_done; i++)
		is_done = record_row(state, (const struct latency_record *)state->threads.all[i], table);
	return is_done;
}

static void latency_done(void *context)
{
	struct latency_state *state = context;

	for (size_t i = 0; i < state->threads.n; i++)
		histogram_done(&((struct latency_record *)state->threads.all[i])->latencies);
	subjects_done(&state->threads);
}

const struct analysis analysis_latency = {
	.name = "latency",
	.about = "from being woken to running: how long each thread took",
	.columns = columns,
	.n_columns = N_LATENCY_COLUMNS,
	.order = LATENCY_DURATION + DURATION_MAX,
	.state_bytes = sizeof(struct latency_state),
	.basis = BASIS_THREADS,
	.change = latency_change,
	.rows = latency_rows,
	.done = latency_done,
};
