/* SPDX-License-Identifier: MIT */
/* Long critical sections: a lock is held long, and other threads wait for it meanwhile. */
#include "analysis/explain/explain.h"

/* Names the threads that began to wait for the lock while it was held. Waits that go on count up to now. */
static void waiters_add(struct findings *findings, struct finding *finding, const struct past *hold)
{
	const struct past *past = history_last_wait(&findings->history, hold->subject);

	for (; past && past->to > hold->from; past = history_before_wait(&findings->history, past))
		if (past->from < hold->to && past->from >= hold->from && past_is_known(past)) {
			finding_name(finding, past->subject);
			finding_evidence_past(finding, past);
		}
}

static bool has_waiter(const struct findings *findings, const struct past *hold)
{
	const struct past *past = history_last_wait(&findings->history, hold->subject);

	for (; past && past->to > hold->from; past = history_before_wait(&findings->history, past))
		if (past->from < hold->to && past_is_known(past))
			return true;
	return false;
}

static bool hold_judge(void *context, const struct past *past)
{
	struct findings *findings = ((struct finding_state *)context)->findings;
	const uint64_t length = past->to - past->from;
	struct finding *finding;

	if (past->kind != PAST_LOCK || !past->object || !past_is_known(past) ||
		length < findings_limit(findings, &finding_long_hold))
		return true;
	if (!findings_open(findings))
		return false;
	if (!has_waiter(findings, past))
		return true;
	finding = finding_add(findings, &finding_long_hold, length);
	if (!finding)
		return true;
	finding->from = past->from;
	finding->to = past->to;
	finding_subject(finding, past->subject);
	finding_subject(finding, past->object);
	finding_evidence_past(finding, past);
	waiters_add(findings, finding, past);
	return true;
}

/* A finding of an inversion, a deadlock or a long wait because of it has more information. */
static bool hold_is_part(const struct finding *finding, const struct finding *other)
{
	if (other->to < finding->from || other->from > finding->to)
		return false;
	if (other->kind == &finding_priority_inversion)
		return other->subjects[2] == finding->subjects[0] &&
		       other->subjects[1] == finding->subjects[1];
	if (other->kind == &finding_long_wait)
		return other->subjects[1] == finding->subjects[0];
	for (size_t i = 0; other->kind == &finding_deadlock && i < other->n_named; i++)
		if (other->named[i] == finding->subjects[0])
			return true;
	return false;
}

static void hold_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_name(sentence, finding->subjects[1]);
	sentence_words(sentence, " held ");
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " for ");
	sentence_time(sentence, finding->weight);
	if (finding->n_named) {
		sentence_words(sentence, ", while ");
		sentence_names(sentence, finding->named, finding->n_named, finding->n_more_named);
		sentence_words(sentence, " waited for it");
	}
	sentence_words(sentence, ".");
}

const struct finding_kind finding_long_hold = {
	.observer = { .state_bytes = sizeof(struct finding_state) },
	.name = "long_hold",
	.about = "a lock is held long while other threads wait for it",
	.threshold = "how long",
	.ns = 10000000,
	.percent = 10,
	.escalates = true,
	.judges = JUDGES_LOCKS,
	.judge = hold_judge,
	.is_part = hold_is_part,
	.say = hold_say,
};
