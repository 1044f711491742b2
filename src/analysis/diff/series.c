/* SPDX-License-Identifier: MIT */
#include "analysis/diff/series.h"

#include "model/clock.h"

enum { FIRST_WIDTH = 64 };

static const char *const duration_names[N_DURATION_KINDS] = {
	[DURATION_RUN] = "run",
	[DURATION_LATENCY] = "latency",
	[DURATION_PREEMPTED] = "preempted",
	[DURATION_HOLD] = "hold",
	[DURATION_INTERRUPT] = "interrupt",
	[DURATION_SPAN] = "span",
	[DURATION_WAIT + RST_REASON_NONE] = "wait",
	[DURATION_WAIT + RST_REASON_SLEEP] = "wait for sleep",
	[DURATION_WAIT + RST_REASON_LOCK] = "wait for lock",
	[DURATION_WAIT + RST_REASON_SEMAPHORE] = "wait for semaphore",
	[DURATION_WAIT + RST_REASON_QUEUE] = "wait for queue",
	[DURATION_WAIT + RST_REASON_FLAGS] = "wait for flags",
	[DURATION_WAIT + RST_REASON_MEMORY] = "wait for memory",
	[DURATION_WAIT + RST_REASON_IO] = "wait for io",
	[DURATION_WAIT + RST_REASON_JOIN] = "wait for join",
	[DURATION_WAIT + RST_REASON_CHILD] = "wait for child",
	[DURATION_WAIT + RST_REASON_SUSPENDED] = "suspended",
	[DURATION_WAIT + RST_REASON_OTHER] = "wait for other",
};

static const char *const amount_names[N_AMOUNT_KINDS] = {
	[AMOUNT_LOAD] = "load",
	[AMOUNT_INTERRUPT] = "interrupt",
	[AMOUNT_EVENT] = "event",
};

const char *duration_name(unsigned kind)
{
	return duration_names[kind];
}

const char *amount_name(unsigned kind)
{
	return amount_names[kind];
}

/* --- durations ------------------------------------------------------------------------------------------ */

static bool duration_add(
	struct series *series, unsigned kind, const struct rst_entity *entity, uint64_t ticks, uint64_t at)
{
	const uint64_t hz = series->scan->times.hz;
	struct duration *duration = subject_of(&series->durations[kind], entity);

	return duration && histogram_add(&duration->histogram, hz ? clock_ns(ticks, hz) : ticks, at);
}

static bool run_end(struct series *series, struct followed_thread *thread, uint64_t at)
{
	const bool is_run = thread->is_whole && thread->ran;
	const uint64_t ran = thread->ran;

	thread->ran = 0;
	thread->is_whole = false;
	return !is_run || duration_add(series, DURATION_RUN, &thread->subject.entity, ran, at);
}

/* A run goes on after an interrupt; it ends when the thread is ready or waits. */
static bool thread_run(struct series *series, struct followed_thread *thread, const struct piece *piece)
{
	if (!thread->ran)
		thread->is_whole = piece->has_begin && thread->before != RST_STATE_UNKNOWN;
	if (piece->interval->certainty == RST_CERTAINTY_UNKNOWN)
		thread->is_whole = false;
	if (piece->interval->state == RST_STATE_RUNNING)
		thread->ran += piece_ticks(piece);
	(void)series;
	return true;
}

static bool thread_rest(struct series *series, struct followed_thread *thread, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	unsigned kind = DURATION_WAIT + interval->reason;

	if (!run_end(series, thread, piece->from))
		return false;
	if (!piece_is_whole(piece) ||
		(interval->state != RST_STATE_READY && interval->state != RST_STATE_WAITING))
		return true;
	if (interval->state == RST_STATE_READY)
		kind = thread->before == RST_STATE_WAITING ? DURATION_LATENCY : DURATION_PREEMPTED;
	return duration_add(series, kind, &interval->subject, piece_ticks(piece), piece->from);
}

static bool thread_piece(struct series *series, const struct piece *piece)
{
	struct followed_thread *thread = subject_of(&series->threads, &piece->interval->subject);
	const enum rst_state state = piece->interval->state;
	const bool runs = state == RST_STATE_RUNNING || state == RST_STATE_INTERRUPTED;

	if (!thread || !(runs ? thread_run : thread_rest)(series, thread, piece))
		return false;
	thread->before = state;
	thread->n_unknown += state == RST_STATE_UNKNOWN;
	return true;
}

/* --- amounts -------------------------------------------------------------------------------------------- */

static void amount_fold(struct amount *amount)
{
	for (size_t i = 0; i < SERIES_PARTS / 2; i++)
		amount->parts[i] = amount->parts[2 * i] + amount->parts[2 * i + 1];
	memset(amount->parts + SERIES_PARTS / 2, 0, sizeof(amount->parts) / 2);
}

/* Makes parts wide enough for this moment. */
static void series_reach(struct series *series, uint64_t at)
{
	while ((at - series->scan->from) / series->width >= SERIES_PARTS) {
		series->width *= 2;
		for (unsigned kind = 0; kind < N_AMOUNT_KINDS; kind++)
			for (size_t i = 0; i < series->amounts[kind].n; i++)
				amount_fold((struct amount *)series->amounts[kind].all[i]);
	}
}

static struct amount *amount_reach(
	struct series *series, unsigned kind, const struct rst_entity *entity, uint64_t at)
{
	series_reach(series, at);
	return subject_of(&series->amounts[kind], entity);
}

/* Spreads the ticks of a piece over the parts that it reaches into. */
static bool amount_add(struct series *series, unsigned kind, const struct piece *piece)
{
	struct amount *amount = amount_reach(series, kind, &piece->interval->subject, piece->to);
	const uint64_t first = series->scan->from, width = series->width;

	if (!amount)
		return false;
	amount->total += piece_ticks(piece);
	/*
	 * Distances from the window's begin: the end of the last part may lie beyond what 64 bits of ticks
	 * hold.
	 */
	for (uint64_t from = piece->from - first, to = piece->to - first; from < to;) {
		const uint64_t n = from / width, left = width - from % width;
		const uint64_t ticks = left < to - from ? left : to - from;

		amount->parts[n < SERIES_PARTS ? n : SERIES_PARTS - 1] += ticks;
		from += ticks;
	}
	return true;
}

/* Only threads that ran have a load. */
static bool load_add(struct series *series, const struct piece *piece)
{
	struct followed_thread *thread;

	if (piece_is_proved(piece))
		return piece->interval->state != RST_STATE_RUNNING || amount_add(series, AMOUNT_LOAD, piece);
	thread = subject_of(&series->threads, &piece->interval->subject);
	if (thread)
		thread->unknown += piece_ticks(piece);
	return thread != NULL;
}

static bool series_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct series *series = context;
	const struct rst_type *type = batch->type[row];
	const struct rst_entity entity = { .form = RST_ENTITY_THING,
		.kind = "event",
		.id = type->index,
		.is_number = true,
		.name = type->name,
		.name_bytes = type->name_bytes };
	struct amount *amount;

	if (type->marker != RST_EVENT)
		return true;
	amount = amount_reach(series, AMOUNT_EVENT, &entity, at);
	if (!amount)
		return false;
	amount->total++;
	amount->has_effects |= batch->layout[row]->n_effects != 0;
	amount->parts[(at - series->scan->from) / series->width]++;
	return true;
}

uint64_t amount_most(const struct series *series, unsigned kind, const struct amount *amount)
{
	const struct followed_thread *thread =
		kind == AMOUNT_LOAD ? subject_find(&series->threads, &amount->subject.entity) : NULL;

	return amount->total + (thread ? thread->unknown : 0);
}

size_t series_n_parts(const struct series *series)
{
	return (size_t)((series->scan->to - series->scan->from) / series->width);
}

double amount_scale(const struct series *series, unsigned kind)
{
	const uint64_t hz = series->scan->times.hz;

	return kind == AMOUNT_EVENT && hz ? AMOUNT_SCALE * (double)hz / 1e9 : AMOUNT_SCALE;
}

bool amount_spread(const struct series *series, unsigned kind, const struct amount *amount,
	struct histogram *ret_histogram)
{
	const size_t n_parts = series_n_parts(series);
	const double scale = amount_scale(series, kind) / (double)series->width;
	bool is_added = true;

	*ret_histogram = (struct histogram){ 0 };
	for (size_t i = 0; i < n_parts && is_added; i++)
		is_added = histogram_add(ret_histogram, (uint64_t)((double)amount->parts[i] * scale), i);
	return is_added;
}

/* --- the observer --------------------------------------------------------------------------------------- */

static bool series_piece(void *context, const struct piece *piece)
{
	static const enum duration_kind kinds[RST_N_INTERVAL_KINDS] = {
		[RST_INTERVAL_LOCK] = DURATION_HOLD,
		[RST_INTERVAL_INTERRUPT] = DURATION_INTERRUPT,
		[RST_INTERVAL_SPAN] = DURATION_SPAN,
	};
	struct series *series = context;
	const struct rst_interval *interval = piece->interval;

	if (interval->kind == RST_INTERVAL_THREAD)
		return thread_piece(series, piece) && load_add(series, piece);
	if (interval->kind == RST_INTERVAL_INTERRUPT && !amount_add(series, AMOUNT_INTERRUPT, piece))
		return false;
	if (!piece_is_whole(piece) || interval->state == RST_STATE_UNKNOWN)
		return true;
	return duration_add(
		series, kinds[interval->kind], &interval->subject, piece_ticks(piece), piece->from);
}

static enum rst_status series_start(void *context, const struct scan *scan, struct rst_error *err)
{
	struct series *series = context;

	(void)err;
	series->roles.trace = scan->trace;
	return RST_OK;
}

static bool series_effect(void *context, const struct occurrence *occurrence)
{
	struct series *series = context;
	const struct rst_effect *effect = occurrence->facts->effect;

	if (effect->kind != RST_EFFECT_CREATE) {
		series->has_partial_locks |= effect->is_partial;
		return true;
	}
	return effect->object.from != RST_FROM_SELF ||
	       roles_take_creation(&series->roles, occurrence->batch, occurrence->row);
}

bool series_settle(struct series *series)
{
	return roles_settle(&series->roles, &series->threads);
}

static const struct observer_kind series_observer = {
	.effects = SCAN_BIT(RST_EFFECT_CREATE) | SCAN_BIT(RST_EFFECT_ACQUIRE),
	.intervals = SCAN_BIT(RST_INTERVAL_THREAD) | SCAN_BIT(RST_INTERVAL_LOCK) |
		     SCAN_BIT(RST_INTERVAL_INTERRUPT) | SCAN_BIT(RST_INTERVAL_SPAN),
	.start = series_start,
	.row = series_row,
	.effect = series_effect,
	.piece = series_piece,
};

void series_init(struct series *series, struct scan *scan)
{
	*series = (struct series){ .scan = scan, .width = FIRST_WIDTH };
	for (unsigned kind = 0; kind < N_DURATION_KINDS; kind++)
		series->durations[kind].record_bytes = sizeof(struct duration);
	for (unsigned kind = 0; kind < N_AMOUNT_KINDS; kind++)
		series->amounts[kind].record_bytes = sizeof(struct amount);
	series->threads.record_bytes = sizeof(struct followed_thread);
	roles_init(&series->roles);
	observers_add(&scan->observers, &series_observer, series);
}

void series_done(struct series *series)
{
	for (unsigned kind = 0; kind < N_DURATION_KINDS; kind++) {
		struct subjects *subjects = &series->durations[kind];

		for (size_t i = 0; i < subjects->n; i++)
			histogram_done(&((struct duration *)subjects->all[i])->histogram);
		subjects_done(subjects);
	}
	for (unsigned kind = 0; kind < N_AMOUNT_KINDS; kind++)
		subjects_done(&series->amounts[kind]);
	subjects_done(&series->threads);
	roles_done(&series->roles);
}
