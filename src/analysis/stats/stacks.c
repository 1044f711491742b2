/* SPDX-License-Identifier: MIT */
/*
 * `stacks`: the least that was free of each thread's stack, where events have an address in it, or the
 * recording shows what is free as a level. Between the events it may have been less.
 */
#include "analysis/stack.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"

enum {
	STACKS_PROCESS,
	STACKS_THREAD,
	STACKS_SIZE,
	STACKS_LEAST_FREE,
	STACKS_MAX_USED,
	STACKS_SHARE,
	STACKS_LEAST_FREE_AT,
	STACKS_SAMPLES,
	STACKS_OUTSIDE,
	N_STACKS_COLUMNS
};

static const struct table_column columns[N_STACKS_COLUMNS] = {
	[STACKS_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[STACKS_THREAD] = { .name = "thread", .type = CELL_WORD, .is_subject = true },
	[STACKS_SIZE] = { .name = "size", .type = CELL_COUNT, .unit = "bytes" },
	[STACKS_LEAST_FREE] = { .name = "least_free",
		.type = CELL_COUNT,
		.unit = "bytes",
		.help = "of all events that show it; between them it may have been less" },
	[STACKS_MAX_USED] = { .name = "max_used", .type = CELL_COUNT, .unit = "bytes" },
	[STACKS_SHARE] = { .name = "share", .type = CELL_SHARE, .help = "of the stack that was used then" },
	[STACKS_LEAST_FREE_AT] = { .name = "least_free_at", .type = CELL_MOMENT, .rank = 1 },
	[STACKS_SAMPLES] = { .name = "samples",
		.type = CELL_COUNT,
		.rank = 2,
		.help = "events that show how much is free" },
	[STACKS_OUTSIDE] = { .name = "outside",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "events whose address is not in the stack: it was too small, or threads run on other "
			"stacks" },
};

struct stack_record {
	struct subject subject;
	bool is_known; /* its place has been looked up */
	struct stack_place place;
	uint64_t n, n_outside;
	uint64_t least, least_at;
};

struct stacks_state {
	struct subjects threads;
	struct stack_fields fields;
};

static struct stack_record *stack_record_of(
	struct stacks_state *state, const struct rst_entity *thread, const struct rst_object *object)
{
	struct stack_record *record;

	record = subject_of(&state->threads, thread);
	if (record && !record->is_known) {
		record->is_known = true;
		record->place = stack_place_of(object);
	}
	return record;
}

static void stack_free_count(struct stack_record *record, uint64_t n_free, uint64_t at)
{
	if (!record->n++ || n_free < record->least) {
		record->least = n_free;
		record->least_at = at;
	}
}

static bool stacks_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct stacks_state *state = context;
	const struct rst_context *thread = batch->context[row];
	struct rst_entity entity;
	struct stack_record *record;
	uint64_t address, n_free;
	const enum stack_look look = stack_fields_look(&state->fields, batch, row, &address);

	if (look != STACK_LOOK_ADDRESS)
		return look == STACK_LOOK_NOTHING;
	entity = rst_entity_of_context(thread);
	record = stack_record_of(state, &entity, thread->object);
	if (!record)
		return false;
	if (stack_free_at(&record->place, address, &n_free))
		stack_free_count(record, n_free, at);
	else
		record->n_outside++;
	return true;
}

/* A level of a thread that counts what is free is that of its stack. */
static bool stacks_effect(void *context, const struct occurrence *occurrence)
{
	struct stacks_state *state = context;
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_entity thread = rst_entity_of_ref(&facts->object);
	struct stack_record *record;
	uint64_t n_free;

	if (!stack_free_of(facts, &n_free))
		return true;
	record = stack_record_of(state, &thread, facts->object.object);
	if (!record)
		return false;
	if (facts->has_capacity)
		record->place.size = facts->capacity;
	stack_free_count(record, n_free, occurrence->at);
	return true;
}

static bool stack_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct stacks_state *state = context;
	const struct stack_record *record = subject;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const bool has_size = record->place.size > 0,
		   has_used = record->n > 0 && record->least <= record->place.size;
	const uint64_t used = record->place.size - record->least;
	struct table_cell *cells = table_row(table);

	(void)window;
	if (!cells || !entity_name(&process, table, &cells[STACKS_PROCESS]) ||
		!subject_name(&state->threads, &record->subject, table, &cells[STACKS_THREAD]))
		return false;
	cells[STACKS_SIZE] = cell_if(has_size, cell_count(record->place.size));
	cells[STACKS_LEAST_FREE] = cell_if(record->n > 0, cell_count(record->least));
	cells[STACKS_MAX_USED] = cell_if(has_size && has_used, cell_count(used));
	cells[STACKS_SHARE] =
		cell_if(has_size && has_used, cell_share((double)used, (double)record->place.size));
	cells[STACKS_LEAST_FREE_AT] = cell_if(record->n > 0, cell_moment(record->least_at));
	cells[STACKS_SAMPLES] = cell_count(record->n);
	cells[STACKS_OUTSIDE] = cell_count(record->n_outside);
	return true;
}

static void stacks_done(void *context)
{
	struct stacks_state *state = context;

	stack_fields_done(&state->fields);
}

const struct analysis analysis_stacks = {
	.observer = {
		.state_bytes = sizeof(struct stacks_state),
		.records = { { offsetof(struct stacks_state, threads), sizeof(struct stack_record) } },
		.effects = SCAN_BIT(RST_EFFECT_LEVEL),
		.row = stacks_row,
		.effect = stacks_effect,
		.done = stacks_done,
	},
	.name = "stacks",
	.about = "the least that was free of each thread's stack, where the recording shows it",
	.columns = columns,
	.n_columns = N_STACKS_COLUMNS,
	.order = STACKS_SHARE,
	.basis = BASIS_EVENTS,
	.record = stack_record_row,
};
