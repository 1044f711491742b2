/* SPDX-License-Identifier: MIT */
/*
 * Missed periods: a thread that wakes in equal distances (it sleeps, or an interrupt or another thread wakes
 * it), and once does not. The period is the median of its last distances, where most of them are near it. The
 * first distances are kept until there are enough.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/explain/explain.h"

enum {
	GAPS_MAX = 32,
	EARLY_MAX = 12, /* distances that are judged later, by what came behind them */
	GAPS_MIN = 5,
	INTERRUPTS_MIN = 24, /* what interrupts wake may be woken by anything */
	THREADS_MIN = 12,    /* what threads wake must be much more regular: a timer's thread is so */
	THREADS_NEAR_PERCENT = 5,
	THREADS_REGULAR_PERCENT = 90,
	NEAR_PERCENT = 15,
	REGULAR_PERCENT = 80,
	/*
	 * A round of a thread that sleeps is as long as its work and its sleep: a tick more is no missed
	 * period.
	 */
	SLEEPER_HALVES = 5
};

struct gap {
	uint64_t from, to, from_seq, to_seq;
	bool is_inferred;
};

struct period_record {
	struct party *thread;
	bool has_last, sleeps, is_by_interrupt, is_by_thread;
	struct gap last; /* to: the wake-up before */
	uint64_t gaps[GAPS_MAX];
	uint64_t n_gaps;
	struct gap early[EARLY_MAX];
	size_t n_early;
};

struct period_state {
	struct findings *findings;
	struct records threads;
};

static int gap_compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Returns 0 if the record has no period. */
static uint64_t period_of(const struct period_record *record)
{
	const size_t n = record->n_gaps < GAPS_MAX ? (size_t)record->n_gaps : GAPS_MAX;
	const size_t n_min = record->is_by_interrupt ? INTERRUPTS_MIN
			     : record->is_by_thread  ? THREADS_MIN
						     : GAPS_MIN;
	const unsigned near = record->is_by_thread ? THREADS_NEAR_PERCENT : NEAR_PERCENT,
		       regular = record->is_by_thread ? THREADS_REGULAR_PERCENT : REGULAR_PERCENT;
	uint64_t gaps[GAPS_MAX], median;
	size_t n_near = 0;

	if (n < n_min)
		return 0;
	memcpy(gaps, record->gaps, n * sizeof(*gaps));
	qsort(gaps, n, sizeof(*gaps), gap_compare);
	median = gaps[n / 2];
	for (size_t i = 0; i < n; i++) {
		const uint64_t off = gaps[i] > median ? gaps[i] - median : median - gaps[i];

		n_near += (double)off <= (double)median * near / 100;
	}
	return n_near * 100 >= n * regular ? median : 0;
}

enum { PERIOD, GAP, WAITED };

/* Its longest wait from one moment to another that was for an object, not for time. */
static const struct past *longest_wait(
	const struct history *history, const struct party *thread, uint64_t from, uint64_t to)
{
	const struct past *longest = NULL;
	const struct past *past = history_last(history, thread);

	for (; past && past->to > from; past = history_before(history, past, thread))
		if (past->kind == PAST_THREAD && past->state == RST_STATE_WAITING && past->object &&
			past->from >= from && past->to <= to && past_is_known(past) &&
			(!longest || past->to - past->from > longest->to - longest->from))
			longest = past;
	return longest;
}

/* A wait is named if it is most of the thread's delay. */
static void gap_name_wait(struct findings *findings, struct finding *finding, struct party *thread)
{
	const struct past *wait = longest_wait(&findings->history, thread, finding->from, finding->to);

	if (!wait ||
		(int64_t)(wait->to - wait->from) < (finding->figures[GAP] - finding->figures[PERIOD]) / 2)
		return;
	finding->variant = 1;
	finding->figures[WAITED] = (int64_t)(wait->to - wait->from);
	finding_subject(finding, wait->object);
	finding_evidence_past(finding, wait);
}

static void gap_judge(
	struct findings *findings, const struct period_record *record, const struct gap *gap, uint64_t period)
{
	const uint64_t length = gap->to - gap->from;
	struct finding *finding;

	if (!period || length <= period || (record->sleeps && length * 2 < period * SLEEPER_HALVES))
		return;
	finding = finding_add(findings, &finding_missed_period,
		(uint64_t)((double)(length - period) * 100 / (double)period));
	if (!finding)
		return;
	finding->from = gap->from;
	finding->to = gap->to;
	finding->figures[PERIOD] = (int64_t)period;
	finding->figures[GAP] = (int64_t)length;
	finding_subject(finding, record->thread);
	finding_evidence(finding, gap->from_seq);
	finding_evidence(finding, gap->to_seq);
	finding->is_certain = !gap->is_inferred;
	gap_name_wait(findings, finding, record->thread);
	finding_name_runs(findings, finding, record->thread, finding->from, finding->to);
}

static void early_judge(struct findings *findings, struct period_record *record)
{
	const uint64_t period = period_of(record);

	for (size_t i = 0; i < record->n_early; i++)
		gap_judge(findings, record, &record->early[i], period);
	record->n_early = 0;
}

/*
 * No median needs to be looked for where a distance is like one of those right before it, or those are not
 * like each other, so that there is no period.
 */
static bool is_usual(const struct period_record *record, const struct gap *gap)
{
	enum { LOOKED_AT = 4 };
	unsigned n_like = 0;

	for (uint64_t i = record->n_gaps; i-- > record->n_gaps - LOOKED_AT;) {
		const uint64_t one = record->gaps[i % GAPS_MAX], other = record->gaps[(i - 1) % GAPS_MAX];

		if ((gap->to - gap->from) * 5 <= one * 6)
			return true;
		n_like += one * 3 <= other * 4 && other * 3 <= one * 4;
	}
	return n_like < LOOKED_AT / 2;
}

static void gap_take(struct findings *findings, struct period_record *record, const struct gap *gap)
{
	if (record->n_gaps < EARLY_MAX)
		record->early[record->n_early++] = *gap;
	else if (!is_usual(record, gap))
		gap_judge(findings, record, gap, period_of(record));
	record->gaps[record->n_gaps++ % GAPS_MAX] = gap->to - gap->from;
	if (record->n_gaps == EARLY_MAX)
		early_judge(findings, record);
}

/* Whether a thread waits for what another one sends or gives it, rather than gives back. */
static bool is_signal(enum rst_reason reason)
{
	return reason == RST_REASON_SEMAPHORE || reason == RST_REASON_QUEUE || reason == RST_REASON_FLAGS;
}

static bool period_judge(void *context, const struct past *past)
{
	struct period_state *state = context;
	struct findings *findings = state->findings;
	const struct past *before;
	struct period_record *record;
	struct gap gap;

	if (past->kind != PAST_THREAD || past->state == RST_STATE_INTERRUPTED)
		return true;
	state->threads.record_bytes = sizeof(*record);
	record = record_of(&state->threads, past->subject);
	if (!record)
		return false;
	record->thread = past->subject;
	if (!past_is_known(past)) {
		record->has_last = false; /* its wake-ups there are unknown */
		return true;
	}
	before = history_state_before(&findings->history, past);
	if (past->state == RST_STATE_WAITING || !past->has_begin || !before ||
		before->state != RST_STATE_WAITING)
		return true;
	if (before->reason == RST_REASON_SLEEP)
		record->sleeps = true;
	else if (past->waker == WOKEN_BY_INTERRUPT)
		record->is_by_interrupt = true;
	else if (is_signal(before->reason)) /* by a thread, or no event shows by what */
		record->is_by_thread = true;
	else
		return true;
	gap = (struct gap){ .from = record->last.to,
		.to = past->from,
		.from_seq = record->last.to_seq,
		.to_seq = past->from_seq,
		.is_inferred = record->last.is_inferred || past->certainty != RST_CERTAINTY_EXACT };
	if (record->has_last)
		gap_take(findings, record, &gap);
	record->has_last = true;
	record->last = gap;
	record->last.is_inferred = past->certainty != RST_CERTAINTY_EXACT;
	return true;
}

static bool period_finish(void *context, const struct scan *scan)
{
	struct period_state *state = context;
	struct findings *findings = state->findings;

	struct period_record *record;
	size_t index = 0;

	(void)scan;
	while ((record = record_next(&state->threads, &index)) != NULL)
		early_judge(findings, record);
	return true;
}

/* Starvation is the cause of the periods that the thread misses meanwhile, and has them. */
static bool period_is_part(const struct finding *finding, const struct finding *other)
{
	const uint64_t from = finding->from > other->from ? finding->from : other->from,
		       to = finding->to < other->to ? finding->to : other->to;

	return other->kind == &finding_starvation && other->subjects[0] == finding->subjects[0] &&
	       from < to && to - from >= (finding->to - finding->from) / 2;
}

static void period_say(const struct finding *finding, struct sentence *sentence)
{
	const uint64_t period = (uint64_t)finding->figures[PERIOD], gap = (uint64_t)finding->figures[GAP],
		       n = (gap + period / 2) / period;

	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " wakes every ");
	sentence_time(sentence, period);
	sentence_words(sentence, ", and here after ");
	sentence_time(sentence, gap);
	if (n > 1) {
		sentence_words(sentence, ": it missed ");
		sentence_count(sentence, n - 1, "period", "periods");
	}
	if (finding->variant) {
		sentence_words(sentence, "; it waited ");
		sentence_time(sentence, (uint64_t)finding->figures[WAITED]);
		sentence_words(sentence, " for ");
		sentence_name(sentence, finding->subjects[1]);
	}
	if (finding->n_named) {
		sentence_words(sentence, finding->variant ? ", and meanwhile " : "; meanwhile ");
		sentence_names(sentence, finding->named, finding->n_named, finding->n_more_named);
		sentence_words(sentence, " ran");
	}
	sentence_words(sentence, ".");
}

static void period_done(void *context)
{
	struct period_state *state = context;

	records_done(&state->threads);
}

const struct finding_kind finding_missed_period = {
	.observer = {
		.state_bytes = sizeof(struct period_state),
		.finish = period_finish,
		.done = period_done,
	},
	.name = "missed_period",
	.about = "a thread that wakes in equal distances wakes late",
	.threshold = "how much longer than the period it takes",
	.is_share = true,
	.count = 50,
	.escalates = true,
	.judges = JUDGES_STATE(RST_STATE_READY) | JUDGES_STATE(RST_STATE_RUNNING) |
		  JUDGES_STATE(RST_STATE_UNKNOWN),
	.judge = period_judge,
	.is_part = period_is_part,
	.say = period_say,
};
