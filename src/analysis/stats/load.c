/* SPDX-License-Identifier: MIT */
/* `load`: what each core, process, thread and interrupt did with the time of the window. */
#include "analysis/stats/reasons.h"
#include "analysis/stats/state_times.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"

enum {
	LOAD_KIND,
	LOAD_CORE,
	LOAD_PROCESS,
	LOAD_THREAD,
	LOAD_INTERRUPT,
	LOAD_SHARE,
	LOAD_RUNNING,
	LOAD_READY,
	LOAD_WAITING,
	LOAD_INTERRUPTED,
	LOAD_IDLE,
	LOAD_UNKNOWN,
	LOAD_REASONS, /* the first one */
	N_LOAD_COLUMNS = LOAD_REASONS + RST_N_REASONS - 1
};

static const struct table_column columns[N_LOAD_COLUMNS] = {
	[LOAD_KIND] = { .name = "kind",
		.type = CELL_WORD,
		.is_data = true,
		.help = "core, process, thread or interrupt" },
	[LOAD_CORE] = { .name = "core", .type = CELL_WORD, .is_subject = true },
	[LOAD_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[LOAD_THREAD] = { .name = "thread", .type = CELL_WORD, .is_subject = true },
	[LOAD_INTERRUPT] = { .name = "interrupt", .type = CELL_WORD, .is_subject = true },
	[LOAD_SHARE] = { .name = "share",
		.type = CELL_SHARE,
		.is_bounded = true,
		.help = "of the window that it ran; of a core: that it did not idle" },
	[LOAD_RUNNING] = { .name = "running", .type = CELL_TIME, .is_bounded = true },
	[LOAD_READY] = { .name = "ready",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "that it could have run and another thread had the core" },
	[LOAD_WAITING] = { .name = "waiting",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "for any reason" },
	[LOAD_INTERRUPTED] = { .name = "interrupted",
		.type = CELL_TIME,
		.is_bounded = true,
		.rank = 1,
		.help = "while it would have run; of a core: that it was in interrupts" },
	[LOAD_IDLE] = { .name = "idle", .type = CELL_TIME, .is_bounded = true, .rank = 1 },
	[LOAD_UNKNOWN] = { .name = "unknown",
		.type = CELL_TIME,
		.rank = 1,
		.help = "that the recording does not tell" },
	REASON_COLUMNS(LOAD_REASONS),
};

struct load_record {
	struct subject subject;
	struct state_times times;
};

enum { KIND_CORE, KIND_PROCESS, KIND_THREAD, KIND_INTERRUPT, N_KINDS };

struct load_state {
	struct subjects kinds[N_KINDS];
};

/* The first reason is RST_REASON_NONE, the reason of waits that are not understood. */
static bool load_count(struct subjects *subjects, const struct rst_entity *entity, const struct piece *piece)
{
	struct load_record *record;

	subjects->record_bytes = sizeof(*record);
	record = subject_of(subjects, entity);
	if (!record)
		return false;
	state_times_add(&record->times, piece);
	return true;
}

static bool load_piece(void *context, const struct piece *piece)
{
	struct load_state *state = context;
	const struct rst_interval *interval = piece->interval;
	const struct rst_entity process = entity_of_process(&interval->subject);

	if (interval->kind == RST_INTERVAL_CORE)
		return load_count(&state->kinds[KIND_CORE], &interval->subject, piece);
	if (interval->kind == RST_INTERVAL_THREAD)
		return load_count(&state->kinds[KIND_THREAD], &interval->subject, piece) &&
		       (!process.id || load_count(&state->kinds[KIND_PROCESS], &process, piece));

	/* An interrupt has no states: it runs from its entry to its exit. */
	struct rst_interval running = *interval;
	struct piece run = *piece;

	running.state = RST_STATE_RUNNING;
	run.interval = &running;
	return load_count(&state->kinds[KIND_INTERRUPT], &interval->subject, &run);
}

static bool load_row(struct subjects *subjects, const struct load_record *record, unsigned kind,
	struct table *table, uint64_t window)
{
	static const char *const words[N_KINDS] = { "core", "process", "thread", "interrupt" };
	static const unsigned subject_columns[N_KINDS] = { LOAD_CORE, LOAD_PROCESS, LOAD_THREAD,
		LOAD_INTERRUPT };
	const struct state_times *times = &record->times;
	const bool has_states = kind != KIND_INTERRUPT, is_core = kind == KIND_CORE;
	const bool is_thread = kind == KIND_THREAD || kind == KIND_PROCESS;
	const enum rst_state interrupted = is_core ? RST_STATE_INTERRUPT : RST_STATE_INTERRUPTED;
	struct table_cell *cells = table_row(table);

	if (!cells || !(kind == KIND_INTERRUPT ? interrupt_name : subject_name)(
			      subjects, &record->subject, table, &cells[subject_columns[kind]]))
		return false;
	cells[LOAD_KIND] = cell_word(words[kind]);
	cells[LOAD_RUNNING] = state_time_cell(times, RST_STATE_RUNNING);
	cells[LOAD_SHARE] = state_share_cell(
		times, times->ticks[RST_STATE_RUNNING] + (is_core ? times->ticks[interrupted] : 0), window);
	cells[LOAD_READY] = cell_if(is_thread, state_time_cell(times, RST_STATE_READY));
	cells[LOAD_WAITING] = cell_if(is_thread, state_time_cell(times, RST_STATE_WAITING));
	cells[LOAD_INTERRUPTED] = cell_if(has_states, state_time_cell(times, interrupted));
	cells[LOAD_IDLE] = cell_if(is_core, state_time_cell(times, RST_STATE_IDLE));
	cells[LOAD_UNKNOWN] = cell_if(has_states, cell_time(times->ticks[RST_STATE_UNKNOWN]));
	if (is_thread)
		reason_cells(cells + LOAD_REASONS, times->reasons);
	return true;
}

static bool load_rows(void *context, struct table *table, uint64_t from, uint64_t to)
{
	struct load_state *state = context;

	for (unsigned kind = 0; kind < N_KINDS; kind++) {
		struct subjects *subjects = &state->kinds[kind];
		const size_t first = table->n_rows;

		for (size_t i = 0; i < subjects->n; i++)
			if (!load_row(subjects, (const struct load_record *)subjects->all[i], kind, table,
				    to - from))
				return false;
		if (!table_sort(table, first, table->n_leading + LOAD_SHARE))
			return false;
	}
	return true;
}

static void load_done(void *context)
{
	struct load_state *state = context;

	for (unsigned kind = 0; kind < N_KINDS; kind++)
		subjects_done(&state->kinds[kind]);
}

const struct analysis analysis_load = {
	.observer = {
		.state_bytes = sizeof(struct load_state),
		.intervals = SCAN_BIT(RST_INTERVAL_CORE) | SCAN_BIT(RST_INTERVAL_THREAD) |
			     SCAN_BIT(RST_INTERVAL_INTERRUPT),
		.piece = load_piece,
		.done = load_done,
	},
	.name = "load",
	.about = "what each core, process, thread and interrupt did with its time",
	.columns = columns,
	.n_columns = N_LOAD_COLUMNS,
	.order = N_LOAD_COLUMNS,
	.basis = BASIS_CORES,
	.page_rows = 8,
	.rows = load_rows,
};
