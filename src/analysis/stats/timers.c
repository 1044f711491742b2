/* SPDX-License-Identifier: MIT */
/*
 * `timers`: how often timers were started, stopped and expired, and how even their expiries were. A time is
 * measured from one event to the next of the same timer. A start, a stop and a deletion begin anew. The time
 * between two events with a loss between them does not count.
 *
 * Kernels count timers in ticks, whose length recordings rarely tell. So the table shows the asked times in
 * ticks, beside the times that passed. ThreadX records no expiry at all: then `expired` is not known. No
 * event shows the moment for which an expiry was due, so the table calls an interval late by the time that it
 * is longer than the median.
 */
#include "analysis/stats/cuts.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/times.h"
#include "analysis/subjects.h"

enum {
	TIMERS_PROCESS,
	TIMERS_TIMER,
	TIMERS_STARTED,
	TIMERS_STOPPED,
	TIMERS_EXPIRED,
	TIMERS_DELAY_TICKS,
	TIMERS_PERIOD_TICKS,
	TIMERS_FIRST_MEAN,
	TIMERS_FIRST_MAX,
	TIMERS_MEAN,
	TIMERS_DURATION,
	TIMERS_JITTER = TIMERS_DURATION + N_DURATION_CELLS,
	TIMERS_LATE,
	TIMERS_LENGTHS,
	N_TIMERS_COLUMNS
};

static const struct table_column columns[N_TIMERS_COLUMNS] = {
	[TIMERS_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[TIMERS_TIMER] = { .name = "timer", .type = CELL_WORD, .is_subject = true },
	[TIMERS_STARTED] = { .name = "started", .type = CELL_COUNT },
	[TIMERS_STOPPED] = { .name = "stopped", .type = CELL_COUNT, .rank = 1 },
	[TIMERS_EXPIRED] = { .name = "expired", .type = CELL_COUNT },
	[TIMERS_DELAY_TICKS] = { .name = "delay_ticks",
		.type = CELL_COUNT,
		.rank = 2,
		.help = "ticks of the kernel to its first expiry, as the latest start that tells it asks" },
	[TIMERS_PERIOD_TICKS] = { .name = "period_ticks",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "ticks of the kernel from one expiry to the next; 0: it expires once" },
	[TIMERS_FIRST_MEAN] = { .name = "first_mean",
		.type = CELL_TIME,
		.rank = 2,
		.help = "from a start to the first expiry behind it" },
	[TIMERS_FIRST_MAX] = { .name = "first_max",
		.type = CELL_TIME,
		.rank = 1,
		.help = "the longest of these" },
	[TIMERS_MEAN] = { .name = "mean", .type = CELL_TIME, .help = "from one expiry to the next" },
	DURATION_COLUMNS(TIMERS_DURATION, "", false, 2, 3, 2, 1, 3, "the median", "when that one ended"),
	[TIMERS_JITTER] = { .name = "jitter",
		.type = CELL_TIME,
		.help = "by how much the longest is longer than the shortest" },
	[TIMERS_LATE] = { .name = "late",
		.type = CELL_TIME,
		.rank = 1,
		.help = "by how much the longest is longer than the median" },
	[TIMERS_LENGTHS] = { .name = "lengths", .type = CELL_HISTOGRAM },
};

/* The latest event of a timer; shared by all parts. */
struct timer_last {
	struct subject subject;
	bool is_running, has_expired; /* it was started, or expired, at */
	uint64_t at;
};

struct timers_shared {
	struct subjects last;
	struct cuts cuts;
	bool has_expiries; /* the recording shows that timers expire */
};

struct timer_record {
	struct subject subject;
	uint64_t n_started, n_stopped, n_expired;
	uint64_t delay, period;
	bool has_delay, has_period;
	struct histogram firsts, lengths;
};

struct timers_state {
	struct timers_shared *shared;
	struct subjects timers;
};

static bool timers_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct timers_state *state = context;

	(void)batch, (void)row;
	cuts_add(&state->shared->cuts, at);
	return true;
}

static void timer_start(struct timer_record *record, struct timer_last *last, uint64_t at,
	const struct rst_effect_facts *facts)
{
	const bool is_of_ticks = facts->effect->unit == RST_UNIT_KERNEL_TICKS;

	record->n_started++;
	if (facts->has_limit && is_of_ticks) {
		record->has_delay = true;
		record->delay = facts->limit;
	}
	if (facts->has_value && is_of_ticks) {
		record->has_period = true;
		record->period = facts->value;
	}
	last->is_running = true;
	last->has_expired = false;
	last->at = at;
}

/* Counts the time since the start or the expiry before. Returns false if memory ran out. */
static bool timer_expire(
	struct timers_state *state, struct timer_record *record, struct timer_last *last, uint64_t at)
{
	struct histogram *times = last->has_expired ? &record->lengths : &record->firsts;
	const bool is_measured = last->is_running && !cuts_between(&state->shared->cuts, last->at, at);
	const uint64_t before = last->at;

	record->n_expired++;
	state->shared->has_expiries = true;
	last->is_running = last->has_expired = true;
	last->at = at;
	return !is_measured || histogram_add(times, at - before, at);
}

static bool timers_effect(void *context, const struct occurrence *occurrence)
{
	struct timers_state *state = context;
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_entity timer = rst_entity_of_ref(&facts->object);
	struct timer_record *record;
	struct timer_last *last;

	if (!facts->object.is_there || facts->object.kind != RST_OBJECT_TIMER)
		return true;
	state->shared->last.record_bytes = sizeof(*last);
	record = subject_of(&state->timers, &timer);
	last = subject_of(&state->shared->last, &timer);
	if (!record || !last)
		return false;
	if (facts->effect->kind == RST_EFFECT_EXPIRE)
		return timer_expire(state, record, last, occurrence->at);
	if (facts->effect->kind == RST_EFFECT_ARM)
		timer_start(record, last, occurrence->at, facts);
	else
		last->is_running = last->has_expired = false;
	record->n_stopped += facts->effect->kind == RST_EFFECT_DISARM;
	return true;
}

static bool timer_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct timers_state *state = context;
	const struct timer_record *record = subject;
	const struct histogram *firsts = &record->firsts, *lengths = &record->lengths;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	struct table_cell *cells = table_row(table);

	(void)window;
	if (!cells || !entity_name(&process, table, &cells[TIMERS_PROCESS]) ||
		!subject_name(&state->timers, &record->subject, table, &cells[TIMERS_TIMER]))
		return false;
	cells[TIMERS_STARTED] = cell_count(record->n_started);
	cells[TIMERS_STOPPED] = cell_count(record->n_stopped);
	cells[TIMERS_EXPIRED] = cell_if(state->shared->has_expiries, cell_count(record->n_expired));
	cells[TIMERS_DELAY_TICKS] = cell_if(record->has_delay, cell_count(record->delay));
	cells[TIMERS_PERIOD_TICKS] = cell_if(record->has_period, cell_count(record->period));
	cells[TIMERS_FIRST_MEAN] = mean_cell(firsts);
	cells[TIMERS_FIRST_MAX] = cell_if(firsts->n > 0, cell_time(firsts->most));
	cells[TIMERS_MEAN] = mean_cell(lengths);
	duration_cells(cells + TIMERS_DURATION, lengths);
	cells[TIMERS_JITTER] = cell_if(lengths->n > 1, cell_time(lengths->most - lengths->least));
	cells[TIMERS_LATE] = cell_if(lengths->n > 1, cell_time(lengths->most - histogram_at(lengths, 0.5)));
	cells[TIMERS_LENGTHS] = cell_histogram(lengths->n ? lengths : NULL);
	return true;
}

static void timer_record_done(void *subject)
{
	struct timer_record *record = subject;

	histogram_done(&record->firsts);
	histogram_done(&record->lengths);
}

static void timers_shared_done(void *context)
{
	struct timers_shared *shared = context;

	subjects_done(&shared->last);
}

const struct analysis analysis_timers = {
	.observer = {
		.state_bytes = sizeof(struct timers_state),
		.shared_bytes = sizeof(struct timers_shared),
		.records = { { offsetof(struct timers_state, timers), sizeof(struct timer_record), timer_record_done } },
		.effects = SCAN_BIT(RST_EFFECT_ARM) | SCAN_BIT(RST_EFFECT_DISARM) | SCAN_BIT(RST_EFFECT_EXPIRE) |
			   SCAN_BIT(RST_EFFECT_CREATE) | SCAN_BIT(RST_EFFECT_DELETE),
		.rows_wanted = ROWS_GAPS,
		.row = timers_row,
		.effect = timers_effect,
		.shared_done = timers_shared_done,
	},
	.name = "timers",
	.about = "how often timers expired, and how evenly",
	.columns = columns,
	.n_columns = N_TIMERS_COLUMNS,
	.order = TIMERS_EXPIRED,
	.basis = BASIS_EVENTS,
	.record = timer_record_row,
};
