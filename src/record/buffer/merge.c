/* SPDX-License-Identifier: MIT */
#include "record/buffer/merge.h"
#include "record/buffer/put.h"
#include "record/buffer/subbuf.h"
#include "record/kernel/clock.h"
#include <string.h>

/* The longest time from stamp to publication, in ticks: far more than those instructions take. */
#define MERGE_GRACE_TSC		8192u
#define MERGE_GRACE_NANOSECONDS 2000u

size_t merge_bytes(const struct pool *pool)
{
	return pool->geometry.n_subbufs * (sizeof(struct merge_subbuf) + sizeof(uint32_t)) +
	       pool->geometry.n_buffers * sizeof(uint32_t);
}

void merge_begin(struct merge *merge, const struct pool *pool, bool consume, void *arrays)
{
	merge->pool = *pool;
	merge->consume = consume;
	merge->subbufs = arrays;
	merge->queue = (uint32_t *)(void *)(merge->subbufs + pool->geometry.n_subbufs);
	merge->owners = merge->queue + pool->geometry.n_subbufs;
}

/* The queue. */

static bool is_older(const struct merge *merge, uint32_t a, uint32_t b)
{
	return merge->subbufs[a].ticks < merge->subbufs[b].ticks;
}

static void queue_sink(struct merge *merge, uint32_t at)
{
	uint32_t *queue = merge->queue;
	uint32_t subbuf = queue[at];

	for (uint32_t child; (child = 2 * at + 1) < merge->n_queue; at = child) {
		if (child + 1 < merge->n_queue && is_older(merge, queue[child + 1], queue[child]))
			child++;
		if (!is_older(merge, queue[child], subbuf))
			break;
		queue[at] = queue[child];
	}
	queue[at] = subbuf;
}

static void queue_add(struct merge *merge, uint32_t subbuf)
{
	uint32_t *queue = merge->queue;
	uint32_t at = merge->n_queue++;

	for (; at > 0 && is_older(merge, subbuf, queue[(at - 1) / 2]); at = (at - 1) / 2)
		queue[at] = queue[(at - 1) / 2];
	queue[at] = subbuf;
}

static void queue_drop_first(struct merge *merge)
{
	merge->queue[0] = merge->queue[--merge->n_queue];
	if (merge->n_queue > 0)
		queue_sink(merge, 0);
}

/* Looking at sub-buffers. */

static uint64_t area_word(const struct merge *merge, uint32_t subbuf, uint32_t at)
{
	const struct pool *pool = &merge->pool;

	return atomic_load_explicit(
		(_Atomic uint64_t *)(void *)(pool->area + ((uint64_t)subbuf << pool->geometry.subbuf_shift) +
					     at),
		memory_order_relaxed);
}

/* How far a sub-buffer was written or read, by a mark; 0: the mark is of another generation. */
static uint64_t mark_end(uint64_t mark, uint64_t generation)
{
	return subbuf_mark_is_of(mark, generation)
		       ? (uint64_t)subbuf_mark_events(mark) << CURSOR_OFFSET_BITS | subbuf_mark_bytes(mark)
		       : 0;
}

/*
 * How far a sub-buffer may be read, by its state and its CPU buffer's cursor: bytes, and above them events. If the CPU
 * buffer has gone on and the writer did not come to close the sub-buffer (or was killed before), it is closed here, and
 * *state updated. The acquire of the cursor pairs with the writer's release store (put.c, put_into_buffer(); rseq.h),
 * that of `used` with the stores of marks in subbuf.c, cpu_buffer_exchange(): all events before that point are visible.
 */
static uint64_t subbuf_end(const struct merge *merge, uint32_t subbuf, uint64_t *state)
{
	const struct pool *pool = &merge->pool;
	uint64_t generation = subbuf_state_generation(*state), cursor, end;
	bool is_taken = subbuf_state_kind(*state) == SUBBUF_TAKEN;
	uint32_t buffer = subbuf_state_buffer(*state);

	if (is_taken && buffer < pool->geometry.n_buffers) {
		cursor = atomic_load_explicit(&pool->buffers[buffer].cursor, memory_order_acquire);
		if (subbuf_is_open(pool, subbuf, cursor))
			return cursor & ~(CURSOR_OFFSET_MASK & ~(uint64_t)pool->mask);
	}
	if (is_taken ? !subbuf_is_left(pool, subbuf, *state) : subbuf_state_kind(*state) != SUBBUF_CLOSED)
		return 0;
	end = mark_end(atomic_load_explicit(&pool->subbufs[subbuf].used, memory_order_acquire), generation);
	if (is_taken && merge->consume && subbuf_close(pool, subbuf, *state))
		*state = subbuf_state_make(generation, buffer, SUBBUF_CLOSED);
	return end;
}

static uint32_t end_bytes(const struct merge *merge, uint64_t end)
{
	return (uint32_t)end & merge->pool.mask & ~7u;
}

/*
 * For a sub-buffer of another generation than at the last look. `read` is relaxed: only this reader and subbuf_clear()
 * change it, and event_claim() fails if it was changed.
 */
static void subbuf_meet(const struct merge *merge, uint32_t subbuf, uint64_t state)
{
	uint64_t mark = atomic_load_explicit(&merge->pool.subbufs[subbuf].read, memory_order_relaxed);
	uint64_t end = mark_end(mark, subbuf_state_generation(state));

	merge->subbufs[subbuf] = (struct merge_subbuf){
		.generation = subbuf_state_generation(state),
		.buffer = subbuf_state_buffer(state),
		.mark = mark,
		.at = end_bytes(merge, end),
		.n_read = (uint32_t)(end >> CURSOR_OFFSET_BITS),
	};
}

static void subbuf_look(struct merge *merge, uint32_t subbuf)
{
	struct merge_subbuf *known = &merge->subbufs[subbuf];
	uint64_t state = atomic_load_explicit(&merge->pool.subbufs[subbuf].state, memory_order_acquire);
	uint64_t end, ticks;

	end = subbuf_end(merge, subbuf, &state);
	if (end == 0 && subbuf_state_kind(state) != SUBBUF_CLOSED)
		return;
	if (known->generation != subbuf_state_generation(state))
		subbuf_meet(merge, subbuf, state);
	known->end = end_bytes(merge, end);
	known->n_events = (uint32_t)(end >> CURSOR_OFFSET_BITS);
	if (known->at + sizeof(struct log_event) <= known->end) {
		ticks = area_word(merge, subbuf, known->at + 8);
		known->ticks = ticks > known->ticks ? ticks : known->ticks;
		queue_add(merge, subbuf);
	} else if (merge->consume && subbuf_state_kind(state) == SUBBUF_CLOSED) {
		subbuf_free(&merge->pool, subbuf, state);
	}
}

/* A thread that owns a shared buffer at two looks does not run now, or is dead. Relaxed: put_give_back() checks again. */
static void owners_look(struct merge *merge)
{
	const struct pool *pool = &merge->pool;

	for (uint32_t i = pool->geometry.n_per_cpu; i < pool->geometry.n_buffers; i++) {
		uint32_t owner = atomic_load_explicit(&pool->buffers[i].owner, memory_order_relaxed);

		if (owner != 0 && owner == merge->owners[i])
			put_give_back(&pool->buffers[i]);
		merge->owners[i] = owner;
	}
}

/*
 * Writers count the sub-buffers in use when they take them. One that was killed before it counted leaves a wrong
 * number. The states are relaxed: a writer that changes one meanwhile makes the compare-and-swap of the sum fail.
 */
static void used_look(const struct merge *merge)
{
	uint32_t n = 0, used = atomic_load(&merge->pool.shared->n_used);

	for (uint32_t subbuf = 0; subbuf < merge->pool.geometry.n_subbufs; subbuf++)
		n += subbuf_state_kind(atomic_load_explicit(
			     &merge->pool.subbufs[subbuf].state, memory_order_relaxed)) != SUBBUF_FREE;
	if (n != used)
		atomic_compare_exchange_strong(&merge->pool.shared->n_used, &used, n);
}

/* Looks at all sub-buffers, when all that was found before has been taken. */
static void merge_look(struct merge *merge)
{
	enum log_clock clock = (enum log_clock)merge->pool.clock;
	uint64_t grace = clock == LOG_CLOCK_TSC ? MERGE_GRACE_TSC : MERGE_GRACE_NANOSECONDS;

	merge->horizon = clock_ticks(clock);
	while (clock_ticks(clock) - merge->horizon < grace)
		;
	merge->n_queue = 0;
	if (merge->consume)
		owners_look(merge);
	for (uint32_t subbuf = 0; subbuf < merge->pool.geometry.n_subbufs; subbuf++)
		subbuf_look(merge, subbuf);
	if (merge->consume)
		used_look(merge);
}

/* Taking events out. */

/*
 * Whether the sub-buffer still holds what was copied. The fence orders the relaxed loads of the copy before the load of the
 * state. It pairs with the compare-and-swap in subbuf.c, subbuf_take(), which precedes every store of new events.
 */
static bool subbuf_is_same(const struct merge *merge, uint32_t subbuf)
{
	uint64_t state;

#ifndef __SANITIZE_THREAD__
	atomic_thread_fence(memory_order_acquire);
#endif
	state = atomic_load_explicit(&merge->pool.subbufs[subbuf].state, memory_order_acquire);
	return subbuf_state_generation(state) == merge->subbufs[subbuf].generation &&
	       subbuf_state_kind(state) != SUBBUF_FREE;
}

/* Copies the next event of a sub-buffer to merge->event and merge->data. Returns its bytes; 0: it makes no sense. */
static uint32_t event_copy(struct merge *merge, uint32_t subbuf)
{
	const struct merge_subbuf *known = &merge->subbufs[subbuf];
	uint64_t words[sizeof merge->event / 8];
	uint64_t bytes;

	for (uint32_t i = 0; i < sizeof words / 8; i++)
		words[i] = area_word(merge, subbuf, known->at + 8 * i);
	memcpy(&merge->event, words, sizeof words);
	bytes = log_event_bytes(merge->event.length);
	if (merge->event.length > LOG_DATA_MAX || bytes > known->end - known->at)
		return 0;
	for (uint32_t i = sizeof words; i < bytes; i += 8) {
		uint64_t word = area_word(merge, subbuf, known->at + i);
		memcpy(merge->data + (i - sizeof words), &word, 8);
	}
	return (uint32_t)bytes;
}

/* Frees a sub-buffer when all of it has been taken. Since the last look its writer may have written more, or closed it. */
static void subbuf_done(struct merge *merge, uint32_t subbuf)
{
	uint64_t state = atomic_load_explicit(&merge->pool.subbufs[subbuf].state, memory_order_acquire);
	uint64_t end;

	if (!merge->consume || subbuf_state_generation(state) != merge->subbufs[subbuf].generation)
		return;
	end = subbuf_end(merge, subbuf, &state);
	if (subbuf_state_kind(state) == SUBBUF_CLOSED && end_bytes(merge, end) <= merge->subbufs[subbuf].at)
		subbuf_free(&merge->pool, subbuf, state);
}

/*
 * A consuming reader claims the next event of a sub-buffer. False: a writer that overwrites the sub-buffer was faster,
 * and has counted the event as lost (subbuf.c, subbuf_clear()); the two compare-and-swaps of `read` decide.
 */
static bool event_claim(struct merge *merge, uint32_t subbuf, uint32_t bytes)
{
	struct merge_subbuf *known = &merge->subbufs[subbuf];
	uint64_t mark = subbuf_mark(known->generation, known->n_read + 1, known->at + bytes);

	if (!merge->consume)
		return true;
	if (!atomic_compare_exchange_strong(&merge->pool.subbufs[subbuf].read, &known->mark, mark))
		return false;
	known->mark = mark;
	return true;
}

/* Moves on behind the event that was taken from the first sub-buffer of the queue. */
static void queue_advance(struct merge *merge, uint32_t bytes)
{
	uint32_t subbuf = merge->queue[0];
	struct merge_subbuf *known = &merge->subbufs[subbuf];
	uint64_t ticks;

	known->at += bytes;
	known->n_read++;
	if (known->at + sizeof(struct log_event) > known->end) {
		queue_drop_first(merge);
		subbuf_done(merge, subbuf);
		return;
	}
	ticks = area_word(merge, subbuf, known->at + 8);
	known->ticks = ticks > known->ticks ? ticks : known->ticks;
	queue_sink(merge, 0);
}

static void count_lost(struct merge *merge, uint64_t n_events)
{
	if (merge->consume)
		atomic_fetch_add_explicit(&merge->pool.shared->n_dropped, n_events, memory_order_relaxed);
	else
		merge->n_lost += n_events;
}

void merge_drop(struct merge *merge)
{
	count_lost(merge, 1);
}

/* Events that were found and not taken, at least one: the counts of a damaged sub-buffer may contradict each other. */
static uint32_t count_left(const struct merge_subbuf *known)
{
	return known->n_events > known->n_read ? known->n_events - known->n_read : 1;
}

/*
 * Drops the first sub-buffer of the queue, which was overwritten while it was read. For a consuming reader the writer
 * has counted the loss.
 */
static void queue_gone(struct merge *merge)
{
	if (!merge->consume)
		merge->n_lost += count_left(&merge->subbufs[merge->queue[0]]);
	queue_drop_first(merge);
}

/* Takes the rest of the first sub-buffer of the queue as one event. False: it was overwritten meanwhile. */
static bool queue_take_rest(struct merge *merge)
{
	uint32_t subbuf = merge->queue[0];
	struct merge_subbuf *known = &merge->subbufs[subbuf];

	known->n_read += count_left(known) - 1;
	if (!event_claim(merge, subbuf, known->end - known->at))
		return false;
	queue_advance(merge, known->end - known->at);
	return true;
}

/* The first sub-buffer of the queue was damaged by another process: the events that follow in it cannot be found. */
static void queue_spoiled(struct merge *merge)
{
	uint32_t n_events = count_left(&merge->subbufs[merge->queue[0]]);

	if (queue_take_rest(merge))
		count_lost(merge, n_events);
	else
		queue_gone(merge);
}

/* Events do not hold a CPU: the number of the buffer is that of the CPU. */
static uint16_t cpu_of(const struct merge *merge, uint32_t buffer)
{
	return buffer < merge->pool.n_per_cpu && buffer < LOG_NO_CPU ? (uint16_t)buffer : LOG_NO_CPU;
}

/* Takes the first event of the queue. False: there was none, or it is lost. */
static bool queue_take(struct merge *merge)
{
	uint32_t subbuf = merge->queue[0];
	uint64_t ticks = merge->subbufs[subbuf].ticks;
	uint32_t buffer = merge->subbufs[subbuf].buffer;
	uint32_t bytes = event_copy(merge, subbuf);
	bool is_same = subbuf_is_same(merge, subbuf);

	if (is_same && bytes == 0) {
		queue_spoiled(merge);
		return false;
	}
	if (!is_same || !event_claim(merge, subbuf, bytes)) {
		queue_gone(merge);
		return false;
	}
	queue_advance(merge, bytes);
	merge->event.ticks = ticks;
	merge->event.cpu = cpu_of(merge, buffer);
	return true;
}

bool merge_next(struct merge *merge, bool *has_looked)
{
	for (;;) {
		if (merge->n_queue > 0 && merge->subbufs[merge->queue[0]].ticks <= merge->horizon) {
			if (queue_take(merge))
				return true;
		} else if (*has_looked) {
			return false;
		} else {
			merge_look(merge);
			*has_looked = true;
		}
	}
}

void merge_discard(struct merge *merge)
{
	merge_look(merge);
	while (merge->n_queue > 0)
		if (!queue_take_rest(merge))
			queue_drop_first(merge);
}

size_t merge_waiting(const struct merge *merge)
{
	size_t n = 0;

	for (uint32_t subbuf = 0; subbuf < merge->pool.geometry.n_subbufs; subbuf++) {
		uint64_t state =
			atomic_load_explicit(&merge->pool.subbufs[subbuf].state, memory_order_acquire);
		const struct merge_subbuf *known = &merge->subbufs[subbuf];
		uint32_t at = known->generation == subbuf_state_generation(state) ? known->at : 0;
		uint32_t end = end_bytes(merge, subbuf_end(merge, subbuf, &state));

		n += end > at ? end - at : 0;
	}
	return n;
}
