/* SPDX-License-Identifier: MIT */
/*
 * Busy polling: a thread tries again and again to get something that is not there (a message, a lock,
 * memory), without waiting in between. Each try is refused at once; a success, or a wait, ends the row.
 */
#include <inttypes.h>

#include "analysis/explain/explain.h"

enum { KEPT_MAX = 8, PENDING_MAX = LIMIT(256, 4) };

struct tries {
	struct party *thread, *object;
	uint64_t n, from, to;
	uint64_t seqs[KEPT_MAX]; /* the first ones, and the last */
};

struct polling_record {
	struct tries tries;
};

struct polling_state {
	struct findings *findings;
	struct records threads;
	struct tries
		pending[PENDING_MAX]; /* rows that have ended, until the intervals of the batch show waits */
	size_t n_pending;
};

static void tries_end(struct findings *findings, struct polling_state *state, struct tries *tries)
{
	if (tries->n && tries->n >= findings_limit(findings, &finding_busy_polling) &&
		state->n_pending < PENDING_MAX)
		state->pending[state->n_pending++] = *tries;
	tries->n = 0;
}

static bool tries_add(struct findings *findings, struct polling_state *state, struct polling_record *record,
	const struct occurrence *occurrence)
{
	struct party *object = history_object(&findings->history, &occurrence->facts->object);
	struct tries *tries = &record->tries;
	const uint64_t seq = occurrence->seq;

	if (!object)
		return false;
	if (tries->object != object)
		tries_end(findings, state, tries);
	if (!tries->n) {
		tries->thread = history_thread(&findings->history, occurrence->facts->thread);
		tries->object = object;
		tries->from = occurrence->at;
	}
	tries->seqs[tries->n < KEPT_MAX ? tries->n : KEPT_MAX - 1] = seq;
	tries->n++;
	tries->to = occurrence->at;
	return tries->thread != NULL;
}

static bool polling_effect(void *context, const struct occurrence *occurrence)
{
	struct polling_state *state = context;
	struct findings *findings = state->findings;
	const struct rst_effect_facts *facts = occurrence->facts;
	struct polling_record *record;
	struct party *thread;

	if (!facts->thread || facts->thread->kind != RST_CONTEXT_THREAD)
		return true;
	const bool is_try = facts->phase == RST_GAVE_UP && facts->object.is_there &&
			    !facts->object.is_unknown && facts->effect->kind != RST_EFFECT_WAIT;

	state->threads.record_bytes = sizeof(*record);
	thread = history_thread(&findings->history, facts->thread);
	record = thread ? record_of(&state->threads, thread) : NULL;
	if (!record)
		return false;
	if (is_try)
		return tries_add(findings, state, record, occurrence);
	if (record->tries.n)
		tries_end(findings, state, &record->tries);
	return true;
}

/* A thread that waits between its tries polls, but is not busy. */
static bool has_waited(const struct history *history, const struct tries *tries)
{
	const struct past *past = history_last(history, tries->thread);

	for (; past && past->to > tries->from; past = history_before(history, past, tries->thread))
		if (past->kind == PAST_THREAD && past->state == RST_STATE_WAITING && past->from < tries->to)
			return true;
	return false;
}

static bool polling_step(void *context, const struct scan *scan)
{
	struct polling_state *state = context;
	struct findings *findings = state->findings;

	(void)scan;
	for (size_t i = 0; i < state->n_pending; i++) {
		const struct tries *tries = &state->pending[i];
		struct finding *finding = has_waited(&findings->history, tries)
						  ? NULL
						  : finding_add(findings, &finding_busy_polling, tries->n);

		if (!finding)
			continue;
		finding->from = tries->from;
		finding->to = tries->to;
		finding_subject(finding, tries->thread);
		finding_subject(finding, tries->object);
		for (size_t k = 0; k < tries->n && k < KEPT_MAX; k++)
			finding_evidence(finding, tries->seqs[k]);
	}
	state->n_pending = 0;
	return true;
}

static bool polling_finish(void *context, const struct scan *scan)
{
	struct polling_state *state = context;
	struct findings *findings = state->findings;

	struct polling_record *record;
	size_t index = 0;

	while ((record = record_next(&state->threads, &index)) != NULL) {
		tries_end(findings, state, &record->tries);
		polling_step(state, scan);
	}
	return true;
}

static void polling_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " tried %" PRIu64 " times in a row to get something from ", finding->weight);
	sentence_name(sentence, finding->subjects[1]);
	sentence_words(sentence, ", in ");
	sentence_time(sentence, finding->to - finding->from);
	sentence_words(sentence, " without waiting; nothing was there.");
}

static void polling_done(void *context)
{
	struct polling_state *state = context;

	records_done(&state->threads);
}

const struct finding_kind finding_busy_polling = {
	.observer = {
		.state_bytes = sizeof(struct polling_state),
		.effects = SCAN_BIT(RST_EFFECT_RECEIVE) | SCAN_BIT(RST_EFFECT_ACQUIRE) |
			   SCAN_BIT(RST_EFFECT_ALLOCATE) | SCAN_BIT(RST_EFFECT_WAIT),
		.effect = polling_effect,
		.step = polling_step,
		.finish = polling_finish,
		.done = polling_done,
	},
	.name = "busy_polling",
	.about = "a thread tries again and again to get what is not there, and does not wait",
	.threshold = "how many tries in a row",
	.is_count = true,
	.count = 16,
	.escalates = true,
	.say = polling_say,
};
