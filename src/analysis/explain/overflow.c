/* SPDX-License-Identifier: MIT */
/*
 * Queue overflow: what is sent does not fit. A send is refused, or it would make the queue fuller than it can
 * be and the sender does not wait.
 */
#include <inttypes.h>

#include "analysis/explain/explain.h"
#include "base/number.h"

enum { KEPT_MAX = 12 };

struct queue_record {
	struct subject subject;
	struct party *party, *sender; /* sender: the first one */
	bool has_several_senders;
	uint64_t n, from, to, capacity;
	uint64_t seqs[KEPT_MAX];
};

struct overflow_state {
	struct findings *findings;
	struct subjects queues;
	/* The send of the present row. */
	bool has_send;
	uint64_t send_seq;
	const struct rst_context *sender;
	struct rst_ref queue;
};

static bool overflow_note(struct findings *findings, struct overflow_state *state, const struct rst_ref *ref,
	const struct rst_context *sender, const struct occurrence *occurrence)
{
	struct queue_record *record;
	struct party *party = NULL;

	state->queues.record_bytes = sizeof(*record);
	record = subject_of_ref(&state->queues, ref);
	if (!record)
		return false;
	record->party = history_object(&findings->history, ref);
	if (sender)
		party = history_thread(&findings->history, sender);
	if (!record->party || (sender && !party))
		return false;
	if (!record->n) {
		record->from = occurrence->at;
		record->sender = party;
	}
	record->has_several_senders |= record->sender != party;
	if (record->n < KEPT_MAX)
		record->seqs[record->n] = occurrence->seq;
	record->n++;
	record->to = occurrence->at;
	return true;
}

static bool is_queue(const struct rst_ref *ref)
{
	return ref->is_there && !ref->is_unknown &&
	       (ref->kind == RST_OBJECT_QUEUE || ref->kind == RST_OBJECT_ACTIVE_OBJECT ||
		       ref->kind == RST_OBJECT_UNKNOWN);
}

static bool overflow_effect(void *context, const struct occurrence *occurrence)
{
	struct overflow_state *state = context;
	struct findings *findings = state->findings;
	const struct rst_effect_facts *facts = occurrence->facts;
	const uint64_t seq = occurrence->seq;
	uint64_t capacity, level;

	if (!is_queue(&facts->object))
		return true;
	if (facts->effect->kind == RST_EFFECT_SEND) {
		state->has_send = facts->phase == RST_DONE;
		state->send_seq = seq;
		state->sender = facts->thread;
		state->queue = facts->object;
		return facts->phase != RST_GAVE_UP ||
		       overflow_note(findings, state, &facts->object, facts->thread, occurrence);
	}
	capacity = facts->has_capacity	  ? facts->capacity
		   : facts->object.object ? facts->object.object->capacity
					  : 0;
	if (!state->has_send || state->send_seq != seq || !capacity || !facts->has_value ||
		facts->effect->is_free || facts->effect->is_change ||
		!number_count(number_as(facts->value, facts->value_type), &level) || level <= capacity ||
		state->queue.id != facts->object.id)
		return true;
	state->has_send = false;
	return overflow_note(findings, state, &state->queue, state->sender, occurrence);
}

static bool overflow_finish(void *context, const struct scan *scan)
{
	struct overflow_state *state = context;
	struct findings *findings = state->findings;

	(void)scan;
	for (size_t i = 0; i < state->queues.n; i++) {
		const struct queue_record *record = (const struct queue_record *)state->queues.all[i];
		struct finding *finding = finding_add(findings, &finding_queue_overflow, record->n);

		if (!finding)
			continue;
		finding->from = record->from;
		finding->to = record->to;
		finding_subject(finding, record->party);
		if (record->sender)
			finding_name(finding, record->sender);
		finding->n_more_named = record->has_several_senders;
		for (size_t k = 0; k < record->n && k < KEPT_MAX; k++)
			finding_evidence(finding, record->seqs[k]);
	}
	return true;
}

static void overflow_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " was full: ");
	sentence_count(sentence, finding->weight, "message", "messages");
	if (finding->n_named) {
		sentence_words(sentence, " of ");
		sentence_names(sentence, finding->named, finding->n_named, finding->n_more_named);
	}
	sentence_words(sentence, finding->weight == 1 ? " did not go into it." : " did not go into it, in ");
	if (finding->weight == 1)
		return;
	sentence_time(sentence, finding->to - finding->from);
	sentence_words(sentence, ".");
}

static void overflow_done(void *context)
{
	struct overflow_state *state = context;

	subjects_done(&state->queues);
}

const struct finding_kind finding_queue_overflow = {
	.observer = {
		.state_bytes = sizeof(struct overflow_state),
		.effects = SCAN_BIT(RST_EFFECT_SEND) | SCAN_BIT(RST_EFFECT_LEVEL),
		.effect = overflow_effect,
		.finish = overflow_finish,
		.done = overflow_done,
	},
	.name = "queue_overflow",
	.about = "messages do not go into a queue, which is full",
	.threshold = "how many messages",
	.is_count = true,
	.count = 1,
	.escalates = true,
	.say = overflow_say,
};
