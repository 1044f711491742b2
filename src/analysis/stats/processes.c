/* SPDX-License-Identifier: MIT */
/* `processes`: what the threads of each process did, together. */
#include "analysis/stats/reasons.h"
#include "analysis/stats/state_times.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"

enum {
	PROCESSES_PROCESS,
	PROCESSES_THREADS,
	PROCESSES_SHARE,
	PROCESSES_RUNNING,
	PROCESSES_READY,
	PROCESSES_WAITING,
	PROCESSES_UNKNOWN,
	PROCESSES_SWITCHES,
	PROCESSES_PREEMPTIONS,
	PROCESSES_WAKEUPS,
	PROCESSES_MIGRATIONS,
	PROCESSES_REASONS, /* the first one */
	N_PROCESSES_COLUMNS = PROCESSES_REASONS + RST_N_REASONS - 1
};

static const struct table_column columns[N_PROCESSES_COLUMNS] = {
	[PROCESSES_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[PROCESSES_THREADS] = { .name = "threads", .type = CELL_COUNT, .help = "how many there were" },
	[PROCESSES_SHARE] = { .name = "share",
		.type = CELL_SHARE,
		.is_bounded = true,
		.help = "of the window that its threads ran: two cores give up to 200 %" },
	[PROCESSES_RUNNING] = { .name = "running",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "time of its threads, added up, here and behind" },
	[PROCESSES_READY] = { .name = "ready",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "that they could have run and other threads had the cores" },
	[PROCESSES_WAITING] = { .name = "waiting",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "for any reason" },
	[PROCESSES_UNKNOWN] = { .name = "unknown",
		.type = CELL_TIME,
		.rank = 1,
		.help = "that the recording does not tell" },
	[PROCESSES_SWITCHES] = { .name = "switches",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "how often one of them got a core" },
	[PROCESSES_PREEMPTIONS] = { .name = "preemptions",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "how often one of them lost its core although it could have gone on" },
	[PROCESSES_WAKEUPS] = { .name = "wakeups", .type = CELL_COUNT, .rank = 2 },
	[PROCESSES_MIGRATIONS] = { .name = "migrations", .type = CELL_COUNT, .rank = 2 },
	REASON_COLUMNS(PROCESSES_REASONS),
};

struct process_record {
	struct subject subject;
	struct state_times times;
	uint64_t n_threads, n_switches, n_preemptions, n_wakeups, n_migrations;
};

struct processes_state {
	struct subjects processes, threads;
};

static struct process_record *process_record_of(
	struct processes_state *state, const struct rst_entity *thread)
{
	const struct rst_entity process = entity_of_process(thread);

	return subject_of(&state->processes, &process);
}

static bool processes_piece(void *context, const struct piece *piece)
{
	struct processes_state *state = context;
	const size_t n_threads = state->threads.n;
	struct process_record *record;

	if (!piece->interval->subject.process)
		return true;
	record = process_record_of(state, &piece->interval->subject);
	if (!record || !subject_of(&state->threads, &piece->interval->subject))
		return false;
	record->n_threads += state->threads.n - n_threads;
	state_times_add(&record->times, piece);
	return true;
}

static bool processes_change(void *context, const struct change *change)
{
	struct process_record *record;

	if (!change->thread->process)
		return true;
	record = process_record_of(context, change->thread);
	if (!record)
		return false;
	record->n_switches += change->is_switch;
	record->n_preemptions += change_is_preemption(change);
	record->n_wakeups += change->is_wake;
	record->n_migrations += change->is_migration;
	return true;
}

static bool process_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct processes_state *state = context;
	const struct process_record *record = subject;
	const struct state_times *times = &record->times;
	struct table_cell *cells = table_row(table);

	if (!cells || !subject_name(&state->processes, &record->subject, table, &cells[PROCESSES_PROCESS]))
		return false;
	cells[PROCESSES_THREADS] = cell_count(record->n_threads);
	cells[PROCESSES_SHARE] = state_share_cell(times, times->ticks[RST_STATE_RUNNING], window);
	cells[PROCESSES_RUNNING] = state_time_cell(times, RST_STATE_RUNNING);
	cells[PROCESSES_READY] = state_time_cell(times, RST_STATE_READY);
	cells[PROCESSES_WAITING] = state_time_cell(times, RST_STATE_WAITING);
	cells[PROCESSES_UNKNOWN] = cell_time(times->ticks[RST_STATE_UNKNOWN]);
	cells[PROCESSES_SWITCHES] = cell_count(record->n_switches);
	cells[PROCESSES_PREEMPTIONS] = cell_count(record->n_preemptions);
	cells[PROCESSES_WAKEUPS] = cell_count(record->n_wakeups);
	cells[PROCESSES_MIGRATIONS] = cell_count(record->n_migrations);
	reason_cells(cells + PROCESSES_REASONS, times->reasons);
	return true;
}

const struct analysis analysis_processes = {
	.observer = {
		.state_bytes = sizeof(struct processes_state),
		.records = { { offsetof(struct processes_state, processes), sizeof(struct process_record) },
			{ offsetof(struct processes_state, threads), sizeof(struct subject) } },
		.intervals = SCAN_BIT(RST_INTERVAL_THREAD),
		.piece = processes_piece,
	},
	.name = "processes",
	.about = "what the threads of each process did, together",
	.columns = columns,
	.n_columns = N_PROCESSES_COLUMNS,
	.order = PROCESSES_SHARE,
	.basis = BASIS_THREADS,
	.change = processes_change,
	.record = process_record_row,
};
