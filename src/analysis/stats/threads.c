/* SPDX-License-Identifier: MIT */
/*
 * `threads`: how often each thread ran, for how long, what ended it, and how soon it ran after it was woken.
 */
#include "analysis/stats/state_times.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/times.h"
#include "analysis/subjects.h"
#include "base/array.h"

enum {
	THREADS_PROCESS,
	THREADS_THREAD,
	THREADS_PRIORITY,
	THREADS_SHARE,
	THREADS_RUNNING,
	THREADS_READY,
	THREADS_WAITING,
	THREADS_SWITCHES,
	THREADS_PREEMPTIONS,
	THREADS_BLOCKS,
	THREADS_WAKEUPS,
	THREADS_MIGRATIONS,
	THREADS_RUN,
	THREADS_LATENCY = THREADS_RUN + N_DURATION_CELLS,
	THREADS_RUNS = THREADS_LATENCY + N_DURATION_CELLS,
	THREADS_ID,
	N_THREADS_COLUMNS
};

static const struct table_column columns[N_THREADS_COLUMNS] = {
	[THREADS_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[THREADS_THREAD] = { .name = "thread", .type = CELL_WORD, .is_subject = true },
	[THREADS_PRIORITY] = { .name = "priority",
		.type = CELL_NUMBER,
		.help = "the last one; whether a smaller number is more urgent is the target's rule" },
	[THREADS_SHARE] = { .name = "share",
		.type = CELL_SHARE,
		.is_bounded = true,
		.rank = 1,
		.help = "of the window that it ran" },
	[THREADS_RUNNING] = { .name = "running", .type = CELL_TIME, .is_bounded = true, .rank = 2 },
	[THREADS_READY] = { .name = "ready",
		.type = CELL_TIME,
		.is_bounded = true,
		.rank = 2,
		.help = "that it could have run and another thread had the core" },
	[THREADS_WAITING] = { .name = "waiting",
		.type = CELL_TIME,
		.is_bounded = true,
		.rank = 2,
		.help = "for any reason" },
	[THREADS_SWITCHES] = { .name = "switches", .type = CELL_COUNT, .help = "how often it got a core" },
	[THREADS_PREEMPTIONS] = { .name = "preemptions",
		.type = CELL_COUNT,
		.help = "how often it lost its core although it could have gone on" },
	[THREADS_BLOCKS] = { .name = "blocks",
		.type = CELL_COUNT,
		.rank = 3,
		.help = "how often it began to wait while it ran" },
	[THREADS_WAKEUPS] = { .name = "wakeups",
		.type = CELL_COUNT,
		.help = "how often it could run again after it had waited, or for the first time" },
	[THREADS_MIGRATIONS] = { .name = "migrations",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "how often it ran on another core than before" },
	DURATION_COLUMNS(THREADS_RUN, "run_", true, 1, 3, 3, 0, 4,
		"length of its runs, without interrupts: the median", "when that one ended"),
	DURATION_COLUMNS(THREADS_LATENCY, "latency_", true, 1, 3, 3, 0, 4,
		"from being woken to running: the median", "when it ran after that one"),
	[THREADS_RUNS] = { .name = "runs", .type = CELL_HISTOGRAM, .help = "lengths of runs" },
	[THREADS_ID] = { .name = "id",
		.type = CELL_WORD,
		.is_data = true,
		.help = "number or address of the thread, as text" },
};

struct thread_record {
	struct subject subject;
	struct state_times times;
	bool has_priority;
	int64_t priority;
	uint64_t n_switches, n_preemptions, n_blocks, n_wakeups, n_migrations;
	struct histogram runs, latencies;
};

struct threads_state {
	struct subjects threads;
	int32_t *known; /* priorities of contexts, + 1, by index: what their last events had */
	size_t known_room;
};

static struct thread_record *thread_record_of(struct threads_state *state, const struct rst_entity *thread)
{
	return subject_of(&state->threads, thread);
}

static bool priority_set(struct threads_state *state, const struct rst_context *thread, int64_t priority)
{
	const struct rst_entity entity = rst_entity_of_context(thread);
	struct thread_record *record = thread_record_of(state, &entity);

	if (!record)
		return false;
	record->has_priority = true;
	record->priority = priority;
	return true;
}

static __attribute__((noinline)) bool priority_note(
	struct threads_state *state, const struct rst_context *self, int16_t priority)
{
	int32_t *known;

	if (!self || self->kind != RST_CONTEXT_THREAD || self->is_subject)
		return true;
	known = array_reach(state->known, &state->known_room, self->thread->index, sizeof(*known));
	if (!known)
		return false;
	state->known = known;
	known += self->thread->index;
	if (*known == priority + 1)
		return true;
	*known = priority + 1;
	return priority_set(state, self, priority);
}

/* If events have the priority of their thread: few of them change it. */
static bool threads_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct threads_state *state = context;
	const struct rst_context *self = batch->context[row];
	const int16_t priority = rst_batch_priority(batch, row);

	(void)at;
	if (priority == RST_NO_PRIORITY || (self && self->thread->index < state->known_room &&
						   state->known[self->thread->index] == priority + 1))
		return true;
	return priority_note(state, self, priority);
}

static bool threads_effect(void *context, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;

	if (!facts->thread || !facts->has_value)
		return true;
	return priority_set(context, facts->thread, (int64_t)facts->value);
}

static bool threads_piece(void *context, const struct piece *piece)
{
	struct thread_record *record = thread_record_of(context, &piece->interval->subject);

	if (record)
		state_times_add(&record->times, piece);
	return record != NULL;
}

static bool threads_change(void *context, const struct change *change)
{
	struct thread_record *record = thread_record_of(context, change->thread);
	const bool is_run = change->before == RST_STATE_RUNNING;

	if (!record)
		return false;
	record->n_switches += change->is_switch;
	record->n_migrations += change->is_migration;
	record->n_wakeups += change->is_wake;
	record->n_preemptions += change_is_preemption(change);
	record->n_blocks += is_run && change->after == RST_STATE_WAITING;
	if (is_run && change->is_whole && !histogram_add(&record->runs, change->lasted, change->at))
		return false;
	return !change->is_answer || histogram_add(&record->latencies, change->waited, change->at);
}

/*
 * Whether the thread has something to count: not if it is only named, or if the recording does not show that
 * threads run.
 */
static bool has_states(const struct thread_record *record)
{
	for (size_t i = 0; i < RST_N_STATES; i++)
		if (record->times.ticks[i])
			return true;
	return record->n_switches || record->n_wakeups || record->n_blocks;
}

static bool thread_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct threads_state *state = context;
	const struct thread_record *record = subject;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const struct state_times *times = &record->times;
	struct table_cell *cells;

	if (!has_states(record))
		return true;
	cells = table_row(table);
	if (!cells || !entity_name(&process, table, &cells[THREADS_PROCESS]) ||
		!subject_name(&state->threads, &record->subject, table, &cells[THREADS_THREAD]) ||
		!entity_id(&record->subject.entity, table, &cells[THREADS_ID]))
		return false;
	cells[THREADS_PRIORITY] = cell_if(record->has_priority, cell_number(record->priority));
	cells[THREADS_SHARE] = state_share_cell(times, times->ticks[RST_STATE_RUNNING], window);
	cells[THREADS_RUNNING] = state_time_cell(times, RST_STATE_RUNNING);
	cells[THREADS_READY] = state_time_cell(times, RST_STATE_READY);
	cells[THREADS_WAITING] = state_time_cell(times, RST_STATE_WAITING);
	cells[THREADS_SWITCHES] = cell_count(record->n_switches);
	cells[THREADS_PREEMPTIONS] = cell_count(record->n_preemptions);
	cells[THREADS_BLOCKS] = cell_count(record->n_blocks);
	cells[THREADS_WAKEUPS] = cell_count(record->n_wakeups);
	cells[THREADS_MIGRATIONS] = cell_if(record->n_migrations > 0, cell_count(record->n_migrations));
	duration_cells(cells + THREADS_RUN, &record->runs);
	duration_cells(cells + THREADS_LATENCY, &record->latencies);
	cells[THREADS_RUN + DURATION_MAX] =
		longest_cell(&record->runs, times->ticks[RST_STATE_UNKNOWN], window);
	cells[THREADS_LATENCY + DURATION_MAX] =
		longest_cell(&record->latencies, times->ticks[RST_STATE_UNKNOWN], window);
	cells[THREADS_RUNS] = cell_histogram(record->runs.n ? &record->runs : NULL);
	return true;
}

static void thread_record_done(void *subject)
{
	struct thread_record *record = subject;

	histogram_done(&record->runs);
	histogram_done(&record->latencies);
}

static void threads_done(void *context)
{
	struct threads_state *state = context;

	free(state->known);
}

const struct analysis analysis_threads = {
	.observer = {
		.state_bytes = sizeof(struct threads_state),
		.records = { { offsetof(struct threads_state, threads), sizeof(struct thread_record), thread_record_done } },
		.effects = SCAN_BIT(RST_EFFECT_PRIORITY),
		.intervals = SCAN_BIT(RST_INTERVAL_THREAD),
		.row = threads_row,
		.effect = threads_effect,
		.piece = threads_piece,
		.done = threads_done,
	},
	.name = "threads",
	.about = "how often and how long each thread ran, and how soon after it was woken",
	.columns = columns,
	.n_columns = N_THREADS_COLUMNS,
	.order = THREADS_SHARE,
	.basis = BASIS_THREADS,
	.page_rows = 6,
	.change = threads_change,
	.record = thread_record_row,
};
