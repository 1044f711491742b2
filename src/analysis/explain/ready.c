/* SPDX-License-Identifier: MIT */
/*
 * Threads that could run and did not. A wake-up that came late: the time from a thread's wake-up to its run.
 * Usually only the time counts in which threads ran that are not more urgent; where more urgent ones ran,
 * that is what priorities are for. Starvation: a thread is ready for a great part of the window.
 */
#include "analysis/explain/explain.h"

enum { USUAL_MIN = 4, USUAL_FACTOR = 8, SWITCHES_MIN = 3 };

struct latency_record {
	uint64_t n, sum; /* of the thread's wake-ups */
};

struct ready_state {
	struct findings *findings;
	struct records threads;
};

struct rivals {
	uint64_t n_runs;
	uint64_t
		/* ticks in which threads ran that are not more urgent, as far as that is known */
		less_urgent;
};

/* Stops after n_enough runs. */
static void rivals_find(
	const struct findings *findings, const struct past *ready, uint64_t n_enough, struct rivals *ret)
{
	const struct history *history = &findings->history;
	const struct past *past = history_last_run(history);
	int64_t own, other;
	const bool has_own = history_priority(history, ready->subject, ready->from, &own);

	*ret = (struct rivals){ 0 };
	for (; past && past->to > ready->from && ret->n_runs < n_enough;
		past = history_before_run(history, past)) {
		const uint64_t from = past->from > ready->from ? past->from : ready->from,
			       to = past->to < ready->to ? past->to : ready->to;

		if (from >= to || past->subject == ready->subject)
			continue;
		ret->n_runs++;
		if (!has_own || !history_priority(history, past->subject, past->from, &other) || other > own)
			ret->less_urgent += to - from;
	}
}

static void ready_add(
	struct findings *findings, const struct finding_kind *kind, const struct past *past, uint64_t weight)
{
	struct finding *finding = finding_add(findings, kind, weight);

	if (!finding)
		return;
	finding->from = past->from;
	finding->to = past->to;
	finding->variant = past->has_end;
	finding->figures[0] = (int64_t)(past->to - past->from);
	finding_subject(finding, past->subject);
	finding_evidence_past(finding, past);
	finding_name_runs(findings, finding, past->subject, past->from, past->to);
}

/* A thread whose wake-ups always take so long is not late. */
static bool late_judge(void *context, const struct past *past)
{
	struct ready_state *state = context;
	struct findings *findings = state->findings;
	const uint64_t ready = past->to - past->from;
	const struct past *before;
	struct latency_record *record;
	struct rivals rivals;

	if (past->kind != PAST_THREAD || past->state != RST_STATE_READY || !past_is_known(past) ||
		!past->has_begin)
		return true;
	before = history_state_before(&findings->history, past);
	if (!before || before->state != RST_STATE_WAITING)
		return true;
	state->threads.record_bytes = sizeof(*record);
	record = record_of(&state->threads, past->subject);
	if (!record)
		return false;
	record->n++;
	record->sum += ready;
	if (ready < findings_limit(findings, &finding_late_wakeup) ||
		(record->n > USUAL_MIN && ready < USUAL_FACTOR * ((record->sum - ready) / (record->n - 1))))
		return true;
	if (!findings_open(findings))
		return false;
	rivals_find(findings, past, UINT64_MAX, &rivals);
	if (rivals.less_urgent)
		ready_add(findings, &finding_late_wakeup, past, rivals.less_urgent);
	return true;
}

static bool starvation_judge(void *context, const struct past *past)
{
	struct findings *findings = ((struct finding_state *)context)->findings;
	struct rivals rivals;

	if (past->kind != PAST_THREAD || past->state != RST_STATE_READY || !past_is_known(past) ||
		past->to - past->from < findings_limit(findings, &finding_starvation))
		return true;
	if (!findings_open(findings))
		return false;
	rivals_find(findings, past, SWITCHES_MIN, &rivals);
	if (rivals.n_runs >= SWITCHES_MIN)
		ready_add(findings, &finding_starvation, past, past->to - past->from);
	return true;
}

static bool late_is_part(const struct finding *finding, const struct finding *other)
{
	return other->kind == &finding_starvation && other->subjects[0] == finding->subjects[0] &&
	       other->from == finding->from;
}

static void runs_say(const struct finding *finding, struct sentence *sentence)
{
	if (finding->n_named) {
		sentence_words(sentence, "; meanwhile ");
		sentence_names(sentence, finding->named, finding->n_named, finding->n_more_named);
		sentence_words(sentence, " ran");
	}
	sentence_words(sentence, ".");
}

static void late_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(
		sentence, finding->variant ? " was woken and ran only " : " was woken and did not run for ");
	sentence_time(sentence, (uint64_t)finding->figures[0]);
	sentence_words(sentence, finding->variant ? " later" : ", to the end");
	runs_say(finding, sentence);
}

static void starvation_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " starved: it was ready for ");
	sentence_time(sentence, (uint64_t)finding->figures[0]);
	sentence_words(sentence, finding->variant ? " and did not run" : " and did not run, to the end");
	runs_say(finding, sentence);
}

static void ready_done(void *context)
{
	struct ready_state *state = context;

	records_done(&state->threads);
}

const struct finding_kind finding_late_wakeup = {
	.observer = {
		.state_bytes = sizeof(struct ready_state),
		.done = ready_done,
	},
	.name = "late_wakeup",
	.about = "a thread is woken and runs late, since others run that are not more urgent",
	.threshold = "how long they ran",
	.ns = 1000000,
	.percent = 2,
	.escalates = true,
	.judges = JUDGES_STATE(RST_STATE_READY),
	.judge = late_judge,
	.is_part = late_is_part,
	.say = late_say,
};

const struct finding_kind finding_starvation = {
	.observer = { .state_bytes = sizeof(struct finding_state) },
	.name = "starvation",
	.about = "a thread could run all the time and others run instead",
	.threshold = "how long it is ready",
	.ns = 1000000000,
	.percent = 50,
	.judges = JUDGES_STATE(RST_STATE_READY),
	.judge = starvation_judge,
	.say = starvation_say,
};
