/* SPDX-License-Identifier: MIT */
/*
 * Interrupts. A long one: it takes long, and more than usually. A storm: many in a row, which together take a
 * great part of the time, or come much more often than before and after.
 */
#include <inttypes.h>

#include "analysis/explain/explain.h"

enum { USUAL_MIN = 4, USUAL_FACTOR = 4 };

/* --- long ones ------------------------------------------------------------------------------------------ */

struct length_record {
	uint64_t n, sum;
};

struct length_state {
	struct findings *findings;
	struct records interrupts;
};

static bool long_judge(void *context, const struct past *past)
{
	struct length_state *state = context;
	struct findings *findings = state->findings;
	const uint64_t length = past->to - past->from;
	struct length_record *record;
	struct finding *finding;

	/* The ends of an inferred interrupt may be wrong by an amount that matters here. */
	if (past->kind != PAST_INTERRUPT || past->certainty != RST_CERTAINTY_EXACT || !past->has_begin ||
		!past->has_end)
		return true;
	state->interrupts.record_bytes = sizeof(*record);
	record = record_of(&state->interrupts, past->subject);
	if (!record)
		return false;
	record->n++;
	record->sum += length;
	if (record->n > USUAL_MIN && length < USUAL_FACTOR * ((record->sum - length) / (record->n - 1)))
		return true;
	finding = finding_add(findings, &finding_long_interrupt, length);
	if (!finding)
		return true;
	finding->from = past->from;
	finding->to = past->to;
	finding_subject(finding, past->subject);
	finding_evidence_past(finding, past);
	return true;
}

static void long_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " took ");
	sentence_time(sentence, finding->weight);
	sentence_words(sentence, "; nothing else ran on its core meanwhile.");
}

static void long_done(void *context)
{
	struct length_state *state = context;

	records_done(&state->interrupts);
}

const struct finding_kind finding_long_interrupt = {
	.observer = {
		.state_bytes = sizeof(struct length_state),
		.done = long_done,
	},
	.name = "long_interrupt",
	.about = "an interrupt takes long",
	.threshold = "how long",
	.ns = 1000000,
	.percent = 5,
	.escalates = true,
	.judges = JUDGES_INTERRUPTS,
	.judge = long_judge,
	.say = long_say,
};

/* --- storms --------------------------------------------------------------------------------------------- */

enum { ROW_MAX = 32, BUSY_PERCENT = 25, BURST_BUSY_PERCENT = 5, BURST_FACTOR = 10, EDGES = 4 };

struct storm {
	uint64_t n, from, to, busy;
	uint64_t first[EDGES], last[EDGES]; /* sequence numbers of its first and last ones */
	bool is_inferred;
};

struct storm_record {
	struct party *party;
	uint64_t n; /* in the window */
	struct {
		uint64_t from, to, seq;
		bool is_inferred;
	} row[ROW_MAX]; /* the last ones */
	uint64_t busy;	/* of these */
	struct storm dense,
		present; /* the largest that is busy by itself, or in a burst; and the one that goes on */
};

struct storm_state {
	struct findings *findings;
	struct records interrupts;
};

static bool is_dense(const struct storm_record *record)
{
	const size_t oldest = record->n % ROW_MAX, newest = (record->n - 1) % ROW_MAX;
	const uint64_t span = record->row[newest].to - record->row[oldest].from;

	return record->n >= ROW_MAX && record->busy * 100 >= span * BURST_BUSY_PERCENT;
}

static void storm_take(struct storm *storm, uint64_t from, uint64_t to, uint64_t seq, bool is_inferred)
{
	if (!storm->n)
		storm->from = from;
	if (storm->n < EDGES)
		storm->first[storm->n] = seq;
	storm->last[storm->n++ % EDGES] = seq;
	storm->to = to;
	storm->busy += to - from;
	storm->is_inferred |= is_inferred;
}

static void storm_end(struct storm_record *record)
{
	if (record->present.n > record->dense.n)
		record->dense = record->present;
	record->present.n = record->present.busy = 0;
	record->present.is_inferred = false;
}

/* A storm begins with all interrupts that made it a storm. */
static bool storm_judge(void *context, const struct past *past)
{
	struct storm_state *state = context;
	struct findings *findings = state->findings;
	struct storm_record *record;
	size_t at;

	(void)findings;
	if (past->kind != PAST_INTERRUPT || past->certainty == RST_CERTAINTY_UNKNOWN || !past->has_begin ||
		!past->has_end)
		return true;
	state->interrupts.record_bytes = sizeof(*record);
	record = record_of(&state->interrupts, past->subject);
	if (!record)
		return false;
	record->party = past->subject;
	at = record->n++ % ROW_MAX;
	if (record->n > ROW_MAX)
		record->busy -= record->row[at].to - record->row[at].from;
	record->row[at].from = past->from;
	record->row[at].to = past->to;
	record->row[at].seq = past->from_seq;
	record->row[at].is_inferred = past->certainty != RST_CERTAINTY_EXACT;
	record->busy += past->to - past->from;
	if (!is_dense(record)) {
		storm_end(record);
		return true;
	}
	for (size_t i = record->present.n ? ROW_MAX - 1 : 0; i < ROW_MAX; i++) {
		at = (record->n + i) % ROW_MAX;
		storm_take(&record->present, record->row[at].from, record->row[at].to, record->row[at].seq,
			record->row[at].is_inferred);
	}
	return true;
}

enum { SPAN, BUSY };

static void storm_add(struct findings *findings, struct storm_record *record)
{
	const struct storm *storm = &record->dense;
	const uint64_t span = storm->to - storm->from, window = findings->scan->to - findings->scan->from;
	const double rate = (double)storm->n / (double)(span ? span : 1),
		     others = (double)(record->n - storm->n) / (double)(window > span ? window - span : 1);
	const bool is_busy = storm->busy * 100 >= span * BUSY_PERCENT,
		   is_burst = window > 2 * span && rate >= BURST_FACTOR * others;
	struct finding *finding = storm->n && (is_busy || is_burst)
					  ? finding_add(findings, &finding_interrupt_storm, storm->n)
					  : NULL;

	if (!finding)
		return;
	finding->from = storm->from;
	finding->to = storm->to;
	finding->figures[SPAN] = (int64_t)span;
	finding->figures[BUSY] = (int64_t)storm->busy;
	finding->is_certain = !storm->is_inferred;
	finding_subject(finding, record->party);
	for (size_t i = 0; i < EDGES; i++) {
		finding_evidence(finding, storm->first[i]);
		finding_evidence(finding, storm->last[i]);
	}
}

static bool storm_finish(void *context, const struct scan *scan)
{
	struct storm_state *state = context;
	struct findings *findings = state->findings;

	struct storm_record *record;
	size_t index = 0;

	(void)scan;
	while ((record = record_next(&state->interrupts, &index)) != NULL) {
		storm_end(record);
		storm_add(findings, record);
	}
	return true;
}

static void storm_say(const struct finding *finding, struct sentence *sentence)
{
	const uint64_t span = (uint64_t)finding->figures[SPAN], busy = (uint64_t)finding->figures[BUSY];

	sentence_words(sentence, "A storm of ");
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, ": it came %" PRIu64 " times in ", finding->weight);
	sentence_time(sentence, span);
	sentence_words(sentence, ", and took %.3g %% of that time.",
		span ? 100 * (double)busy / (double)span : 100.0);
}

static void storm_done(void *context)
{
	struct storm_state *state = context;

	records_done(&state->interrupts);
}

const struct finding_kind finding_interrupt_storm = {
	.observer = {
		.state_bytes = sizeof(struct storm_state),
		.finish = storm_finish,
		.done = storm_done,
	},
	.name = "interrupt_storm",
	.about = "an interrupt comes again and again, and takes a great part of the time",
	.threshold = "how many in a row take a quarter of the time, or 5 % at ten times the usual rate",
	.is_count = true,
	.count = ROW_MAX,
	.escalates = true,
	.judges = JUDGES_INTERRUPTS,
	.judge = storm_judge,
	.say = storm_say,
};
