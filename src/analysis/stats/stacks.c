/* SPDX-License-Identifier: MIT */
/*
 * `stacks`: the least that was free of each thread's stack, where events have an address in it, or the recording shows what is
 * free as a level. Between the events it may have been less.
 */
#include <stdlib.h>

#include "analysis/stack.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"
#include "base/array.h"
#include "base/number.h"

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
	bool is_known; /* its place has been looked up; size is 0 if it is unknown */
	uint64_t begin, size;
	uint64_t n, n_outside;
	uint64_t least, least_at;
};

struct stacks_state {
	struct subjects threads;
	int16_t *fields; /* of layouts, by index: the one in the stack, + 1; -1: none; 0: not looked up */
	size_t fields_room;
};

static struct stack_record *stack_record_of(
	struct stacks_state *state, const struct rst_entity *thread, const struct rst_object *object)
{
	struct stack_record *record;

	record = subject_of(&state->threads, thread);
	if (record && !record->is_known) {
		record->is_known = true;
		record->begin = stack_place_of(object).begin;
		record->size = stack_place_of(object).size;
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

static __attribute__((noinline)) bool row_count(
	struct stacks_state *state, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const struct rst_context *thread = batch->context[row];
	const struct rst_layout *layout = batch->layout[row];
	struct stack_record *record;
	int16_t *fields;
	uint64_t address;

	fields = array_reach(state->fields, &state->fields_room, layout->index, sizeof(*fields));
	if (!fields)
		return false;
	state->fields = fields;
	if (!fields[layout->index])
		fields[layout->index] = stack_field_of(layout);
	if (fields[layout->index] < 0)
		return true;

	const struct rst_field *field = &layout->fields[fields[layout->index] - 1];
	const struct rst_entity entity = rst_entity_of_context(thread);

	if (!rst_field_is_there(field, batch->payload_bytes[row]))
		return true;
	record = stack_record_of(state, &entity, thread->object);
	if (!record)
		return false;
	address = rst_field_number(field, batch->payload[row], batch->payload_bytes[row]);
	if (record->size && address >= record->begin && address - record->begin <= record->size)
		stack_free_count(record, address - record->begin, at);
	else
		record->n_outside++;
	return true;
}

/* Few layouts have such a field. */
static bool stacks_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct stacks_state *state = context;
	const uint32_t index = batch->layout[row]->index;

	if (batch->type[row]->marker != RST_EVENT || batch->context[row]->kind != RST_CONTEXT_THREAD ||
		(index < state->fields_room && state->fields[index] < 0))
		return true;
	return row_count(state, batch, row, at);
}

/* A level of a thread that counts what is free is that of its stack. */
static bool stacks_effect(void *context, const struct occurrence *occurrence)
{
	struct stacks_state *state = context;
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_entity thread = rst_entity_of_ref(&facts->object);
	struct stack_record *record;
	uint64_t n_free;

	if (facts->object.kind != RST_OBJECT_THREAD || !facts->effect->is_free || !facts->has_value ||
		!number_count(number_as(facts->value, facts->value_type), &n_free))
		return true;
	record = stack_record_of(state, &thread, facts->object.object);
	if (!record)
		return false;
	if (facts->has_capacity)
		record->size = facts->capacity;
	stack_free_count(record, n_free, occurrence->at);
	return true;
}

static bool stack_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct stacks_state *state = context;
	const struct stack_record *record = subject;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const bool has_size = record->size > 0, has_used = record->n > 0 && record->least <= record->size;
	const uint64_t used = record->size - record->least;
	struct table_cell *cells = table_row(table);

	(void)window;
	if (!cells || !entity_name(&process, table, &cells[STACKS_PROCESS]) ||
		!subject_name(&state->threads, &record->subject, table, &cells[STACKS_THREAD]))
		return false;
	cells[STACKS_SIZE] = cell_if(has_size, cell_count(record->size));
	cells[STACKS_LEAST_FREE] = cell_if(record->n > 0, cell_count(record->least));
	cells[STACKS_MAX_USED] = cell_if(has_size && has_used, cell_count(used));
	cells[STACKS_SHARE] = cell_if(has_size && has_used, cell_share((double)used, (double)record->size));
	cells[STACKS_LEAST_FREE_AT] = cell_if(record->n > 0, cell_moment(record->least_at));
	cells[STACKS_SAMPLES] = cell_count(record->n);
	cells[STACKS_OUTSIDE] = cell_count(record->n_outside);
	return true;
}

static void stacks_done(void *context)
{
	struct stacks_state *state = context;

	free(state->fields);
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
