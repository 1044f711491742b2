/* SPDX-License-Identifier: MIT */
#include "analysis/diff/diff.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/diff/rank.h"
#include "model/clock.h"

#define CHANCE 0.01 /* of one false alarm in a comparison */

const char *const change_names[N_CHANGES] = {
	[CHANGE_NONE] = "same",
	[CHANGE_UNSURE] = "unsure",
	[CHANGE_SLOWER] = "slower",
	[CHANGE_FASTER] = "faster",
	[CHANGE_MORE] = "more",
	[CHANGE_LESS] = "less",
	[CHANGE_NEW] = "new",
	[CHANGE_GONE] = "gone",
};

/* --- pairs ---------------------------------------------------------------------------------------------- */

static bool side_init(struct diff_side *side, const struct roles *roles, const struct subjects *subjects)
{
	*side = (struct diff_side){ .subjects = subjects, .keys = calloc(subjects->n + 1, sizeof(uint64_t)) };
	if (!side->keys || !roles_keys(roles, subjects, side->keys))
		return false;
	for (size_t i = 0; i < subjects->n; i++)
		if (!map_find(&side->found, side->keys[i]) &&
			!map_set(&side->found, side->keys[i], subjects->all[i]))
			return false;
	return true;
}

static struct subject *side_find(const struct diff_side *side, uint64_t key)
{
	return map_find(&side->found, key);
}

static void side_done(struct diff_side *side)
{
	free(side->keys);
	map_done(&side->found);
}

/*
 * Called for each subject of either side, with NULL for the side that lacks it. Returns false if memory ran
 * out.
 */
typedef bool pair_fn(
	struct diff *diff, unsigned kind, const struct subject *before, const struct subject *after);

static bool pairs_each(struct diff *diff, unsigned kind, const struct subjects *before,
	const struct subjects *after, pair_fn *take)
{
	struct diff_side sides[2] = { { 0 }, { 0 } };
	bool is_done = side_init(&sides[0], &diff->before->roles, before) &&
		       side_init(&sides[1], &diff->after->roles, after);

	for (size_t i = 0; i < before->n && is_done; i++)
		if (side_find(&sides[0], sides[0].keys[i]) == before->all[i])
			is_done = take(diff, kind, before->all[i], side_find(&sides[1], sides[0].keys[i]));
	for (size_t i = 0; i < after->n && is_done; i++)
		if (side_find(&sides[1], sides[1].keys[i]) == after->all[i] &&
			!side_find(&sides[0], sides[1].keys[i]))
			is_done = take(diff, kind, NULL, after->all[i]);
	side_done(&sides[0]);
	side_done(&sides[1]);
	return is_done;
}

/* --- judging -------------------------------------------------------------------------------------------- */

static double change_of(double before, double after)
{
	if (before == after)
		return 0;
	return before > 0 ? after / before - 1 : HUGE_VAL;
}

/*
 * How far the median has moved. If that is not more than the user wants, the mean, which a long tail moves.
 */
static double shift_of(const struct diff *diff, const struct histogram *before, const struct histogram *after)
{
	const double middle = change_of((double)histogram_at(before, 0.5), (double)histogram_at(after, 0.5));

	return fabs(middle) >= diff->least ? middle
					   : change_of(histogram_mean(before), histogram_mean(after));
}

static enum change change_judge(const struct diff *diff, const struct histogram *before,
	const struct histogram *after, double shift, enum change up, enum change down)
{
	const struct rank rank = rank_test(before, after);
	const bool is_up = shift > 0;

	if (fabs(shift) < diff->least)
		return CHANGE_NONE;
	if (ranges_are_apart(before, after))
		return is_up ? up : down;
	if (rank.probability * (double)diff->n_compared >= CHANCE || (rank.above > 0.5) != is_up)
		return CHANGE_UNSURE;
	return is_up ? up : down;
}

static void change_count(struct diff *diff, enum change change, double shift)
{
	diff->n_changes[change]++;
	if (fabs(shift) > diff->largest[change])
		diff->largest[change] = fabs(shift);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

enum {
	COLUMN_CHANGE,
	COLUMN_WHAT,
	COLUMN_OF,
	N_HEAD,
	DURATION_BEFORE = N_HEAD,
	DURATION_AFTER,
	DURATION_BY,
	DURATION_P99_BEFORE,
	DURATION_P99_AFTER,
	DURATION_MAX_BEFORE,
	DURATION_MAX_AFTER,
	DURATION_COUNT_BEFORE,
	DURATION_COUNT_AFTER,
	DURATION_CHANCE,
	N_DURATION_COLUMNS,
	AMOUNT_BEFORE = N_HEAD,
	AMOUNT_AFTER,
	AMOUNT_BY,
	AMOUNT_LOW_BEFORE,
	AMOUNT_HIGH_BEFORE,
	AMOUNT_LOW_AFTER,
	AMOUNT_HIGH_AFTER,
	AMOUNT_TOTAL_BEFORE,
	AMOUNT_TOTAL_AFTER,
	AMOUNT_CHANCE,
	N_AMOUNT_COLUMNS,
	PRESENCE_COUNT = N_HEAD,
	PRESENCE_TIME,
	N_PRESENCE_COLUMNS
};

#define HEAD                                                       \
	[COLUMN_CHANGE] = { .name = "change", .type = CELL_WORD }, \
	[COLUMN_WHAT] = { .name = "what", .type = CELL_WORD },     \
	[COLUMN_OF] = { .name = "of", .type = CELL_WORD, .is_subject = true }

static const struct table_column duration_columns[N_DURATION_COLUMNS] = {
	HEAD,
	[DURATION_BEFORE] = { .name = "before", .type = CELL_TIME, .help = "median" },
	[DURATION_AFTER] = { .name = "after", .type = CELL_TIME },
	[DURATION_BY] = { .name = "by", .type = CELL_SHARE, .is_signed = true },
	[DURATION_P99_BEFORE] = { .name = "p99_before", .type = CELL_TIME, .rank = 1 },
	[DURATION_P99_AFTER] = { .name = "p99_after", .type = CELL_TIME, .rank = 1 },
	[DURATION_MAX_BEFORE] = { .name = "max_before", .type = CELL_TIME, .rank = 3 },
	[DURATION_MAX_AFTER] = { .name = "max_after", .type = CELL_TIME, .rank = 3 },
	[DURATION_COUNT_BEFORE] = { .name = "count_before", .type = CELL_COUNT, .rank = 2 },
	[DURATION_COUNT_AFTER] = { .name = "count_after", .type = CELL_COUNT, .rank = 2 },
	[DURATION_CHANCE] = { .name = "chance",
		.type = CELL_SHARE,
		.is_data = true,
		.help = "that so much comes of chance (rank sum test)" },
};

static const struct table_column amount_columns[N_AMOUNT_COLUMNS] = {
	HEAD,
	[AMOUNT_BEFORE] = { .name = "before",
		.type = CELL_REAL,
		.is_bounded = true,
		.help = "load and interrupts: percent of the window; events: a second, or a million ticks" },
	[AMOUNT_AFTER] = { .name = "after", .type = CELL_REAL, .is_bounded = true },
	[AMOUNT_BY] = { .name = "by", .type = CELL_SHARE, .is_signed = true },
	[AMOUNT_LOW_BEFORE] = { .name = "low_before",
		.type = CELL_REAL,
		.rank = 1,
		.help = "a tenth of the window has less" },
	[AMOUNT_HIGH_BEFORE] = { .name = "high_before",
		.type = CELL_REAL,
		.rank = 1,
		.help = "a tenth of the window has more" },
	[AMOUNT_LOW_AFTER] = { .name = "low_after", .type = CELL_REAL, .rank = 1 },
	[AMOUNT_HIGH_AFTER] = { .name = "high_after", .type = CELL_REAL, .rank = 1 },
	[AMOUNT_TOTAL_BEFORE] = { .name = "total_before", .type = CELL_COUNT, .is_data = true },
	[AMOUNT_TOTAL_AFTER] = { .name = "total_after", .type = CELL_COUNT, .is_data = true },
	[AMOUNT_CHANCE] = { .name = "chance", .type = CELL_SHARE, .is_data = true },
};

static const struct table_column presence_columns[N_PRESENCE_COLUMNS] = {
	HEAD,
	[PRESENCE_COUNT] = { .name = "count", .type = CELL_COUNT, .help = "in the trace that has it" },
	[PRESENCE_TIME] = { .name = "running",
		.type = CELL_TIME,
		.help = "likewise, of threads and interrupts" },
};

#undef HEAD

static const struct table empty_tables[N_DIFF_TABLES] = {
	[DIFF_DURATIONS] = { .name = "durations",
		.columns = duration_columns,
		.n_columns = N_DURATION_COLUMNS },
	[DIFF_AMOUNTS] = { .name = "amounts", .columns = amount_columns, .n_columns = N_AMOUNT_COLUMNS },
	[DIFF_PRESENCE] = { .name = "presence",
		.columns = presence_columns,
		.n_columns = N_PRESENCE_COLUMNS },
};

/* Makes a row with its head. Returns NULL if memory ran out. */
static struct table_cell *row_begin(struct diff *diff, unsigned table, enum change change, const char *what,
	const struct subject *subject)
{
	struct table_cell *cells = table_row(&diff->tables[table]);

	if (!cells || !entity_name(&subject->entity, &diff->tables[table], &cells[COLUMN_OF]))
		return NULL;
	cells[COLUMN_CHANGE] = cell_word(change_names[change]);
	cells[COLUMN_WHAT] = cell_word(what);
	return cells;
}

/* Adds a row for a thing that only one of the traces has, with the figures of that trace. */
static bool presence_row(struct diff *diff, enum change change, const char *what,
	const struct subject *subject, struct table_cell count, struct table_cell running)
{
	struct table_cell *cells;

	change_count(diff, change, 0);
	if (change == CHANGE_UNSURE && !diff->has_all)
		return true;
	cells = row_begin(diff, DIFF_PRESENCE, change, what, subject);
	if (!cells)
		return false;
	cells[PRESENCE_COUNT] = count;
	cells[PRESENCE_TIME] = running;
	return true;
}

static enum change presence_of(const struct subject *before)
{
	return before ? CHANGE_GONE : CHANGE_NEW;
}

/*
 * Whether something rare may be in only one of two traces by chance: each time, the other trace was as
 * likely.
 */
static bool is_chance(const struct diff *diff, uint64_t n)
{
	return ldexp(2, n < 1000 ? -(int)n : -1000) * (double)diff->n_compared >= CHANCE;
}

/* A thread that only one of the traces has is one change; its actions there are no further changes. */
static bool is_of_new_thread(
	const struct diff *diff, const struct series *in, unsigned kind, const struct rst_entity *thread)
{
	const bool is_of_thread = kind < DURATION_HOLD || kind >= DURATION_WAIT;
	const uint64_t key = roles_thread(&in->roles, thread);

	return is_of_thread && !(side_find(&diff->loads[0], key) && side_find(&diff->loads[1], key));
}

/*
 * Whether a duration that n occurrences in one trace have may be in the other trace, too. A lock may be
 * recorded only when a thread waits for it, and where the state of a thread is not known, each state may be
 * hidden.
 */
static bool is_unsure_duration(
	const struct diff *diff, unsigned kind, const struct rst_entity *entity, uint64_t n, bool is_before)
{
	const struct followed_thread *thread;

	if (kind == DURATION_HOLD)
		return diff->before->has_partial_locks || diff->after->has_partial_locks;
	if (kind == DURATION_SPAN)
		return false;
	thread = (const struct followed_thread *)side_find(&diff->threads[is_before],
		roles_thread(&(is_before ? diff->before : diff->after)->roles, entity));
	return is_chance(diff, n) || (thread && thread->n_unknown >= n);
}

static bool duration_presence(
	struct diff *diff, unsigned kind, const struct subject *before, const struct subject *after)
{
	const struct duration *duration = (const struct duration *)(before ? before : after);

	/* Interrupts are amounts, too. */
	if (kind == DURATION_INTERRUPT ||
		is_of_new_thread(diff, before ? diff->before : diff->after, kind, &duration->subject.entity))
		return true;
	const bool is_unsure = is_unsure_duration(
		diff, kind, &duration->subject.entity, duration->histogram.n, before != NULL);

	return presence_row(diff, is_unsure ? CHANGE_UNSURE : presence_of(before),
		kind == DURATION_HOLD ? "lock" : duration_name(kind), &duration->subject,
		cell_count(duration->histogram.n), (struct table_cell){ 0 });
}

static bool duration_pair(
	struct diff *diff, unsigned kind, const struct subject *before, const struct subject *after)
{
	const struct histogram *a, *b;

	if (!before || !after)
		return duration_presence(diff, kind, before, after);
	a = &((const struct duration *)before)->histogram;
	b = &((const struct duration *)after)->histogram;

	const double shift = shift_of(diff, a, b);
	const enum change change = change_judge(diff, a, b, shift, CHANGE_SLOWER, CHANGE_FASTER);

	change_count(diff, change, shift);
	if (change <= CHANGE_UNSURE && !diff->has_all)
		return true;

	struct table_cell *cells = row_begin(diff, DIFF_DURATIONS, change, duration_name(kind), after);

	if (!cells)
		return false;
	cells[DURATION_BEFORE] = cell_time(histogram_at(a, 0.5));
	cells[DURATION_AFTER] = cell_time(histogram_at(b, 0.5));
	cells[DURATION_BY] = cell_if(isfinite(shift), cell_real(shift));
	cells[DURATION_P99_BEFORE] = cell_time(histogram_at(a, 0.99));
	cells[DURATION_P99_AFTER] = cell_time(histogram_at(b, 0.99));
	cells[DURATION_MAX_BEFORE] = cell_time(a->most);
	cells[DURATION_MAX_AFTER] = cell_time(b->most);
	cells[DURATION_COUNT_BEFORE] = cell_count(a->n);
	cells[DURATION_COUNT_AFTER] = cell_count(b->n);
	cells[DURATION_CHANCE] = cell_real(rank_test(a, b).probability);
	return true;
}

/* In percent of the time, or events a second (a million ticks, where the frequency is not known). */
static double amount_shown(const struct series *series, unsigned kind, double number)
{
	if (kind != AMOUNT_EVENT)
		return number / AMOUNT_SCALE * 100;
	return series->scan->times.hz ? number / AMOUNT_SCALE * 1e9 : number / AMOUNT_SCALE * 1e6;
}

static double mean_of(const struct series *series, unsigned kind, uint64_t total)
{
	const uint64_t window = series->scan->to - series->scan->from;

	return window ? (double)total * amount_scale(series, kind) / (double)window : 0;
}

static double amount_mean(const struct series *series, unsigned kind, const struct amount *amount)
{
	return mean_of(series, kind, amount->total);
}

/* A verdict is sure only if no amounts that fit both recordings contradict it. */
static enum change change_bound(const struct diff *diff, unsigned kind, const struct amount *before,
	const struct amount *after, enum change change)
{
	const double least[] = { amount_mean(diff->before, kind, before),
		amount_mean(diff->after, kind, after) };
	const double most[] = { mean_of(diff->before, kind, amount_most(diff->before, kind, before)),
		mean_of(diff->after, kind, amount_most(diff->after, kind, after)) };
	const bool may_be_equal = least[0] <= most[1] && least[1] <= most[0];
	const bool may_differ =
		change_of(least[0], most[1]) >= diff->least || change_of(most[0], least[1]) <= -diff->least;

	if (most[0] <= least[0] && most[1] <= least[1])
		return change;
	return (change == CHANGE_NONE ? may_differ : may_be_equal) ? CHANGE_UNSURE : change;
}

static void amount_cells(const struct series *series, unsigned kind, const struct amount *amount,
	const struct histogram *spread, struct table_cell *mean, struct table_cell *low,
	struct table_cell *high)
{
	*mean = cell_real_between(amount_shown(series, kind, amount_mean(series, kind, amount)),
		amount_shown(series, kind, mean_of(series, kind, amount_most(series, kind, amount))));
	*low = cell_if(
		spread->n > 0, cell_real(amount_shown(series, kind, (double)histogram_at(spread, 0.1))));
	*high = cell_if(
		spread->n > 0, cell_real(amount_shown(series, kind, (double)histogram_at(spread, 0.9))));
}

static bool amount_row(struct diff *diff, unsigned kind, const struct amount *before,
	const struct amount *after, const struct histogram spreads[2])
{
	const double shift =
		change_of(amount_mean(diff->before, kind, before), amount_mean(diff->after, kind, after));
	const enum change change = change_bound(diff, kind, before, after,
		change_judge(diff, &spreads[0], &spreads[1], shift, CHANGE_MORE, CHANGE_LESS));
	struct table_cell *cells;

	change_count(diff, change, shift);
	if (change <= CHANGE_UNSURE && !diff->has_all)
		return true;
	cells = row_begin(diff, DIFF_AMOUNTS, change, amount_name(kind), &after->subject);
	if (!cells)
		return false;
	amount_cells(diff->before, kind, before, &spreads[0], &cells[AMOUNT_BEFORE],
		&cells[AMOUNT_LOW_BEFORE], &cells[AMOUNT_HIGH_BEFORE]);
	amount_cells(diff->after, kind, after, &spreads[1], &cells[AMOUNT_AFTER], &cells[AMOUNT_LOW_AFTER],
		&cells[AMOUNT_HIGH_AFTER]);
	cells[AMOUNT_BY] = cell_if(isfinite(shift), cell_real(shift));
	cells[AMOUNT_TOTAL_BEFORE] = cell_count(before->total);
	cells[AMOUNT_TOTAL_AFTER] = cell_count(after->total);
	cells[AMOUNT_CHANCE] = cell_real(rank_test(&spreads[0], &spreads[1]).probability);
	return true;
}

/* In the unit of durations. */
static uint64_t duration_of(const struct series *series, uint64_t ticks)
{
	const uint64_t hz = series->scan->times.hz;

	return hz ? clock_ns(ticks, hz) : ticks;
}

static bool amount_presence(
	struct diff *diff, unsigned kind, const struct subject *before, const struct subject *after)
{
	const struct amount *amount = (const struct amount *)(before ? before : after);
	const bool is_event = kind == AMOUNT_EVENT;

	/* Whether a thread waits, is preempted or makes the kernel switch may be chance. */
	const bool is_unsure = amount->has_effects && roles_have_processes(&diff->after->roles) &&
			       is_chance(diff, amount->total);

	return presence_row(diff, is_unsure ? CHANGE_UNSURE : presence_of(before),
		kind == AMOUNT_LOAD ? "thread" : amount_name(kind), &amount->subject,
		cell_if(is_event, cell_count(amount->total)),
		cell_if(!is_event,
			cell_time(duration_of(before ? diff->before : diff->after, amount->total))));
}

static bool amount_pair(
	struct diff *diff, unsigned kind, const struct subject *before, const struct subject *after)
{
	const struct amount *a = (const struct amount *)before, *b = (const struct amount *)after;
	struct histogram spreads[2] = { { 0 }, { 0 } };
	bool is_done;

	if (!before || !after)
		return amount_presence(diff, kind, before, after);
	is_done = amount_spread(diff->before, kind, a, &spreads[0]) &&
		  amount_spread(diff->after, kind, b, &spreads[1]) && amount_row(diff, kind, a, b, spreads);
	histogram_done(&spreads[0]);
	histogram_done(&spreads[1]);
	return is_done;
}

/* --- findings ------------------------------------------------------------------------------------------- */

/* "priority_inversion" of "priority_inversion: high, low" */
static struct text kind_of(struct text what)
{
	const char *end = memchr(what.bytes, ':', what.n_bytes);

	return (struct text){ what.bytes, end ? (size_t)(end - what.bytes) : what.n_bytes };
}

static bool has_kind(const struct facts *facts, struct text kind)
{
	for (size_t i = 0; i < facts->n; i++) {
		const struct text other = kind_of(facts->all[i]->what);

		if (other.n_bytes == kind.n_bytes && memcmp(other.bytes, kind.bytes, kind.n_bytes) == 0)
			return true;
	}
	return false;
}

/*
 * If the other trace also has findings of this kind, it may be chance which threads are affected, and what
 * the load of a machine causes may be chance at all. Any other kind that only one trace has is a change, even
 * if it occurs once.
 */
static bool finding_row(
	struct diff *diff, enum change change, const struct fact *fact, const struct facts *in)
{
	struct table_cell *cells;

	if ((fact->is_of_timing || has_kind(in, kind_of(fact->what))) && is_chance(diff, fact->count))
		change = CHANGE_UNSURE;
	change_count(diff, change, 0);
	if (change == CHANGE_UNSURE && !diff->has_all)
		return true;
	cells = table_row(&diff->tables[DIFF_PRESENCE]);
	if (!cells || !table_copy(&diff->tables[DIFF_PRESENCE], fact->what.bytes, fact->what.n_bytes,
			      &cells[COLUMN_OF].text))
		return false;
	cells[COLUMN_OF].is_there = true;
	cells[COLUMN_CHANGE] = cell_word(change_names[change]);
	cells[COLUMN_WHAT] = cell_word("finding");
	cells[PRESENCE_COUNT] = cell_count(fact->count);
	return true;
}

/* Adds the findings of one trace that the other trace does not have. */
static bool findings_lacking(
	struct diff *diff, const struct facts *of, const struct facts *in, enum change change)
{
	bool is_done = true;

	for (size_t i = 0; of && in && i < of->n && is_done; i++)
		is_done = facts_find(in, of->all[i]->what) || finding_row(diff, change, of->all[i], in);
	return is_done;
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static size_t most_of(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Counts the figures that are compared at most: each gets its share of the chance. */
static size_t n_figures(const struct diff *diff)
{
	size_t n = 0;

	for (unsigned kind = 0; kind < N_DURATION_KINDS; kind++)
		n += most_of(diff->before->durations[kind].n, diff->after->durations[kind].n);
	for (unsigned kind = 0; kind < N_AMOUNT_KINDS; kind++)
		n += most_of(diff->before->amounts[kind].n, diff->after->amounts[kind].n);
	return n;
}

bool diff_make(struct diff *diff)
{
	const struct series *before = diff->before, *after = diff->after;
	bool is_done;

	memcpy(diff->tables, empty_tables, sizeof(diff->tables));
	diff->n_compared = n_figures(diff);
	for (unsigned i = 0; i < N_DIFF_TABLES; i++) {
		diff->tables[i].from = after->scan->from;
		diff->tables[i].to = after->scan->to;
		diff->tables[i].has_window = after->scan->is_started;
	}
	is_done = side_init(&diff->loads[0], &before->roles, &before->amounts[AMOUNT_LOAD]) &&
		  side_init(&diff->loads[1], &after->roles, &after->amounts[AMOUNT_LOAD]) &&
		  side_init(&diff->threads[0], &before->roles, &before->threads) &&
		  side_init(&diff->threads[1], &after->roles, &after->threads);
	for (unsigned kind = 0; kind < N_DURATION_KINDS && is_done; kind++)
		is_done = pairs_each(
			diff, kind, &before->durations[kind], &after->durations[kind], duration_pair);
	for (unsigned kind = 0; kind < N_AMOUNT_KINDS && is_done; kind++)
		is_done = pairs_each(diff, kind, &before->amounts[kind], &after->amounts[kind], amount_pair);
	is_done = is_done && findings_lacking(diff, diff->findings[0], diff->findings[1], CHANGE_GONE) &&
		  findings_lacking(diff, diff->findings[1], diff->findings[0], CHANGE_NEW);
	for (unsigned i = 0; i < N_DIFF_TABLES && is_done; i++)
		is_done = table_sort(&diff->tables[i], 0, COLUMN_CHANGE);
	return is_done;
}

void diff_done(struct diff *diff)
{
	for (unsigned i = 0; i < N_DIFF_TABLES; i++)
		table_done(&diff->tables[i]);
	for (unsigned i = 0; i < 2; i++) {
		side_done(&diff->loads[i]);
		side_done(&diff->threads[i]);
	}
}
