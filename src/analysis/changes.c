/* SPDX-License-Identifier: MIT */
#include "analysis/changes.h"

/* The present state of a thread, and the time in this state so far. */
struct doing {
	struct subject subject;
	bool is_there;
	enum rst_state state; /* running: interrupted, too */
	uint64_t to;	      /* so far */
	uint64_t lasted;
	bool has_begin, has_end, is_known;
	bool was_known;		 /* its state was known */
	uint64_t known, unknown; /* ticks in which its state was known, and was not */
	bool was_woken;		 /* ready: and not preempted */
	struct rst_entity by;
	uint16_t last_core; /* on which it ran last, + 1; 0 if it is not known */
};

static enum rst_state state_of(const struct rst_interval *interval)
{
	return interval->state == RST_STATE_INTERRUPTED ? RST_STATE_RUNNING : interval->state;
}

static bool changes_goes_on(const struct doing *doing, const struct piece *piece)
{
	const uint16_t core = piece->interval->core;

	return doing->is_there && doing->to == piece->from && doing->state == state_of(piece->interval) &&
	       (doing->state != RST_STATE_RUNNING || core == RST_NO_CORE || !doing->last_core ||
		       core + 1 == doing->last_core);
}

/* Whether it may run and could not before. A waker shows this even if its state before is not known. */
static bool is_wake(enum rst_state before, const struct rst_interval *after)
{
	return (after->state == RST_STATE_READY || after->state == RST_STATE_RUNNING) &&
	       (before == RST_STATE_WAITING || before == RST_STATE_CREATED ||
		       after->by.form != RST_ENTITY_NONE);
}

/*
 * The first that is known of a thread is that an event shows it run: it did not before, unless a loss lies
 * there.
 */
static bool is_first(const struct doing *doing, const struct rst_interval *interval)
{
	return !doing->was_known && interval->certainty == RST_CERTAINTY_EXACT;
}

/* If two pieces do not meet, the time between them is unknown. */
static void change_set(const struct doing *doing, const struct piece *piece, struct change *change)
{
	const struct rst_interval *interval = piece->interval;
	const enum rst_state after = state_of(interval);
	const bool is_next = doing->is_there && doing->to == piece->from;

	*change = (struct change){ .thread = &doing->subject.entity,
		.at = piece->from,
		.before = is_next ? doing->state : RST_STATE_UNKNOWN,
		.after = after,
		.by = &interval->by,
		.core = after == RST_STATE_RUNNING ? interval->core : RST_NO_CORE };
	if (is_next) {
		change->lasted = doing->lasted;
		change->is_whole = doing->has_begin && doing->has_end && doing->is_known;
	}
	change->is_wake = is_wake(change->before, interval);
	if (after != RST_STATE_RUNNING)
		return;
	change->is_switch = is_next && (doing->state != RST_STATE_UNKNOWN || is_first(doing, interval));
	change->is_migration =
		doing->last_core && interval->core != RST_NO_CORE && interval->core + 1 != doing->last_core;
	/* If no event woke it, the time from which it could have run is not known. */
	if (change->is_wake) {
		change->is_answer = interval->by.form != RST_ENTITY_NONE;
	} else if (is_next && doing->state == RST_STATE_READY && doing->was_woken && change->is_whole) {
		change->is_answer = true;
		change->waited = doing->lasted;
		change->by = &doing->by;
	}
}

static void doing_begin(struct doing *doing, const struct piece *piece, const struct change *change)
{
	doing->is_there = true;
	doing->state = change->after;
	doing->lasted = 0;
	doing->has_begin = piece->has_begin;
	doing->is_known = true;
	doing->was_woken = change->is_wake;
	doing->by = piece->interval->by;
}

static void doing_add(struct changes *changes, struct doing *doing, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	doing->to = piece->to;
	if (!doing->was_known && interval->state != RST_STATE_UNKNOWN) {
		doing->was_known = true;
		changes->n_known++;
	}
	*(interval->state == RST_STATE_UNKNOWN ? &doing->unknown : &doing->known) += piece_ticks(piece);
	doing->has_end = piece->has_end;
	doing->is_known &= interval->certainty != RST_CERTAINTY_UNKNOWN;
	if (interval->state != RST_STATE_INTERRUPTED)
		doing->lasted += piece_ticks(piece);
	if (interval->state == RST_STATE_RUNNING && interval->core != RST_NO_CORE)
		doing->last_core = interval->core + 1;
}

enum changes_result changes_take(
	struct changes *changes, const struct piece *piece, struct change *ret_change)
{
	struct doing *doing;

	changes->threads.record_bytes = sizeof(*doing);
	doing = subject_of(&changes->threads, &piece->interval->subject);
	if (!doing)
		return CHANGES_NO_MEMORY;
	if (changes_goes_on(doing, piece)) {
		doing_add(changes, doing, piece);
		return CHANGES_NONE;
	}
	change_set(doing, piece, ret_change);
	/* The entity that woke it moves before the record takes the next one. */
	if (ret_change->by == &doing->by) {
		changes->by = doing->by;
		ret_change->by = &changes->by;
	}
	doing_begin(doing, piece, ret_change);
	doing_add(changes, doing, piece);
	return CHANGES_ONE;
}

bool changes_end(const struct changes *changes, size_t thread, struct change *ret_change)
{
	const struct doing *doing = (const struct doing *)changes->threads.all[thread];

	*ret_change = (struct change){ .thread = &doing->subject.entity,
		.at = doing->to,
		.before = doing->state,
		.after = RST_STATE_UNKNOWN,
		.lasted = doing->lasted,
		.is_whole = doing->has_begin && doing->has_end && doing->is_known,
		.by = &doing->by,
		.core = RST_NO_CORE };
	return doing->is_there && doing->state == RST_STATE_RUNNING && ret_change->is_whole;
}

double changes_unknown(const struct changes *changes)
{
	uint64_t known = 0, unknown = 0;

	for (size_t i = 0; i < changes->threads.n; i++) {
		const struct doing *doing = (const struct doing *)changes->threads.all[i];

		known += doing->known;
		unknown += doing->known ? doing->unknown : 0;
	}
	return known + unknown ? (double)unknown / (double)(known + unknown) : 1;
}

void changes_done(struct changes *changes)
{
	subjects_done(&changes->threads);
}
