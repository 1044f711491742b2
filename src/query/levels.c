/* SPDX-License-Identifier: MIT */
/* level and stack_free: how full something is, or how much is left, at every moment. */
#include "query/metric.h"

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

/* A level that a later event at the same moment replaces has no interval; its least value counts here. */
static bool stack_effect(void *context, const struct occurrence *occurrence)
{
	struct run *run = ((struct metric_state *)context)->run;
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_entity thread = rst_entity_of_ref(&facts->object);
	struct violation sample = { .from = occurrence->at,
		.to = occurrence->at,
		.from_seq = occurrence->seq,
		.to_seq = RST_NO_SEQ,
		.subject = thread };

	if (!facts->effect->is_free || !facts->has_value ||
		!number_count(number_as(facts->value, facts->value_type), &sample.value) ||
		!run_takes_entity(run, 0, &thread))
		return true;
	run->has_match = true;
	run_measure(run, &sample, 1);
	return true;
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
		.state_bytes = sizeof(struct metric_state),
		.effects = SCAN_BIT(RST_EFFECT_LEVEL),
		.effect = stack_effect,
		.finish = absence_finish,
	},
	.name = "stack_free",
	.usage = "stack_free(thread NAME) >= 128",
	.about = "bytes of the stack that are left, each time that the recording tells",
	.n_selectors = 1,
	.n_selectors_max = 1,
	.takes = { SELECTOR_BIT(SELECTOR_THREAD) },
	.quantities = QUANTITY_BIT(QUANTITY_COUNT),
};
