/* SPDX-License-Identifier: MIT */
/*
 * run, ready, wait, hold, duration: how long something lasts. Each single interval must lie in the range. An
 * interval that is cut at either end of the window, or where the recording begins or stops, counts only if it
 * is already too long. `run`, `ready` and `wait` can also be measured as their total time in the window (a
 * share in %) or in each part of it (`per`).
 */
#include "query/check.h"

/* --- single intervals ----------------------------------------------------------------------------------- */

/* The end of the recording cuts an interval that is still open, unless events were lost before. */
static void length_unknown(struct run *run, const struct piece *piece)
{
	const struct check *check = run->check;

	if (!piece->has_end && check->edges.n && !check->n_gaps)
		run->is_open_unsure = true;
	else
		run_unknown(run, "how long an interval was is not known: events are lost in it, or lacking");
}

static void piece_measure(struct run *run, const struct piece *piece, const struct rst_entity *subject)
{
	const struct rst_interval *interval = piece->interval;
	struct violation sample = { .from = piece->begin,
		.to = piece->to,
		.from_seq = interval->from_seq,
		.to_seq = interval->to_seq,
		.value = piece_length(piece),
		.subject = *subject };

	if (interval->certainty == RST_CERTAINTY_UNKNOWN) {
		length_unknown(run, piece);
	} else if (run_sees_begin(run, piece) && run_sees_end(run, piece)) {
		run_measure(run, &sample, 1);
	} else if (sample.value > run->bounds.most) {
		sample.has_not_ended = true;
		run_measure(run, &sample, 1);
	} else {
		run_note_cut(run, piece);
	}
}

static bool span_piece(void *context, const struct piece *piece)
{
	struct run *run = ((struct metric_state *)context)->run;
	if (!run_takes_entity(run, 0, &piece->interval->subject))
		return true;
	run->has_match = true;
	piece_measure(run, piece, &piece->interval->subject);
	return true;
}

static bool lock_piece(void *context, const struct piece *piece)
{
	struct run *run = ((struct metric_state *)context)->run;
	const struct rst_interval *interval = piece->interval;

	if (!run_takes_entity(run, 0, &interval->subject))
		return true;
	run->has_match = true;
	if (interval->state == RST_STATE_HELD)
		piece_measure(run, piece, &interval->object);
	else if (!run_is_outside(run, piece))
		run_unknown(run, "the recording does not tell at each moment which thread has the lock");
	return true;
}

/* --- threads -------------------------------------------------------------------------------------------- */

struct lasting {
	struct subject subject;
	/* One run, over interrupts. */
	bool is_running, has_begin;
	uint64_t since, since_seq, ran, to, to_seq;
	/* A part of the window. */
	bool has_number;
	uint64_t number, sum, unknown;
};

struct lastings {
	struct run *run;
	struct subjects threads;
	uint64_t n_parts;
};

enum counts { COUNTS_NOT, COUNTS, COUNTS_MAYBE };

static enum counts wait_counts(struct run *run, const struct rst_interval *interval)
{
	if (interval->state != RST_STATE_WAITING)
		return COUNTS_NOT;
	if (run->rule->n_selectors < 2 || run_takes_entity(run, 1, &interval->object))
		return COUNTS;
	return wait_is_known(interval) ? COUNTS_NOT : COUNTS_MAYBE;
}

/* Whether the interval belongs to the state that the rule measures. */
static enum counts piece_counts(struct run *run, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	const struct metric *metric = run->rule->metric;

	if (!piece_is_proved(piece))
		return COUNTS_MAYBE;
	if (metric == &metric_wait)
		return wait_counts(run, interval);
	return interval->state == (metric == &metric_run ? RST_STATE_RUNNING : RST_STATE_READY) ? COUNTS
												: COUNTS_NOT;
}

/* --- … each run ----------------------------------------------------------------------------------------- */

static void run_take(struct run *run, struct lasting *lasting, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	if (!lasting->is_running) {
		lasting->has_begin = run_sees_begin(run, piece);
		lasting->since = piece->begin;
		lasting->since_seq = interval->from_seq;
		lasting->ran = 0;
		lasting->is_running = true;
	}
	lasting->ran += interval->state == RST_STATE_RUNNING ? piece_length(piece) : 0;
	lasting->to = piece->to;
	lasting->to_seq = run_sees_end(run, piece) ? interval->to_seq : RST_NO_SEQ;
	run_note_cut(run, piece);
}

/* It ran at least until then; without an event that ended the run, it may have run longer. */
static void run_end(struct run *run, struct lasting *lasting)
{
	struct violation sample = { .from = lasting->since,
		.to = lasting->to,
		.from_seq = lasting->since_seq,
		.to_seq = lasting->to_seq,
		.value = lasting->ran,
		.has_not_ended = lasting->to_seq == RST_NO_SEQ || !lasting->has_begin,
		.subject = lasting->subject.entity };

	if (lasting->is_running && lasting->ran && (!sample.has_not_ended || sample.value > run->bounds.most))
		run_measure(run, &sample, 1);
	lasting->is_running = false;
}

static void runs_piece(struct run *run, struct lasting *lasting, const struct piece *piece)
{
	const enum rst_state state = piece->interval->state;

	if (piece->interval->certainty != RST_CERTAINTY_UNKNOWN &&
		(state == RST_STATE_RUNNING || state == RST_STATE_INTERRUPTED))
		run_take(run, lasting, piece);
	else
		run_end(run, lasting);
}

/* --- … or what they come to ----------------------------------------------------------------------------- */

static bool is_summed(const struct run *run)
{
	return run->per || run->rule->range.least.form == QUANTITY_SHARE;
}

/* Those of a share depend on what it is a share of. */
static void bounds_set(struct run *run, uint64_t ticks)
{
	if (run->rule->range.least.form == QUANTITY_SHARE)
		run->bounds = range_bounds(&run->rule->range, (struct worth){ ticks, (wide)100000000000 });
}

static void sum_judge(struct run *run, const struct lasting *lasting, uint64_t from, uint64_t to,
	uint64_t sum, uint64_t unknown, uint64_t times)
{
	const bool is_share = run->rule->range.least.form == QUANTITY_SHARE;
	const struct violation sample = { .from = from,
		.to = to,
		.from_seq = RST_NO_SEQ,
		.to_seq = RST_NO_SEQ,
		.value = sum,
		.of = is_share ? to - from : 0,
		.subject = lasting->subject.entity };

	bounds_set(run, to - from);
	if (unknown)
		run_measure_between(run, &sample, sum + unknown,
			"the recording does not tell for long enough what the thread did");
	else
		run_measure(run, &sample, times);
}

static void sums_add(struct lasting *lasting, enum counts counts, uint64_t ticks)
{
	lasting->sum += counts == COUNTS ? ticks : 0;
	lasting->unknown += counts == COUNTS_MAYBE ? ticks : 0;
}

/* Its pieces follow each other without a gap from the first one on. */
static void sums_piece(
	struct run *run, struct lasting *lasting, const struct piece *piece, enum counts counts)
{
	struct lastings *lastings = run->state;
	const struct scan *scan = run->check->scan;
	const uint64_t last = run_part(run, scan, piece->to);
	uint64_t from = piece->begin, begin;

	if (!lasting->has_number)
		lasting->number = run_part(run, scan, piece->begin);
	lasting->has_number = true;
	begin = run_part_begin(run, scan, lasting->number);
	if (lasting->number < last) {
		const uint64_t end = begin + run->per, n_alike = last - lasting->number - 1;

		sums_add(lasting, counts, from < end ? end - (from > begin ? from : begin) : 0);
		sum_judge(run, lasting, begin, end, lasting->sum, lasting->unknown, 1);
		/* All parts that lie completely in this piece have the same value. */
		if (n_alike)
			sum_judge(run, lasting, end, end + run->per, counts == COUNTS ? run->per : 0,
				counts == COUNTS_MAYBE ? run->per : 0, n_alike);
		lastings->n_parts += 1 + n_alike;
		lasting->number = last;
		lasting->sum = lasting->unknown = 0;
		begin = run_part_begin(run, scan, last);
		from = from > begin ? from : begin;
	}
	sums_add(lasting, counts, piece->to > from ? piece->to - from : 0);
}

static void sums_finish(struct run *run, const struct scan *scan)
{
	struct lastings *lastings = run->state;

	for (size_t i = 0; i < lastings->threads.n; i++) {
		struct lasting *lasting = (struct lasting *)lastings->threads.all[i];
		const uint64_t begin = run_part_begin(run, scan, lasting->number);

		if (run->per)
			bounds_set(run, run->per);
		if (!run->per && scan->to > scan->from)
			sum_judge(run, lasting, scan->from, scan->to, lasting->sum, lasting->unknown, 1);
		else if (run->per && lasting->sum > run->bounds.most)
			sum_judge(run, lasting, begin, begin + run->per, lasting->sum, 0, 1);
	}
	if (run->per && !lastings->n_parts && lastings->threads.n)
		run_unknown(run, "the window is shorter than a part (per)");
}

/* --- threads, all together ------------------------------------------------------------------------------ */

static void single_piece(struct run *run, const struct piece *piece, enum counts counts)
{
	const struct rst_interval *interval = piece->interval;
	const bool is_before = interval->from_seq == RST_NO_SEQ && interval->to_seq != RST_NO_SEQ;

	/*
	 * The time until the recording first shows the thread, or shows it again after a pause, is not a
	 * wait.
	 */
	if (counts == COUNTS)
		piece_measure(run, piece, &interval->subject);
	else if (counts == COUNTS_MAYBE && !is_before && !run_is_outside(run, piece))
		run_unknown(run, "the recording does not tell at each moment what the thread did");
}

static bool thread_piece(void *context, const struct piece *piece)
{
	struct lastings *lastings = context;
	struct run *run = lastings->run;
	const struct rst_interval *interval = piece->interval;
	enum counts counts;
	struct lasting *lasting;

	if (!run_takes_entity(run, 0, &interval->subject))
		return true;
	lasting = subject_of(&lastings->threads, &interval->subject);
	if (!lasting)
		return false;
	counts = piece_counts(run, piece);
	run->has_match = true;
	if (is_summed(run))
		sums_piece(run, lasting, piece, counts);
	else
		single_piece(run, piece,
			run->rule->metric == &metric_run && counts == COUNTS ? COUNTS_NOT : counts);
	if (!is_summed(run) && run->rule->metric == &metric_run)
		runs_piece(run, lasting, piece);
	return true;
}

static bool thread_finish(void *context, const struct scan *scan)
{
	struct lastings *lastings = context;
	struct run *run = lastings->run;

	run->judges_losses = is_summed(run);
	if (is_summed(run))
		sums_finish(run, scan);
	for (size_t i = 0; i < lastings->threads.n; i++)
		run_end(run, (struct lasting *)lastings->threads.all[i]);
	return run_explain_absence(run, scan);
}

#define LENGTHS (QUANTITY_BIT(QUANTITY_TIME) | QUANTITY_BIT(QUANTITY_TICKS))

const struct metric metric_duration = {
	.observer = {
		.state_bytes = sizeof(struct metric_state),
		.intervals = SCAN_BIT(RST_INTERVAL_SPAN) | SCAN_BIT(RST_INTERVAL_INTERRUPT),
		.piece = span_piece,
		.finish = absence_finish,
	},
	.name = "duration",
	.usage = "duration(span NAME) < 2ms",
	.about = "each single piece of work, or interrupt",
	.n_selectors = 1,
	.n_selectors_max = 1,
	.takes = { SELECTOR_BIT(SELECTOR_SPAN) | SELECTOR_BIT(SELECTOR_IRQ) },
	.quantities = LENGTHS,
};

const struct metric metric_hold = {
	.observer = {
		.state_bytes = sizeof(struct metric_state),
		.intervals = SCAN_BIT(RST_INTERVAL_LOCK),
		.piece = lock_piece,
		.finish = absence_finish,
	},
	.name = "hold",
	.usage = "hold(mutex NAME) < 2ms",
	.about = "each single time that a thread has the lock",
	.n_selectors = 1,
	.n_selectors_max = 1,
	.takes = { SELECTOR_BIT(SELECTOR_OBJECT) },
	.quantities = LENGTHS,
};

#define METRIC_THREAD(NAME, USAGE, ABOUT, N)                                                           \
	{                                                                                              \
		.observer = { .state_bytes = sizeof(struct lastings),                                  \
			.records = { { offsetof(struct lastings, threads), sizeof(struct lasting) } }, \
			.intervals = SCAN_BIT(RST_INTERVAL_THREAD),                                    \
			.piece = thread_piece,                                                         \
			.finish = thread_finish },                                                     \
		.name = NAME, .usage = USAGE, .about = ABOUT, .n_selectors = 1, .n_selectors_max = N,  \
		.takes = { SELECTOR_BIT(SELECTOR_THREAD),                                              \
			SELECTOR_BIT(SELECTOR_OBJECT) | SELECTOR_BIT(SELECTOR_THREAD) },               \
		.quantities = LENGTHS | QUANTITY_BIT(QUANTITY_SHARE), .takes_per = true,               \
	}

const struct metric metric_run = METRIC_THREAD("run", "run(thread NAME) < 40% [per 10ms]",
	"each single run; with % or per: the time in all, or in each part", 1);
const struct metric metric_ready = METRIC_THREAD("ready", "ready(thread NAME) < 2ms [per 10ms]",
	"each single time that it could run and did not; with % or per: as run", 1);
const struct metric metric_wait = METRIC_THREAD("wait", "wait(thread NAME[, mutex NAME]) < 2ms [per 10ms]",
	"each single wait, for the object; with % or per: as run", 2);
