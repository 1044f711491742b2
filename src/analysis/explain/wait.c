/* SPDX-License-Identifier: MIT */
/*
 * Long waits: a thread waits long for a lock. Waits for events, messages and time are not counted: they end
 * as they must.
 */
#include "analysis/explain/explain.h"

static bool wait_wait_judge(void *context, const struct past *past)
{
	struct findings *findings = ((struct finding_state *)context)->findings;
	const struct history *history = &findings->history;
	const struct past *hold;
	const struct note *ask;
	struct finding *finding;

	if (past->kind != PAST_THREAD || past->state != RST_STATE_WAITING ||
		past->reason != RST_REASON_LOCK || !past->object || !past_is_known(past))
		return true;
	if (past->to - past->from >= findings_limit(findings, &finding_long_wait) && !findings_open(findings))
		return false;
	finding = finding_add(findings, &finding_long_wait, past->to - past->from);
	if (!finding)
		return true;
	ask = history_asked(&findings->history, past->subject, past->object, past->from);
	finding->from = ask ? ask->at : past->from;
	finding->to = past->to;
	finding_subject(finding, past->subject);
	finding_subject(finding, past->object);
	if (ask)
		finding_evidence(finding, ask->seq);
	finding_evidence_past(finding, past);
	for (hold = history_last(history, past->object); hold && hold->to > past->from;
		hold = history_before(history, hold, past->object))
		if (hold->kind == PAST_LOCK && hold->object && hold->object != past->subject &&
			past_is_known(hold)) {
			finding_name(finding, hold->object);
			finding_evidence_past(finding, hold);
		}
	finding->variant = !past->has_end;
	return true;
}

static bool is_subject(const struct finding *finding, const struct party *party)
{
	for (size_t i = 0; i < finding->n_subjects; i++)
		if (finding->subjects[i] == party)
			return true;
	return false;
}

/* An inversion with the same wait, or a deadlock that the wait is a part of, has more information. */
static bool wait_is_part(const struct finding *finding, const struct finding *other)
{
	if (other->kind == &finding_deadlock)
		return is_subject(other, finding->subjects[0]) && finding->from >= other->from &&
		       finding->to == other->to;
	return other->kind == &finding_priority_inversion && other->subjects[0] == finding->subjects[0] &&
	       other->subjects[2] == finding->subjects[1] && other->from == finding->from &&
	       other->to == finding->to;
}

static void wait_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " waited ");
	sentence_time(sentence, finding->weight);
	sentence_words(sentence, " for ");
	sentence_name(sentence, finding->subjects[1]);
	if (finding->n_named) {
		sentence_words(sentence, ", which ");
		sentence_names(sentence, finding->named, finding->n_named, finding->n_more_named);
		sentence_words(sentence, " held");
	}
	sentence_words(sentence, "%s.", finding->variant ? ", and waits still at the end" : "");
}

const struct finding_kind finding_long_wait = {
	.observer = { .state_bytes = sizeof(struct finding_state) },
	.name = "long_wait",
	.about = "a thread waits long for a lock",
	.threshold = "how long",
	.ns = 10000000,
	.percent = 5,
	.escalates = true,
	.judges = JUDGES_STATE(RST_STATE_WAITING),
	.judge = wait_wait_judge,
	.is_part = wait_is_part,
	.say = wait_say,
};
