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
	[LATENCY_TOTAL] = { .name = "total", .type = CELL_TIME, .is_bounded = true, .rank = 2 },
	[LATENCY_MEAN] = { .name = "mean", .type = CELL_TIME, .rank = 1 },
	DURATION_COLUMNS(
		LATENCY_DURATION, "", true, 0, 1, 0, 0, 1, "the median", "when it ran after that one"),
	[LATENCY_MAX_BY] = { .name = "max_by",
		.type = CELL_WORD,
		.rank = 1,
		.help = "which thread or interrupt woke it before that one" },
	[LATENCY_HISTOGRAM] = { .name = "latencies", .type = CELL_HISTOGRAM },
};

struct latency_record {
	struct subject subject;
	struct histogram latencies;
	uint64_t unknown; /* ticks that are not proved */
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
	record = subject_of(&state->threads, change->thread);
	if (!record)
		return false;
	if (!record->latencies.n || change->waited > record->latencies.most)
		record->max_by = *change->by;
	return histogram_add(&record->latencies, change->waited, change->at);
}

static bool latency_piece(void *context, const struct piece *piece)
{
	struct latency_state *state = context;
	struct latency_record *record = subject_of(&state->threads, &piece->interval->subject);

	if (record && !piece_is_proved(piece))
		record->unknown += piece_ticks(piece);
	return record != NULL;
}

static bool latency_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct latency_state *state = context;
	const struct latency_record *record = subject;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const struct histogram *latencies = &record->latencies;
	struct table_cell *cells;

	if (!latencies->n)
		return true;
	cells = table_row(table);
	if (!cells || !entity_name(&process, table, &cells[LATENCY_PROCESS]) ||
		!subject_name(&state->threads, &record->subject, table, &cells[LATENCY_THREAD]) ||
		!entity_name(&record->max_by, table, &cells[LATENCY_MAX_BY]))
		return false;
	cells[LATENCY_COUNT] = cell_count(latencies->n);
	cells[LATENCY_TOTAL] = cell_time_between(latencies->sum, latencies->sum + record->unknown);
	cells[LATENCY_MEAN] = mean_cell(latencies);
	duration_cells(cells + LATENCY_DURATION, latencies);
	cells[LATENCY_DURATION + DURATION_MAX] = longest_cell(latencies, record->unknown, window);
	cells[LATENCY_HISTOGRAM] = cell_histogram(latencies);
	return true;
}

static void latency_record_done(void *subject)
{
	struct latency_record *record = subject;

	histogram_done(&record->latencies);
}

const struct analysis analysis_latency = {
	.observer = {
		.state_bytes = sizeof(struct latency_state),
		.records = { { offsetof(struct latency_state, threads), sizeof(struct latency_record), latency_record_done } },
		.intervals = SCAN_BIT(RST_INTERVAL_THREAD),
		.piece = latency_piece,
	},
	.name = "latency",
	.about = "from being woken to running: how long each thread took",
	.columns = columns,
	.n_columns = N_LATENCY_COLUMNS,
	.order = LATENCY_DURATION + DURATION_MAX,
	.basis = BASIS_THREADS,
	.change = latency_change,
	.record = latency_record_row,
};
