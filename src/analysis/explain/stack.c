/* SPDX-License-Identifier: MIT */
/*
 * Stacks nearly full, by the addresses in the stack that events have, or levels of what is free. Between the events it may have
 * been worse. A thread whose events have addresses outside of its stack runs on another one, as in a simulation: no finding.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/explain/explain.h"
#include "analysis/stack.h"
#include "base/array.h"
#include "base/number.h"

/* An address not farther behind the end than this share of the stack has overflowed it. */
enum { BEYOND_SHARE = 8 };

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
	int16_t *fields; /* by index of the layout, as stack_field_of(); 0: not looked up */
	size_t fields_room;
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
	const struct rst_layout *layout = batch->layout[row];
	int16_t *fields = array_reach(state->fields, &state->fields_room, layout->index, sizeof(*fields));
	struct stack_record *record;
	uint64_t address;

	if (!fields)
		return false;
	state->fields = fields;
	if (!fields[layout->index])
		fields[layout->index] = stack_field_of(layout);
	if (fields[layout->index] < 0 || batch->type[row]->marker != RST_EVENT ||
		thread->kind != RST_CONTEXT_THREAD)
		return true;

	const struct rst_field *field = &layout->fields[fields[layout->index] - 1];
	const struct rst_entity entity = rst_entity_of_context(thread);

	if (!rst_field_is_there(field, batch->payload_bytes[row]))
		return true;
	record = stack_of(findings, state, &entity, thread->object);
	if (!record)
		return false;
	address = rst_field_number(field, batch->payload[row], batch->payload_bytes[row]);
	const uint64_t begin = record->place.begin, size = record->place.size;

	if (size && address >= begin && address - begin <= size)
		free_take(record, address - begin, at, row_seq(findings->scan, batch, row));
	else if (size && address < begin && begin - address <= size / BEYOND_SHARE)
		free_take(record, 0, at, row_seq(findings->scan, batch, row));
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

	if (facts->object.kind != RST_OBJECT_THREAD || !facts->effect->is_free || !facts->has_value ||
		!number_count(number_as(facts->value, facts->value_type), &n_free))
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

	free(state->fields);
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
