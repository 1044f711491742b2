/* SPDX-License-Identifier: MIT */
/*
 * Deadlock: a cycle of waits. A thread's wait for a lock ends without the lock (it gives up, or the recording
 * ends). At that time, the lock is still held by a thread that waits for a lock itself, and so on, back to
 * the first thread.
 */
#include "analysis/explain/explain.h"

enum { CYCLE_MAX = FINDING_SUBJECTS_MAX, TOLD_MAX = 64 };

struct deadlock_state {
	struct findings *findings;
	uint64_t told[TOLD_MAX]; /* the moments at which the found cycles closed */
	size_t n_told;
};

struct cycle {
	const struct past *waits[CYCLE_MAX], *holds[CYCLE_MAX];
	size_t n;
	uint64_t closed; /* the moment from which the cycle is closed */
};

/* Follows who waits for whom, right before a moment. */
static bool cycle_find(const struct history *history, const struct past *first, struct cycle *cycle)
{
	const struct past *wait = first;

	*cycle = (struct cycle){ .n = 0 };
	while (cycle->n < CYCLE_MAX) {
		const struct past *hold = history_holder(history, wait->object, first->to);

		if (!hold || !past_is_known(hold) || !past_is_known(wait))
			return false;
		cycle->waits[cycle->n] = wait;
		cycle->holds[cycle->n++] = hold;
		if (wait->from > cycle->closed)
			cycle->closed = wait->from;
		if (hold->object == first->subject)
			return true;
		wait = history_state(history, hold->object, first->to);
		if (!wait || wait->state != RST_STATE_WAITING || wait->reason != RST_REASON_LOCK ||
			!wait->object)
			return false;
	}
	return false;
}

/* Each thread of a cycle finds the same cycle. */
static bool deadlock_is_told(struct deadlock_state *state, uint64_t closed)
{
	for (size_t i = 0; i < state->n_told && i < TOLD_MAX; i++)
		if (state->told[i] == closed)
			return true;
	state->told[state->n_told++ % TOLD_MAX] = closed;
	return false;
}

static void deadlock_cycle_add(struct findings *findings, const struct cycle *cycle, uint64_t to)
{
	struct finding *finding = finding_add(findings, &finding_deadlock, to - cycle->closed);
	const struct note *asks[CYCLE_MAX];

	if (!finding)
		return;
	finding->severity = SEVERITY_ERROR;
	finding->from = cycle->closed;
	finding->to = to;
	for (size_t i = 0; i < cycle->n; i++) {
		const struct past *wait = cycle->waits[i];

		asks[i] = history_asked(&findings->history, wait->subject, wait->object, wait->from);
		if (wait->from < finding->from)
			finding->from = wait->from;
		if (asks[i] && asks[i]->at < finding->from)
			finding->from = asks[i]->at;
	}
	for (size_t i = 0; i < cycle->n; i++) {
		finding_subject(finding, cycle->waits[i]->subject);
		finding_name(finding, cycle->waits[i]->object);
		if (asks[i])
			finding_evidence(finding, asks[i]->seq);
		finding_evidence_past(finding, cycle->waits[i]);
		finding_evidence_past(finding, cycle->holds[i]);
		finding->variant |= cycle->waits[i]->has_end;
	}
	finding->figures[0] = (int64_t)(to - cycle->closed);
}

static bool deadlock_judge(void *context, const struct past *past)
{
	struct deadlock_state *state = context;
	struct findings *findings = state->findings;
	struct cycle cycle;

	if (past->kind != PAST_THREAD || past->state != RST_STATE_WAITING ||
		past->reason != RST_REASON_LOCK || !past->object || !past_is_known(past))
		return true;
	if (!findings_open(findings))
		return false;
	if (cycle_find(&findings->history, past, &cycle) && !deadlock_is_told(state, cycle.closed))
		deadlock_cycle_add(findings, &cycle, past->to);
	return true;
}

static void deadlock_say(const struct finding *finding, struct sentence *sentence)
{
	const size_t n = finding->n_subjects;

	if (n == 1)
		sentence_words(sentence, "Deadlock of one thread: ");
	else
		sentence_words(sentence, "Deadlock of %zu threads: ", n);
	for (size_t i = 0; i < n; i++) {
		sentence_words(sentence, "%s", i == 0 ? "" : i + 1 < n ? ", " : " and ");
		sentence_name(sentence, finding->subjects[i]);
		sentence_words(sentence, " waits for ");
		sentence_name(sentence, finding->named[i < finding->n_named ? i : 0]);
		sentence_words(sentence, ", which ");
		if (n == 1)
			sentence_words(sentence, "it holds itself");
		else
			sentence_name(sentence, finding->subjects[(i + 1) % n]);
		sentence_words(sentence, n == 1 ? "" : " holds");
	}
	sentence_words(sentence, finding->variant ? ". It lasted " : ". It lasts to the end, for ");
	sentence_time(sentence, (uint64_t)finding->figures[0]);
	sentence_words(sentence, ".");
}

const struct finding_kind finding_deadlock = {
	.observer = {
		.state_bytes = sizeof(struct deadlock_state),
	},
	.name = "deadlock",
	.about = "threads wait for each other's locks in a cycle",
	.judges = JUDGES_STATE(RST_STATE_WAITING),
	.judge = deadlock_judge,
	.say = deadlock_say,
};
