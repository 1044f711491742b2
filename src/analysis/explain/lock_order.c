/* SPDX-License-Identifier: MIT */
/*
 * Lock-order inversion: one thread takes lock B while it holds A, another takes A while it holds B. Each
 * order alone is fine, both together can end in a deadlock. So for longer cycles. Where a third lock is held
 * around every one of them, nothing can happen.
 *
 * An order is noted when both locks have been released, or the wait for the second has ended: then the
 * history has both.
 */
#include <stdlib.h>

#include "analysis/explain/explain.h"
#include "base/map.h"

enum {
	ORDERS_MAX = LIMIT(4096, 16),
	CYCLE_MAX = 4,
	HELD_MAX = 32,
	TAKES_MAX = LIMIT(64, 8),	  /* of one thread: what it took in a batch is judged behind that */
	HOLD_STEPS_MAX = LIMIT(1024, 16), /* records of its owner that one hold is compared with */
	STEPS_MAX = 100000,
};

struct order {
	struct party *first, *second, *thread; /* of the first time */
	bool has_several_threads, is_certain;
	uint64_t from, at; /* when the first lock and the second one were taken, or asked for */
	uint64_t first_seq, second_seq;
	uint64_t n;		   /* times … */
	uint64_t last_seq;	   /* … the second lock of the last one was taken with this event */
	const struct party *gate;  /* a lock that was held around … */
	uint64_t n_gated;	   /* … so many of them */
	struct order *same, *next; /* of the same key; of the same first lock */
};

/*
 * The latest acquisitions of a thread of locks of which not all is recorded, so that no record may show the
 * hold.
 */
struct takes {
	struct take {
		struct party *lock;
		uint64_t at, seq;
	} latest[TAKES_MAX];
	uint64_t n;
};

struct lock_order_state {
	struct findings *findings;
	struct records takes;
	struct order *orders;
	size_t n_orders;
	struct map by_locks, by_first;
	uint64_t factor; /* map_factor(), from the first hold on */
};

static uint64_t key_of(
	const struct lock_order_state *state, const struct party *first, const struct party *second)
{
	return (uint64_t)(uintptr_t)first * state->factor + (uint64_t)(uintptr_t)second;
}

static struct order *order_find(
	const struct lock_order_state *state, const struct party *first, const struct party *second)
{
	struct order *order = map_find(&state->by_locks, key_of(state, first, second));

	while (order && (order->first != first || order->second != second))
		order = order->same;
	return order;
}

static struct order *order_make(
	struct lock_order_state *state, struct party *first, struct party *second, bool *ret_ok)
{
	struct order *order = order_find(state, first, second);
	const uint64_t key = key_of(state, first, second), first_key = (uint64_t)(uintptr_t)first;

	if (!state->orders)
		state->orders = calloc(ORDERS_MAX, sizeof(*state->orders));
	*ret_ok = state->orders != NULL;
	if (order || !state->orders || state->n_orders == ORDERS_MAX)
		return order;
	order = &state->orders[state->n_orders++];
	*order = (struct order){ .first = first,
		.second = second,
		.same = map_find(&state->by_locks, key),
		.next = map_find(&state->by_first, first_key) };
	*ret_ok = map_set(&state->by_locks, key, order) && map_set(&state->by_first, first_key, order);
	return order;
}

/* The thread held the first lock when it took, or asked for, the second one. */
static bool order_note(struct findings *findings, struct lock_order_state *state, const struct past *hold,
	const struct past *taken)
{
	struct party *thread = hold->object,
		     *lock = taken->kind == PAST_LOCK ? taken->subject : taken->object;
	const struct note *ask = taken->kind == PAST_LOCK
					 ? NULL
					 : history_asked(&findings->history, thread, lock, taken->from);
	bool is_good;
	struct order *order = order_make(state, hold->subject, lock, &is_good);

	if (!order)
		return is_good;
	if (order->n && order->last_seq == taken->from_seq)
		return true;
	order->last_seq = taken->from_seq;
	if (!order->n++) {
		order->thread = thread;
		order->from = hold->from;
		order->at = ask ? ask->at : taken->from;
		order->first_seq = hold->from_seq;
		order->second_seq = ask ? ask->seq : taken->from_seq;
		order->is_certain =
			hold->certainty == RST_CERTAINTY_EXACT && taken->certainty == RST_CERTAINTY_EXACT;
	}
	order->has_several_threads |= order->thread != thread;
	return is_good;
}

/* Inside of this hold both others were taken, one inside of the other. */
static void gates_note(
	struct lock_order_state *state, const struct past *gate, const struct past *const *inside, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			struct order *order = NULL;

			if (inside[i]->kind == PAST_LOCK && inside[i]->from < inside[k]->from &&
				inside[k]->from < inside[i]->to)
				order = order_find(state, inside[i]->subject,
					inside[k]->kind == PAST_LOCK ? inside[k]->subject
								     : inside[k]->object);
			if (order && (!order->gate || order->gate == gate->subject)) {
				order->gate = gate->subject;
				order->n_gated++;
			}
		}
}

static bool take_note(void *context, const struct occurrence *occurrence)
{
	struct lock_order_state *state = context;
	struct history *history = &state->findings->history;
	const struct rst_effect_facts *facts = occurrence->facts;
	struct party *lock, *thread;
	struct takes *takes;

	if (!facts->effect->is_partial || facts->phase != RST_DONE || !facts->thread ||
		!facts->object.is_there || facts->object.is_unknown)
		return true;
	lock = history_object(history, &facts->object);
	thread = history_thread(history, facts->thread);
	state->takes.record_bytes = sizeof(*takes);
	takes = lock && thread ? record_of(&state->takes, thread) : NULL;
	if (takes)
		takes->latest[takes->n++ % TAKES_MAX] =
			(struct take){ lock, occurrence->at, occurrence->seq };
	return takes;
}

/* A lock that was taken inside the hold, and no record shows how long its owner had it. */
struct silent {
	struct past all[HELD_MAX];
	size_t n;
};

static void silent_add(struct silent *silent, const struct past *hold, const struct take *take)
{
	silent->all[silent->n++] = (struct past){ .kind = PAST_LOCK,
		.state = RST_STATE_HELD,
		.certainty = RST_CERTAINTY_EXACT,
		.has_begin = true,
		.subject = take->lock,
		.object = hold->object,
		.from = take->at,
		.to = take->at,
		.from_seq = take->seq,
		.to_seq = take->seq };
}

static bool is_recorded(const struct take *take, const struct past *const *inside, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (inside[i]->kind == PAST_LOCK && inside[i]->subject == take->lock &&
			inside[i]->from == take->at)
			return true;
	return false;
}

/* Finds what was taken inside the hold besides the n records. Returns false if memory ran out. */
static bool silent_find(struct lock_order_state *state, const struct past *hold,
	const struct past *const *inside, size_t n, struct silent *ret)
{
	const struct takes *takes;

	ret->n = 0;
	if (!state->takes.record_bytes)
		return true;
	takes = record_of(&state->takes, hold->object);
	for (uint64_t i = takes ? takes->n : 0; i > 0 && takes->n - i < TAKES_MAX; i--) {
		const struct take *take = &takes->latest[(i - 1) % TAKES_MAX];

		if (take->at <= hold->from)
			break;
		if (take->at < hold->to && take->lock != hold->subject && n + ret->n < HELD_MAX &&
			!is_recorded(take, inside, n))
			silent_add(ret, hold, take);
	}
	return takes;
}

/*
 * Notes what a thread did with locks while it held this one. If two holds overlap, the one that ends later
 * sees the other. A thread that takes thousands of locks and gives them back in the order in which it took
 * them would make each hold walk over all others, so one walk ends after HOLD_STEPS_MAX records.
 */
static bool order_judge(void *context, const struct past *hold)
{
	struct lock_order_state *state = context;
	struct findings *findings = state->findings;
	const struct history *history = &findings->history;
	const struct past *inside[HELD_MAX], *past;
	struct silent silent;
	size_t n = 0, n_steps = 0;

	if (hold->kind != PAST_LOCK || !hold->object || !past_is_known(hold) || !hold->has_begin)
		return true;
	if (!state->factor)
		state->factor = map_factor();
	for (past = history_before(history, hold, hold->object);
		past && past->to > hold->from && n_steps < HOLD_STEPS_MAX;
		past = history_before(history, past, hold->object), n_steps++) {
		const bool is_lock = past->kind == PAST_LOCK && past->object == hold->object,
			   is_wait = past->kind == PAST_THREAD && past->subject == hold->object &&
				     past->state == RST_STATE_WAITING && past->reason == RST_REASON_LOCK &&
				     past->object;

		if ((!is_lock && !is_wait) || !past_is_known(past) || !past->has_begin ||
			(is_lock ? past->subject : past->object) == hold->subject)
			continue;
		if (past->from > hold->from) {
			if (!order_note(findings, state, hold, past))
				return false;
			if (n < HELD_MAX)
				inside[n++] = past;
		} else if (is_lock && past->from < hold->from && !order_note(findings, state, past, hold)) {
			return false;
		}
	}
	if (!silent_find(state, hold, inside, n, &silent))
		return false;
	for (size_t i = 0; i < silent.n; i++) {
		if (!order_note(findings, state, hold, &silent.all[i]))
			return false;
		inside[n++] = &silent.all[i];
	}
	gates_note(state, hold, inside, n);
	return true;
}

/* --- cycles --------------------------------------------------------------------------------------------- */

struct search {
	struct findings *findings;
	const struct lock_order_state *state;
	const struct order *path[CYCLE_MAX];
	size_t n;
	unsigned n_steps;
};

static bool is_danger(const struct search *search)
{
	const struct order *const *path = search->path;
	bool has_other_thread = false, is_gated = path[0]->gate != NULL;

	for (size_t i = 0; i < search->n; i++) {
		has_other_thread |= path[i]->has_several_threads || path[i]->thread != path[0]->thread;
		is_gated &= path[i]->gate == path[0]->gate && path[i]->n_gated >= path[i]->n;
	}
	return has_other_thread && !is_gated;
}

static void lock_order_cycle_add(const struct search *search)
{
	struct finding *finding = finding_add(search->findings, &finding_lock_order, 1);

	if (!finding)
		return;
	finding->from = UINT64_MAX;
	for (size_t i = 0; i < search->n; i++) {
		const struct order *order = search->path[i];

		finding_subject(finding, order->first);
		finding->named[finding->n_named++] = order->thread;
		if (order->from < finding->from)
			finding->from = order->from;
		if (order->at > finding->to)
			finding->to = order->at;
		finding_evidence(finding, order->first_seq);
		finding_evidence(finding, order->second_seq);
		finding->is_certain &= order->is_certain;
	}
}

/* Longer ways from the last lock of the path on; a cycle is found from the order that was met first only. */
static void search_on(struct search *search)
{
	const struct party *start = search->path[0]->first, *last = search->path[search->n - 1]->second;
	const struct order *order = map_find(&search->state->by_first, (uint64_t)(uintptr_t)last);

	for (; order && ++search->n_steps < STEPS_MAX; order = order->next) {
		bool is_old = order < search->path[0];

		for (size_t i = 1; i < search->n; i++)
			is_old |= search->path[i]->first == order->second;
		if (is_old || search->n == CYCLE_MAX)
			continue;
		search->path[search->n++] = order;
		if (order->second != start)
			search_on(search);
		else if (is_danger(search))
			lock_order_cycle_add(search);
		search->n--;
	}
}

static bool order_finish(void *context, const struct scan *scan)
{
	struct lock_order_state *state = context;
	struct findings *findings = state->findings;
	struct search search = { .findings = findings, .state = state };

	(void)scan;
	for (size_t i = 0; i < state->n_orders; i++) {
		search.path[0] = &state->orders[i];
		search.n = 1;
		search_on(&search);
	}
	return true;
}

static void order_say(const struct finding *finding, struct sentence *sentence)
{
	const size_t n = finding->n_subjects;

	for (size_t i = 0; i < n; i++) {
		sentence_words(sentence, "%s", i == 0 ? "" : i + 1 < n ? ", " : ", and ");
		sentence_name(sentence, finding->named[i]);
		sentence_words(sentence, " takes ");
		sentence_name(sentence, finding->subjects[(i + 1) % n]);
		sentence_words(sentence, " while it holds ");
		sentence_name(sentence, finding->subjects[i]);
	}
	sentence_words(sentence, ". When they do so at one time, each waits for %s for ever.",
		n == 2 ? "the other" : "another");
}

static void order_done(void *context)
{
	struct lock_order_state *state = context;

	free(state->orders);
	records_done(&state->takes);
	map_done(&state->by_locks);
	map_done(&state->by_first);
}

const struct finding_kind finding_lock_order = {
	.observer = {
		.state_bytes = sizeof(struct lock_order_state),
		.effects = SCAN_BIT(RST_EFFECT_ACQUIRE),
		.effect = take_note,
		.finish = order_finish,
		.done = order_done,
	},
	.name = "lock_order",
	.about = "threads take the same locks in different orders",
	.judges = JUDGES_LOCKS,
	.judge = order_judge,
	.say = order_say,
};
