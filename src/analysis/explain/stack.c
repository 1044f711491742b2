/* SPDX-License-Identifier: MIT */
/*
 * Stacks nearly full, by the addresses in the stack that events have, or levels of what is free. Between the
 * events it may have been worse. A thread whose events have addresses outside of its stack runs on another
 * one, as in a simulation: no finding.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/explain/explain.h"
#include "analysis/stack.h"

struct stack_record {
	struct party *thread;
	bool is_known, is_outside;
	struct stack_place place;
	uint64_t least, at, seq;
	bool has_least;
};

struct stack_state {
	struct findings *findings;
	struct records threads;
	struct stack_fields fields;
};

static struct stack_record *stack_of(struct findings *findings, struct stack_state *state,
	const struct rst_entity *thread, const struct rst_object *object)
{
	struct party *party = history_party(&findings->history, thread);
	struct stack_record *record;

	state->threads.record_bytes = sizeof(*record);
	record = party ? record_of(&state->threads, party) : NULL;
	if (record && !record->is_known) {
		record->is_known = true;
		record->thread = party;
		record->place = stack_place_of(object);
	}
	return record;
}

static void free_take(struct stack_record *record, uint64_t n_free, uint64_t at, uint64_t seq)
{
	if (record->has_least && n_free >= record->least)
		return;
	record->has_least = true;
	record->least = n_free;
	record->at = at;
	record->seq = seq;
}

static bool stack_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct stack_state *state = context;
	struct findings *findings = state->findings;
	const struct rst_context *thread = batch->context[row];
	struct rst_entity entity;
	struct stack_record *record;
	uint64_t address, n_free;
	const enum stack_look look = stack_fields_look(&state->fields, batch, row, &address);

	if (look != STACK_LOOK_ADDRESS)
		return look == STACK_LOOK_NOTHING;
	entity = rst_entity_of_context(thread);
	record = stack_of(findings, state, &entity, thread->object);
	if (!record)
		return false;
	if (stack_free_at(&record->place, address, &n_free))
		free_take(record, n_free, at, row_seq(findings->scan, batch, row));
	else
		record->is_outside = true;
	return true;
}

static bool stack_effect(void *context, const struct occurrence *occurrence)
{
	struct stack_state *state = context;
	struct findings *findings = state->findings;
	const struct rst_effect_facts *facts = occurrence->facts;
	struct rst_entity thread;
	struct stack_record *record;
	uint64_t n_free;

	if (!stack_free_of(facts, &n_free))
		return true;
	thread = rst_entity_of_ref(&facts->object);
	record = stack_of(findings, state, &thread, facts->object.object);
	if (!record)
		return false;
	if (facts->has_capacity)
		record->place.size = facts->capacity;
	free_take(record, n_free, occurrence->at, occurrence->seq);
	return true;
}

enum { LEAST, SIZE };

static bool stack_finish(void *context, const struct scan *scan)
{
	struct stack_state *state = context;
	struct findings *findings = state->findings;
	const struct stack_record *record;
	size_t index = 0;

	(void)scan;
	while ((record = record_next(&state->threads, &index)) != NULL) {
		const uint64_t size = record->place.size;
		struct finding *finding = NULL;

		if (record->has_least && !record->is_outside && size && record->least <= size)
			finding = finding_add(findings, &finding_stack_low,
				(uint64_t)(100 * (double)(size - record->least) / (double)size));
		if (!finding)
			continue;
		finding->from = finding->to = record->at;
		finding->figures[LEAST] = (int64_t)record->least;
		finding->figures[SIZE] = (int64_t)size;
		finding_subject(finding, record->thread);
		finding_evidence(finding, record->seq);
	}
	return true;
}

static void stack_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_words(sentence, "The stack of ");
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence,
		" has %" PRId64 " of %" PRId64 " bytes free here, the least of all events that show it.",
		finding->figures[LEAST], finding->figures[SIZE]);
}

static void stack_done(void *context)
{
	struct stack_state *state = context;

	stack_fields_done(&state->fields);
	records_done(&state->threads);
}

const struct finding_kind finding_stack_low = {
	.observer = {
		.state_bytes = sizeof(struct stack_state),
		.effects = SCAN_BIT(RST_EFFECT_LEVEL),
		.row = stack_row,
		.effect = stack_effect,
		.finish = stack_finish,
		.done = stack_done,
	},
	.name = "stack_low",
	.about = "a thread's stack is nearly full",
	.threshold = "how much of it is used",
	.is_share = true,
	.count = 90,
	.say = stack_say,
};
