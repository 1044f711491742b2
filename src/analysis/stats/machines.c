/* SPDX-License-Identifier: MIT */
/*
 * `machines`: what state machines did: how long each was in which state, from which one it went to which
 * other one, and how long it took to handle which event.
 */
#include "analysis/stats/cuts.h"
#include "analysis/stats/lengths.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"

enum {
	MACHINES_KIND,
	MACHINES_MACHINE,
	MACHINES_STATE,
	MACHINES_NEXT,
	MACHINES_EVENT,
	MACHINES_COUNT,
	MACHINES_SHARE,
	MACHINES_TOTAL,
	MACHINES_MEAN,
	MACHINES_DURATION,
	MACHINES_LENGTHS = MACHINES_DURATION + N_DURATION_CELLS,
	N_MACHINES_COLUMNS
};

static const struct table_column columns[N_MACHINES_COLUMNS] = {
	[MACHINES_KIND] = { .name = "kind",
		.type = CELL_WORD,
		.help = "state: of its visits; transition; dispatch: of an event" },
	[MACHINES_MACHINE] = { .name = "machine", .type = CELL_WORD, .is_subject = true },
	[MACHINES_STATE] = { .name = "state", .type = CELL_WORD, .help = "transition: the one that it left" },
	[MACHINES_NEXT] = { .name = "next",
		.type = CELL_WORD,
		.help = "transition: the one that it entered" },
	[MACHINES_EVENT] = { .name = "event", .type = CELL_WORD, .help = "dispatch: which event it handled" },
	[MACHINES_COUNT] = { .name = "count", .type = CELL_COUNT, .help = "how often" },
	[MACHINES_SHARE] = { .name = "share", .type = CELL_SHARE, .rank = 1, .help = "of the window" },
	[MACHINES_TOTAL] = { .name = "total", .type = CELL_TIME },
	[MACHINES_MEAN] = { .name = "mean", .type = CELL_TIME, .rank = 1 },
	DURATION_COLUMNS(MACHINES_DURATION, "", false, 2, 3, 2, 0, 3, "the median", "when that one ended"),
	[MACHINES_LENGTHS] = { .name = "lengths", .type = CELL_HISTOGRAM },
};

enum what { WHAT_STATE, WHAT_TRANSITION, WHAT_DISPATCH, N_WHATS };

/* Each thing has a number. The numbers make the keys of records about two or three things. */
struct numbered {
	struct subject subject;
	uint32_t number;
	bool is_machine;
	const struct numbered *state; /* of a machine: the one that ended last … */
	uint64_t until;		      /* … and when */
};

struct machine_record {
	struct subject subject; /* by numbers */
	const struct numbered *machine, *state, *next, *event;
	uint64_t n;
	struct lengths lengths;
};

/* Shared by all parts: all machines, states and events, and where each machine was. */
struct machines_shared {
	struct subjects machines, states, events;
	struct cuts cuts;
	bool has_machines; /* only then is a span the dispatch of one */
};

struct machines_state {
	struct machines_shared *shared;
	struct subjects whats[N_WHATS];
};

static struct numbered *machine_number_of(struct subjects *subjects, const struct rst_entity *entity)
{
	struct numbered *numbered;

	subjects->record_bytes = sizeof(*numbered);
	numbered = subject_of(subjects, entity);
	if (numbered && !numbered->number)
		numbered->number = (uint32_t)subjects->n;
	return numbered;
}

/* Its states name it as an object, its dispatches as a thread. */
static struct numbered *machine_of(struct machines_shared *shared, const struct rst_entity *entity)
{
	struct rst_entity machine = *entity;

	machine.kind = "machine";
	return machine_number_of(&shared->machines, &machine);
}

/* A state belongs to its machine; two machines may have a state of the same id. */
static struct machine_record *machine_record_of(struct machines_state *state, enum what what,
	const struct numbered *machine, const struct numbered *first, const struct numbered *second)
{
	struct subjects *subjects = &state->whats[what];
	const struct rst_entity key = { .form = RST_ENTITY_NUMBER,
		.id = (uint64_t)machine->number << 32 | first->number,
		.process = second ? second->number : 0 };
	struct machine_record *record;

	subjects->record_bytes = sizeof(*record);
	record = subject_of(subjects, &key);
	if (record && !record->machine) {
		record->machine = machine;
		record->event = what == WHAT_DISPATCH ? first : NULL;
		record->state = what == WHAT_DISPATCH ? NULL : first;
		record->next = second;
	}
	return record;
}

/* Counts a transition from the state that ended last, unless events were lost since then. */
static bool transition_count(
	struct machines_state *state, struct numbered *machine, const struct numbered *next, uint64_t at)
{
	struct machine_record *record;

	if (!machine->state || machine->until > at || cuts_between(&state->shared->cuts, machine->until, at))
		return true;
	record = machine_record_of(state, WHAT_TRANSITION, machine, machine->state, next);
	if (record)
		record->n++;
	return record != NULL;
}

static bool state_count(struct machines_state *state, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct numbered *machine = machine_of(state->shared, &interval->subject);
	struct numbered *present = machine_number_of(&state->shared->states, &interval->object);
	struct machine_record *record =
		machine && present ? machine_record_of(state, WHAT_STATE, machine, present, NULL) : NULL;

	if (!record)
		return false;
	machine->is_machine = true;
	if (piece_begins(piece)) {
		record->n++;
		if (!transition_count(state, machine, present, piece->from))
			return false;
	}
	machine->state = present;
	machine->until = piece->has_end ? piece->to : UINT64_MAX;
	return lengths_take(&record->lengths, piece, &interval->subject);
}

/*
 * A span of a thread that is a machine is the handling of an event. Which threads are machines is known only
 * at the end.
 */
static bool dispatch_count(struct machines_state *state, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct numbered *machine = machine_of(state->shared, &interval->object);
	struct numbered *event = machine_number_of(&state->shared->events, &interval->subject);
	struct machine_record *record =
		machine && event ? machine_record_of(state, WHAT_DISPATCH, machine, event, NULL) : NULL;

	if (!record)
		return false;
	record->n += piece_begins(piece);
	/* A dispatch without a recorded end has no length. */
	return interval->to_seq == RST_NO_SEQ || lengths_take(&record->lengths, piece, &interval->object);
}

static bool machines_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct machines_state *state = context;

	(void)batch;
	(void)row;
	cuts_add(&state->shared->cuts, at);
	return true;
}

static bool machines_effect(void *context, const struct occurrence *occurrence)
{
	struct machines_state *state = context;

	(void)occurrence;
	state->shared->has_machines = true;
	return true;
}

static bool machines_piece(void *context, const struct piece *piece)
{
	struct machines_state *state = context;

	if (piece->interval->kind == RST_INTERVAL_MACHINE)
		return state_count(state, piece);
	return !state->shared->has_machines || dispatch_count(state, piece);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static bool name_cell(struct subjects *subjects, const struct numbered *numbered, struct table *table,
	struct table_cell *ret_cell)
{
	return !numbered || subject_name(subjects, &numbered->subject, table, ret_cell);
}

static bool machine_record_row(struct machines_state *state, const struct machine_record *record,
	enum what what, struct table *table, uint64_t window)
{
	static const char *const words[N_WHATS] = { "state", "transition", "dispatch" };
	struct machines_shared *shared = state->shared;
	const struct histogram *lengths = &record->lengths.histogram;
	const bool has_time = what != WHAT_TRANSITION;
	struct table_cell *cells = table_row(table);

	if (!cells || !name_cell(&shared->machines, record->machine, table, &cells[MACHINES_MACHINE]) ||
		!name_cell(&shared->states, record->state, table, &cells[MACHINES_STATE]) ||
		!name_cell(&shared->states, record->next, table, &cells[MACHINES_NEXT]) ||
		!name_cell(&shared->events, record->event, table, &cells[MACHINES_EVENT]))
		return false;
	cells[MACHINES_KIND] = cell_word(words[what]);
	cells[MACHINES_COUNT] = cell_count(record->n);
	cells[MACHINES_SHARE] = cell_if(has_time, cell_share((double)record->lengths.total, (double)window));
	cells[MACHINES_TOTAL] = cell_if(has_time, cell_time(record->lengths.total));
	cells[MACHINES_MEAN] = mean_cell(lengths);
	duration_cells(cells + MACHINES_DURATION, lengths);
	cells[MACHINES_LENGTHS] = cell_histogram(lengths->n ? lengths : NULL);
	return true;
}

static bool machines_rows(void *context, struct table *table, uint64_t from, uint64_t to)
{
	struct machines_state *state = context;

	for (unsigned what = 0; what < N_WHATS; what++) {
		struct subjects *records = &state->whats[what];
		const size_t first = table->n_rows;

		for (size_t i = 0; i < records->n; i++) {
			const struct machine_record *record = (const struct machine_record *)records->all[i];

			if (record->machine->is_machine &&
				!machine_record_row(state, record, (enum what)what, table, to - from))
				return false;
		}
		if (!table_sort(table, first, table->n_leading + MACHINES_COUNT) ||
			!table_sort(table, first, table->n_leading + MACHINES_TOTAL) ||
			!table_sort(table, first, table->n_leading + MACHINES_MACHINE))
			return false;
	}
	return true;
}

static void machines_done(void *context)
{
	struct machines_state *state = context;

	for (unsigned what = 0; what < N_WHATS; what++) {
		for (size_t i = 0; i < state->whats[what].n; i++)
			histogram_done(
				&((struct machine_record *)state->whats[what].all[i])->lengths.histogram);
		subjects_done(&state->whats[what]);
	}
}

static void machines_shared_done(void *context)
{
	struct machines_shared *shared = context;

	subjects_done(&shared->machines);
	subjects_done(&shared->states);
	subjects_done(&shared->events);
}

const struct analysis analysis_machines = {
	.observer = {
		.state_bytes = sizeof(struct machines_state),
		.shared_bytes = sizeof(struct machines_shared),
		.effects = SCAN_BIT(RST_EFFECT_STATE),
		.intervals = SCAN_BIT(RST_INTERVAL_MACHINE) | SCAN_BIT(RST_INTERVAL_SPAN),
		.rows_wanted = ROWS_GAPS,
		.row = machines_row,
		.effect = machines_effect,
		.piece = machines_piece,
		.done = machines_done,
		.shared_done = machines_shared_done,
	},
	.name = "machines",
	.about = "in which state each state machine was, its transitions, and how long it handled events",
	.columns = columns,
	.n_columns = N_MACHINES_COLUMNS,
	.order = N_MACHINES_COLUMNS,
	.basis = BASIS_EVENTS,
	.rows = machines_rows,
};
