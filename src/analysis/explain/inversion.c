/* SPDX-License-Identifier: MIT */
/*
 * Priority inversion: a thread waits for a lock, its holder is less urgent and could run, but a third thread
 * runs, which is less urgent than the one that waits. Where the holder waits for a lock itself, its holder is
 * looked at in the same way.
 *
 *	waiter   ──────┐ asks, waits ─────────────────────────────┐ has it
 *	other          .      ┌──── runs ────┐                    .
 *	holder   ── has it ───┘ ready ─────── └─── goes on ─────── ┘ releases
 *
 * Bounded by inheritance: the holder got the waiter's priority, a third thread was ready, and did not run.
 */
#include <inttypes.h>

#include "analysis/explain/explain.h"

enum { DEPTH_MAX = 8, OTHERS_MAX = FINDING_SUBJECTS_MAX - 3, RUNS_MAX = 6 };

enum variant { INVERSION_UNBOUNDED, INVERSION_BOUNDED };

/* The figures of the sentence. */
enum { WAITED, RAN, PRIORITY_WAITER, PRIORITY_HOLDER };

struct inversion {
	struct findings *findings;
	const struct past *wait;
	struct party *waiter, *holder; /* holder: the thread that keeps the lock from going on */
	int64_t priority;	       /* of the waiter */
	int64_t holder_priority;       /* when it got the lock */
	bool has_holder, is_raised;
	uint64_t ran; /* others, while the holder was ready */
	struct party *others[OTHERS_MAX];
	size_t n_others, n_more;
	const struct past *runs[RUNS_MAX];
	size_t n_runs;
	const struct past *hold, *kept_ready; /* … and where inheritance kept one from running */
};

struct part {
	uint64_t from, to;
};

static struct part part_of(const struct past *past, struct part within)
{
	return (struct part){ past->from > within.from ? past->from : within.from,
		past->to < within.to ? past->to : within.to };
}

/* Threads that are less urgent than the waiter, and are neither it nor the holder. */
static bool is_other(const struct inversion *inversion, const struct past *past, const struct party *holder)
{
	int64_t priority;

	return past->subject != inversion->waiter && past->subject != holder && past_is_known(past) &&
	       history_priority(&inversion->findings->history, past->subject, past->from, &priority) &&
	       priority > inversion->priority;
}

static void others_add(struct inversion *inversion, struct party *party)
{
	for (size_t i = 0; i < inversion->n_others; i++)
		if (inversion->others[i] == party)
			return;
	if (inversion->n_others < OTHERS_MAX)
		inversion->others[inversion->n_others++] = party;
	else
		inversion->n_more++;
}

/* Counts the threads that ran while the holder was ready. */
static void look_at_runs(struct inversion *inversion, const struct party *holder, struct part ready)
{
	const struct history *history = &inversion->findings->history;
	const struct past *past = history_last_run(history);

	for (; past && past->to > ready.from; past = history_before_run(history, past)) {
		const struct part part = part_of(past, ready);

		if (part.from >= part.to || !is_other(inversion, past, holder))
			continue;
		inversion->ran += part.to - part.from;
		others_add(inversion, past->subject);
		if (inversion->n_runs < RUNS_MAX)
			inversion->runs[inversion->n_runs++] = past;
	}
}

/* One that was ready and less urgent than the waiter, but more urgent than the holder was by itself. */
static void look_at_ready(struct inversion *inversion, const struct party *holder, struct part held)
{
	const struct history *history = &inversion->findings->history;
	const struct past *past = history_last_scheduling(history);
	int64_t priority;

	for (; past && past->to > held.from; past = history_before_scheduling(history, past)) {
		const struct part part = part_of(past, held);

		if (past->state == RST_STATE_READY && part.from < part.to &&
			is_other(inversion, past, holder) &&
			history_priority(
				&inversion->findings->history, past->subject, past->from, &priority) &&
			priority < inversion->holder_priority)
			inversion->kept_ready = past;
	}
}

static void look_at_lock(
	struct inversion *inversion, const struct party *lock, struct part within, unsigned depth);

static void look_at_holder(
	struct inversion *inversion, const struct past *hold, struct part held, unsigned depth)
{
	const struct history *history = &inversion->findings->history;
	struct party *holder = hold->object;
	const struct past *past = history_last(history, holder);
	int64_t priority, best;

	if (holder == inversion->waiter ||
		!history_priority(&inversion->findings->history, holder, hold->from, &priority) ||
		!history_best_priority(&inversion->findings->history, holder, held.from, held.to, &best) ||
		priority <= inversion->priority)
		return;
	if (!inversion->has_holder) {
		inversion->has_holder = true;
		inversion->holder = holder;
		inversion->holder_priority = priority;
		inversion->hold = hold;
	}
	/* Inheritance raises it when the waiter asks; the recording may show that later only. */
	if (best <= inversion->priority) {
		inversion->is_raised = true;
		look_at_ready(inversion, holder, held);
		return;
	}
	for (; past && past->to > held.from; past = history_before(history, past, holder)) {
		const struct part part = part_of(past, held);

		if (past->kind != PAST_THREAD || part.from >= part.to || !past_is_known(past))
			continue;
		if (past->state == RST_STATE_READY)
			look_at_runs(inversion, holder, part);
		else if (past->state == RST_STATE_WAITING && past->reason == RST_REASON_LOCK && past->object)
			look_at_lock(inversion, past->object, part, depth + 1);
	}
}

static void look_at_lock(
	struct inversion *inversion, const struct party *lock, struct part within, unsigned depth)
{
	const struct history *history = &inversion->findings->history;
	const struct past *past = history_last(history, lock);

	for (; depth < DEPTH_MAX && past && past->to > within.from;
		past = history_before(history, past, lock)) {
		const struct part held = part_of(past, within);

		if (past->kind == PAST_LOCK && past->object && past_is_known(past) && held.from < held.to)
			look_at_holder(inversion, past, held, depth);
	}
}

static void inversion_add(const struct inversion *inversion, enum variant variant)
{
	const struct past *wait = inversion->wait;
	const uint64_t waited = wait->to - wait->from;
	const struct note *ask =
		history_asked(&inversion->findings->history, inversion->waiter, wait->object, wait->from);
	struct finding *finding = finding_add(inversion->findings, &finding_priority_inversion,
		variant == INVERSION_BOUNDED ? waited : inversion->ran);

	if (!finding)
		return;
	finding->severity = variant == INVERSION_BOUNDED ? SEVERITY_NOTE : SEVERITY_ERROR;
	finding->variant = variant;
	finding->from = ask ? ask->at : wait->from;
	finding->to = wait->to;
	finding_subject(finding, inversion->waiter);
	finding_subject(finding, inversion->holder);
	finding_subject(finding, wait->object);
	for (size_t i = 0; i < inversion->n_others; i++)
		finding_subject(finding, inversion->others[i]);
	finding->n_more += inversion->n_more;
	finding->figures[WAITED] = (int64_t)waited;
	finding->figures[RAN] = (int64_t)inversion->ran;
	finding->figures[PRIORITY_WAITER] = inversion->priority;
	finding->figures[PRIORITY_HOLDER] = inversion->holder_priority;
	if (ask)
		finding_evidence(finding, ask->seq);
	finding_evidence_past(finding, wait);
	finding_evidence_past(finding, inversion->hold);
	for (size_t i = 0; i < inversion->n_runs; i++)
		finding_evidence_past(finding, inversion->runs[i]);
	if (variant == INVERSION_BOUNDED) {
		finding_subject(finding, inversion->kept_ready->subject);
		finding_evidence_past(finding, inversion->kept_ready);
	}
}

static bool inversion_judge(void *context, const struct past *past)
{
	struct findings *findings = ((struct finding_state *)context)->findings;
	struct inversion inversion = { .findings = findings, .wait = past, .waiter = past->subject };

	if (past->kind != PAST_THREAD || past->state != RST_STATE_WAITING ||
		past->reason != RST_REASON_LOCK || !past->object || !past_is_known(past) ||
		past->to - past->from < findings_limit(findings, &finding_priority_inversion) ||
		!history_priority(&findings->history, past->subject, past->from, &inversion.priority))
		return true;
	if (!findings_open(findings))
		return false;
	look_at_lock(&inversion, past->object, (struct part){ past->from, past->to }, 0);
	if (inversion.ran)
		inversion_add(&inversion, INVERSION_UNBOUNDED);
	else if (inversion.is_raised && inversion.kept_ready &&
		 past->to - past->from >= findings_limit(findings, &finding_late_wakeup))
		inversion_add(&inversion, INVERSION_BOUNDED);
	return true;
}

static void inversion_say(const struct finding *finding, struct sentence *sentence)
{
	const uint64_t waited = (uint64_t)finding->figures[WAITED], ran = (uint64_t)finding->figures[RAN];

	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " (priority %" PRId64 ") waited ", finding->figures[PRIORITY_WAITER]);
	sentence_time(sentence, waited);
	sentence_words(sentence, " for ");
	sentence_name(sentence, finding->subjects[2]);
	sentence_words(sentence, ", which ");
	sentence_name(sentence, finding->subjects[1]);
	sentence_words(sentence, " (priority %" PRId64 ") held", finding->figures[PRIORITY_HOLDER]);
	if (finding->variant == INVERSION_BOUNDED) {
		sentence_words(sentence, ". Priority inheritance bounded the wait: ");
		sentence_name(sentence, finding->subjects[3]);
		sentence_words(sentence, " was ready and did not run.");
		return;
	}
	sentence_words(sentence, ", while ");
	sentence_names(sentence, finding->subjects + 3, finding->n_subjects - 3, finding->n_more);
	sentence_words(sentence, " ran for ");
	sentence_time(sentence, ran);
	sentence_words(sentence, "; nothing bounds this time. With priority inheritance ");
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " would have waited ");
	sentence_time(sentence, waited - (ran < waited ? ran : waited));
	sentence_words(sentence, ".");
}

const struct finding_kind finding_priority_inversion = {
	.observer = { .state_bytes = sizeof(struct finding_state) },
	.name = "priority_inversion",
	.about = "a thread waits for a lock while less urgent ones keep its holder from running",
	.threshold = "how long they ran",
	.judges = JUDGES_STATE(RST_STATE_WAITING),
	.judge = inversion_judge,
	.say = inversion_say,
};
