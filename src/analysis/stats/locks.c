/* SPDX-License-Identifier: MIT */
/* `locks`: how often each lock was taken, how long threads waited for it, and how long they had it. */
#include "analysis/stats/locks.h"
#include "analysis/stats/stats.h"

enum {
	LOCKS_KIND,
	LOCKS_PROCESS,
	LOCKS_LOCK,
	LOCKS_ACQUISITIONS,
	LOCKS_CONTENDED,
	LOCKS_CONTENTION,
	LOCKS_TOTAL_WAIT,
	LOCKS_WAIT_P50,
	LOCKS_MAX_WAIT,
	LOCKS_MAX_WAIT_THREAD,
	LOCKS_MAX_WAIT_AT,
	LOCKS_SHARE,
	LOCKS_TOTAL_HOLD,
	LOCKS_MEAN_HOLD,
	LOCKS_HOLD_P50,
	LOCKS_HOLD_P99,
	LOCKS_MAX_HOLD,
	LOCKS_MAX_HOLD_THREAD,
	LOCKS_MAX_HOLD_AT,
	LOCKS_UNKNOWN,
	LOCKS_WAITS,
	LOCKS_HOLDS,
	N_LOCKS_COLUMNS
};

static const struct table_column columns[N_LOCKS_COLUMNS] = {
	[LOCKS_KIND] = { .name = "kind", .type = CELL_WORD, .rank = 2 },
	[LOCKS_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[LOCKS_LOCK] = { .name = "lock", .type = CELL_WORD, .is_subject = true },
	[LOCKS_ACQUISITIONS] = { .name = "acquisitions",
		.type = CELL_COUNT,
		.help = "how often a thread got it; once more by its owner does not count" },
	[LOCKS_CONTENDED] = { .name = "contended",
		.type = CELL_COUNT,
		.rank = 2,
		.help = "of these, how often the thread had waited for it" },
	[LOCKS_CONTENTION] = { .name = "contention",
		.type = CELL_SHARE,
		.help = "share of the acquisitions that had to wait" },
	[LOCKS_TOTAL_WAIT] = { .name = "total_wait",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "of all threads" },
	[LOCKS_WAIT_P50] = { .name = "wait_p50",
		.type = CELL_TIME,
		.rank = 3,
		.help = "of those who waited: the median" },
	[LOCKS_MAX_WAIT] = { .name = "max_wait",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "the longest wait" },
	[LOCKS_MAX_WAIT_THREAD] = { .name = "max_wait_thread",
		.type = CELL_WORD,
		.rank = 1,
		.help = "which thread waited so long" },
	[LOCKS_MAX_WAIT_AT] = { .name = "max_wait_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "when that wait ended" },
	[LOCKS_SHARE] = { .name = "share",
		.type = CELL_SHARE,
		.is_bounded = true,
		.rank = 2,
		.help = "of the window that it was held; several owners add up" },
	[LOCKS_TOTAL_HOLD] = { .name = "total_hold", .type = CELL_TIME, .is_bounded = true, .rank = 1 },
	[LOCKS_MEAN_HOLD] = { .name = "mean_hold", .type = CELL_TIME, .rank = 3 },
	[LOCKS_HOLD_P50] = { .name = "hold_p50", .type = CELL_TIME, .rank = 3, .help = "the median" },
	[LOCKS_HOLD_P99] = { .name = "hold_p99",
		.type = CELL_TIME,
		.rank = 3,
		.help = "99 in 100 are not longer" },
	[LOCKS_MAX_HOLD] = { .name = "max_hold",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "the longest that a thread had it" },
	[LOCKS_MAX_HOLD_THREAD] = { .name = "max_hold_thread", .type = CELL_WORD, .help = "which thread" },
	[LOCKS_MAX_HOLD_AT] = { .name = "max_hold_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "when it gave it back" },
	[LOCKS_UNKNOWN] = { .name = "unknown",
		.type = CELL_TIME,
		.rank = 2,
		.help = "in which the recording does not tell the owner" },
	[LOCKS_WAITS] = { .name = "waits", .type = CELL_HISTOGRAM },
	[LOCKS_HOLDS] = { .name = "holds", .type = CELL_HISTOGRAM },
};

/* --- counting ------------------------------------------------------------------------------------------- */

static struct lock_record *lock_record_of(struct locks *locks, const struct rst_entity *lock)
{
	struct lock_record *record;

	record = subject_of(&locks->locks, lock);
	if (record && !record->number)
		record->number = (uint32_t)locks->locks.n;
	return record;
}

struct thread_number {
	struct subject subject;
	uint32_t number;
};

/* The key of a pair is the numbers of its thread and its lock. */
static struct lock_pair *pair_of(
	struct locks *locks, struct lock_record *lock, const struct rst_entity *thread)
{
	struct thread_number *owner;
	struct lock_pair *pair;

	owner = subject_of(&locks->threads, thread);
	if (!owner)
		return NULL;
	if (!owner->number)
		owner->number = (uint32_t)locks->threads.n;
	pair = subject_of(&locks->pairs, &(struct rst_entity){ .form = RST_ENTITY_NUMBER,
						 .id = (uint64_t)lock->number << 32 | owner->number });
	if (pair && !pair->lock) {
		pair->lock = lock;
		pair->thread = *thread;
		*(lock->last_pair ? &lock->last_pair->next : &lock->first_pair) = pair;
		lock->last_pair = pair;
	}
	return pair;
}

/* The pieces of threads may come late: after the acquisition that ended the wait. */
static void wait_end(struct lock_record *record, struct lock_pair *pair, uint64_t at)
{
	if (!pair->figures.n_acquired || at > pair->acquired_at) {
		pair->has_waited = true;
		return;
	}
	record->figures.n_contended++;
	pair->figures.n_contended++;
}

static bool wait_count(struct locks *locks, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct lock_record *record = lock_record_of(locks, &interval->object);
	struct lock_pair *pair = record ? pair_of(locks, record, &interval->subject) : NULL;

	if (!pair)
		return false;
	if (piece->has_end)
		wait_end(record, pair, piece->to);
	return lengths_take(&record->figures.waits, piece, &interval->subject) &&
	       lengths_take(&pair->figures.waits, piece, &interval->subject);
}

static bool locks_acquisition(void *context, const struct rst_beginning *acquisition)
{
	struct locks *locks = context;
	struct lock_record *record = lock_record_of(locks, &acquisition->subject);
	struct lock_pair *pair = record ? pair_of(locks, record, &acquisition->object) : NULL;

	if (!pair)
		return false;
	record->figures.n_acquired++;
	pair->figures.n_acquired++;
	record->figures.n_contended += pair->has_waited;
	pair->figures.n_contended += pair->has_waited;
	pair->has_waited = false;
	pair->acquired_at = acquisition->at;
	return true;
}

static bool hold_count(struct locks *locks, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct lock_record *record = lock_record_of(locks, &interval->subject);
	struct lock_pair *pair = record ? pair_of(locks, record, &interval->object) : NULL;

	if (!pair)
		return false;
	return lengths_take(&record->figures.holds, piece, &interval->object) &&
	       lengths_take(&pair->figures.holds, piece, &interval->object);
}

/* Pieces of a lock come in the order of their ends; without one in between it is free. */
static void stretch_add(struct lock_record *record, const struct piece *piece, bool is_unknown)
{
	const bool goes_on = piece->begin <= record->stretch.to && record->stretch.to;

	if (!goes_on)
		record->stretch.from = piece->begin;
	record->stretch.has_unknown = is_unknown || (goes_on && record->stretch.has_unknown);
	record->stretch.to = piece->to;
	if (record->stretch.has_unknown && piece->to - record->stretch.from > record->longest_stretch)
		record->longest_stretch = piece->to - record->stretch.from;
}

static bool locks_piece(void *context, const struct piece *piece)
{
	struct locks *locks = context;
	const struct rst_interval *interval = piece->interval;
	struct lock_record *record;

	if (interval->kind == RST_INTERVAL_THREAD && piece_may_be_wait(piece))
		locks->unknown += piece_ticks(piece);
	if (interval->kind == RST_INTERVAL_THREAD)
		return interval->state != RST_STATE_WAITING || interval->reason != RST_REASON_LOCK ||
		       interval->object.form == RST_ENTITY_NONE || wait_count(locks, piece);
	record = lock_record_of(locks, &interval->subject);
	if (!record)
		return false;
	stretch_add(record, piece, !piece_is_proved(piece));
	if (interval->state == RST_STATE_HELD)
		return hold_count(locks, piece);
	record->unknown += piece_ticks(piece);
	return true;
}

/* --- the table ------------------------------------------------------------------------------------------ */

static bool lock_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct locks *locks = context;
	const struct lock_record *record = subject;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const struct lock_figures *figures = &record->figures;
	const struct histogram *waits = &figures->waits.histogram, *holds = &figures->holds.histogram;
	const uint64_t total_hold_most = figures->holds.total + record->unknown;
	struct table_cell *cells = table_row(table);

	if (!cells || !entity_name(&process, table, &cells[LOCKS_PROCESS]) ||
		!subject_name(&locks->locks, &record->subject, table, &cells[LOCKS_LOCK]) ||
		!entity_name(&figures->waits.longest_of, table, &cells[LOCKS_MAX_WAIT_THREAD]) ||
		!entity_name(&figures->holds.longest_of, table, &cells[LOCKS_MAX_HOLD_THREAD]))
		return false;
	cells[LOCKS_KIND] = cell_word(record->subject.entity.kind);
	cells[LOCKS_ACQUISITIONS] = cell_count(figures->n_acquired);
	cells[LOCKS_CONTENDED] = cell_count(figures->n_contended);
	cells[LOCKS_CONTENTION] = cell_share((double)figures->n_contended, (double)figures->n_acquired);
	cells[LOCKS_TOTAL_WAIT] =
		cell_time_between(figures->waits.total, figures->waits.total + locks->unknown);
	cells[LOCKS_WAIT_P50] = cell_if(waits->n > 0, cell_time(histogram_at(waits, 0.5)));
	cells[LOCKS_MAX_WAIT] = longest_cell(waits, locks->unknown, window);
	cells[LOCKS_MAX_WAIT_AT] = cell_if(waits->n > 0, cell_moment(waits->most_at));
	cells[LOCKS_SHARE] =
		cell_share_between((double)figures->holds.total, (double)total_hold_most, (double)window);
	cells[LOCKS_TOTAL_HOLD] = cell_time_between(figures->holds.total, total_hold_most);
	cells[LOCKS_MEAN_HOLD] = mean_cell(holds);
	cells[LOCKS_HOLD_P50] = cell_if(holds->n > 0, cell_time(histogram_at(holds, 0.5)));
	cells[LOCKS_HOLD_P99] = cell_if(holds->n > 0, cell_time(histogram_at(holds, 0.99)));
	cells[LOCKS_MAX_HOLD] =
		cell_if(holds->n > 0, cell_time_between(holds->most, record->longest_stretch));
	cells[LOCKS_MAX_HOLD_AT] = cell_if(holds->n > 0, cell_moment(holds->most_at));
	cells[LOCKS_UNKNOWN] = cell_time(record->unknown);
	cells[LOCKS_WAITS] = cell_histogram(waits->n ? waits : NULL);
	cells[LOCKS_HOLDS] = cell_histogram(holds->n ? holds : NULL);
	return true;
}

static void lock_figures_done(struct lock_figures *figures)
{
	histogram_done(&figures->waits.histogram);
	histogram_done(&figures->holds.histogram);
}

static void pair_done(void *subject)
{
	struct lock_pair *pair = subject;

	lock_figures_done(&pair->figures);
}

static void lock_record_done(void *subject)
{
	struct lock_record *record = subject;

	lock_figures_done(&record->figures);
}

const struct analysis analysis_locks = {
	.observer = {
		.state_bytes = sizeof(struct locks),
		.records = { { offsetof(struct locks, locks), sizeof(struct lock_record), lock_record_done },
			{ offsetof(struct locks, threads), sizeof(struct thread_number) },
			{ offsetof(struct locks, pairs), sizeof(struct lock_pair), pair_done } },
		.intervals = SCAN_BIT(RST_INTERVAL_LOCK) | SCAN_BIT(RST_INTERVAL_THREAD),
		.piece = locks_piece,
		.beginning = locks_acquisition,
	},
	.name = "locks",
	.about = "how often each lock was taken, waited for, and how long it was held",
	.columns = columns,
	.n_columns = N_LOCKS_COLUMNS,
	.order = LOCKS_TOTAL_WAIT,
	.page_rows = 4,
	.basis = BASIS_EVENTS,
	.record = lock_record_row,
};
