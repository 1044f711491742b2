/* SPDX-License-Identifier: MIT */
/* level and stack_free: how full something is, or how much is left, at every moment. */
#include "analysis/stack.h"
#include "query/check.h"

static bool level_piece(void *context, const struct piece *piece)
{
	struct run *run = ((struct metric_state *)context)->run;
	const struct rst_interval *interval = piece->interval;
	const struct violation sample = { .from = piece->from,
		.to = piece->to,
		.from_seq = interval->from_seq,
		.to_seq = interval->to_seq,
		.value = interval->value,
		.value_type = interval->value_type,
		.subject = interval->subject };

	if (!interval->has_value || !run_takes_entity(run, 0, &interval->subject))
		return true;
	run->has_match = true;
	run_measure_number(run, &sample);
	return true;
}

struct stack_free_state {
	struct metric_state metric;
	struct stack_fields fields;
};

static void stack_free_measure(
	struct run *run, const struct rst_entity *thread, uint64_t n_free, uint64_t at, uint64_t seq)
{
	const struct violation sample = { .from = at,
		.to = at,
		.from_seq = seq,
		.to_seq = RST_NO_SEQ,
		.value = n_free,
		.subject = *thread };

	run->has_match = true;
	run_measure(run, &sample, 1);
}

static bool stack_free_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct stack_free_state *state = context;
	struct run *run = state->metric.run;
	const struct rst_context *thread = batch->context[row];
	struct stack_place place;
	struct rst_entity entity;
	uint64_t address, n_free;
	const enum stack_look look = stack_fields_look(&state->fields, batch, row, &address);

	if (look != STACK_LOOK_ADDRESS)
		return look == STACK_LOOK_NOTHING;
	place = stack_place_of(thread->object);
	entity = rst_entity_of_context(thread);
	if (stack_free_at(&place, address, &n_free) && run_takes_entity(run, 0, &entity))
		stack_free_measure(run, &entity, n_free, at, row_seq(run->check->scan, batch, row));
	return true;
}

/* A level that a later event at the same moment replaces has no interval; its least value counts here. */
static bool stack_free_effect(void *context, const struct occurrence *occurrence)
{
	struct run *run = ((struct metric_state *)context)->run;
	const struct rst_entity thread = rst_entity_of_ref(&occurrence->facts->object);
	uint64_t n_free;

	if (stack_free_of(occurrence->facts, &n_free) && run_takes_entity(run, 0, &thread))
		stack_free_measure(run, &thread, n_free, occurrence->at, occurrence->seq);
	return true;
}

static void stack_free_done(void *context)
{
	struct stack_free_state *state = context;

	stack_fields_done(&state->fields);
}

const struct metric metric_level = {
	.observer = {
		.state_bytes = sizeof(struct metric_state),
		.intervals = SCAN_BIT(RST_INTERVAL_LEVEL),
		.piece = level_piece,
		.finish = absence_finish,
	},
	.name = "level",
	.usage = "level(queue NAME) <= 8",
	.about = "how full a queue, semaphore, pool, … is, at every moment",
	.n_selectors = 1,
	.n_selectors_max = 1,
	.takes = { SELECTOR_BIT(SELECTOR_OBJECT) | SELECTOR_BIT(SELECTOR_EVENT) },
	.quantities = QUANTITY_BIT(QUANTITY_COUNT),
	.takes_numbers = true,
};

const struct metric metric_stack_free = {
	.observer = {
		.state_bytes = sizeof(struct stack_free_state),
		.effects = SCAN_BIT(RST_EFFECT_LEVEL),
		.row = stack_free_row,
		.effect = stack_free_effect,
		.finish = absence_finish,
		.done = stack_free_done,
	},
	.name = "stack_free",
	.usage = "stack_free(thread NAME) >= 128",
	.about = "bytes of the stack that are left, each time that the recording tells",
	.n_selectors = 1,
	.n_selectors_max = 1,
	.takes = { SELECTOR_BIT(SELECTOR_THREAD) },
	.quantities = QUANTITY_BIT(QUANTITY_COUNT),
};
