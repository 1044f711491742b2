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

void merge_begin(struct merge *merge, const struct pool *pool, bool consume, uint32_t run_max, void *arrays)
{
	merge->pool = *pool;
	merge->consume = consume;
	merge->is_in_place = consume && run_max > 1 && pool->policy != POSIX_TRACE_LOOP;
	merge->run_max = merge->is_in_place ? 1 : run_max;
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

/* How far a sub-buffer was written or read, by a mark; 0 if the mark is of another generation. */
static uint64_t mark_end(uint64_t mark, uint64_t generation)
{
	return subbuf_mark_is_of(mark, generation)
		       ? (uint64_t)subbuf_mark_events(mark) << CURSOR_OFFSET_BITS | subbuf_mark_bytes(mark)
		       : 0;
}

/*
 * How far a sub-buffer may be read, by its state and its CPU buffer's cursor: bytes, and above them events.
 * If the CPU buffer has gone on and the writer did not come to close the sub-buffer (or was killed before),
 * it is closed here, and *state updated. The acquire of the cursor pairs with the writer's release store
 * (put.c, put_into_buffer(); rseq.h), that of `used` with the stores of marks in subbuf.c,
 * cpu_buffer_exchange(): all events before that point are visible.
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
 * For a sub-buffer of another generation than at the last look. `read` is relaxed: only this reader and
 * subbuf_clear() change it, and run_claim() fails if it was changed.
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

/*
 * A thread that owns a shared buffer at two looks does not run now, or is dead. Relaxed: put_give_back()
 * checks again.
 */
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
 * Writers count the sub-buffers in use when they take them. One that was killed before it counted leaves a
 * wrong number. The states are relaxed: a writer that changes one meanwhile makes the compare-and-swap of the
 * sum fail.
 */
static void used_look(const struct merge *merge)
{
	struct pool_ring *rings = merge->pool.shared->rings;
	uint32_t n[N_POOL_RINGS] = { 0 }, used[N_POOL_RINGS];

	for (unsigned int ring = 0; ring < N_POOL_RINGS; ring++)
		used[ring] = atomic_load(&rings[ring].n_used);
	for (uint32_t subbuf = 0; subbuf < merge->pool.geometry.n_subbufs; subbuf++)
		n[pool_ring(&merge->pool, subbuf)] +=
			subbuf_state_kind(atomic_load_explicit(
				&merge->pool.subbufs[subbuf].state, memory_order_relaxed)) != SUBBUF_FREE;
	for (unsigned int ring = 0; ring < N_POOL_RINGS; ring++)
		if (n[ring] != used[ring])
			atomic_compare_exchange_strong(&rings[ring].n_used, &used[ring], n[ring]);
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
 * Whether the sub-buffer still holds what was copied. The fence orders the relaxed loads of the copy before
 * the load of the state. It pairs with the compare-and-swap in subbuf.c, subbuf_take(), which precedes every
 * store of new events.
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

/* The members in front of the ticks of an event. */
struct event_lead {
	uint16_t type, flags, length, cpu;
};

static inline uint64_t copy_word(unsigned char *to, const unsigned char *from)
{
	uint64_t word =
		atomic_load_explicit((const _Atomic uint64_t *)(const void *)from, memory_order_relaxed);

	memcpy(to, &word, sizeof word);
	return word;
}

static uint16_t known_cpu(const struct merge *merge, uint32_t cpu)
{
	return cpu < merge->pool.n_per_cpu && cpu < LOG_NO_CPU ? (uint16_t)cpu : LOG_NO_CPU;
}

/*
 * Copies an event out of a sub-buffer, `left` bytes of which follow. The number of a CPU's buffer is that of
 * the CPU, which its events do not hold (cpu); events in shared buffers do (LOG_NO_CPU). Returns its bytes; 0
 * if it makes no sense.
 */
static inline uint32_t event_copy(const struct merge *merge, uint16_t cpu, const unsigned char *from,
	uint32_t left, unsigned char *to, uint64_t ticks)
{
	uint64_t word = copy_word(to, from);
	struct event_lead lead;
	uint32_t bytes;

	memcpy(&lead, &word, sizeof lead);
	lead.cpu = cpu != LOG_NO_CPU ? cpu : known_cpu(merge, lead.cpu);
	bytes = (uint32_t)log_event_bytes(lead.length);
	if (bytes > left || lead.length > LOG_DATA_MAX)
		return 0;
	memcpy(to, &lead, sizeof lead);
	memcpy(to + 8, &ticks, sizeof ticks);
	copy_word(to + 16, from + 16);
	copy_word(to + 24, from + 24);
	copy_word(to + 32, from + 32);
	for (uint32_t at = sizeof(struct log_event); at < bytes; at += 8)
		copy_word(to + at, from + at);
	return bytes;
}

/* Up to which ticks the first sub-buffer of the queue has the oldest events of all. */
static uint64_t run_limit(const struct merge *merge)
{
	uint64_t limit = merge->horizon;

	for (uint32_t child = 1; child <= 2 && child < merge->n_queue; child++)
		if (merge->subbufs[merge->queue[child]].ticks < limit)
			limit = merge->subbufs[merge->queue[child]].ticks;
	return limit;
}

/*
 * Copies a run from a sub-buffer, without taking it. Returns its events; 0 if the first one makes no sense.
 */
static uint32_t run_copy(struct merge *merge, uint32_t subbuf)
{
	const struct merge_subbuf *known = &merge->subbufs[subbuf];
	const unsigned char *area =
		merge->pool.area + ((uint64_t)subbuf << merge->pool.geometry.subbuf_shift);
	const uint16_t cpu = known_cpu(merge, known->buffer);
	const uint64_t limit = run_limit(merge);
	uint64_t ticks = known->ticks, next = ticks;
	const uint32_t end = known->end, n_max = merge->run_max;
	uint32_t n_events = 0, n_bytes = 0, bytes, at = known->at;

	do {
		bytes = event_copy(merge, cpu, area + at, end - at, merge->run + n_bytes, next);
		if (bytes == 0)
			break;
		ticks = next;
		n_events++;
		n_bytes += bytes;
		at += bytes;
		if (at + (uint32_t)sizeof(struct log_event) > end)
			break;
		next = atomic_load_explicit(
			(const _Atomic uint64_t *)(const void *)(area + at + 8), memory_order_relaxed);
		next = next > ticks ? next : ticks;
	} while (next <= limit && n_events < n_max && n_bytes < MERGE_RUN_USUAL);
	merge->run_at = 0;
	merge->run_end = n_bytes;
	return n_events;
}

/*
 * Frees a sub-buffer when all of it has been taken. Since the last look its writer may have written more, or
 * closed it.
 */
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
 * A consuming reader claims the next events of a sub-buffer. False: a writer that overwrites the sub-buffer
 * was faster, and has counted them as lost (subbuf.c, subbuf_clear()); the two compare-and-swaps of `read`
 * decide.
 */
static bool run_claim(struct merge *merge, uint32_t subbuf, uint32_t n_events, uint32_t bytes)
{
	struct merge_subbuf *known = &merge->subbufs[subbuf];
	uint64_t mark = subbuf_mark(known->generation, known->n_read + n_events, known->at + bytes);

	if (!merge->consume)
		return true;
	if (!atomic_compare_exchange_strong(&merge->pool.subbufs[subbuf].read, &known->mark, mark))
		return false;
	known->mark = mark;
	return true;
}

/* Moves on behind the events that were taken from the first sub-buffer of the queue. */
static void queue_advance(struct merge *merge, uint32_t n_events, uint32_t bytes)
{
	uint32_t subbuf = merge->queue[0];
	struct merge_subbuf *known = &merge->subbufs[subbuf];
	uint64_t ticks;

	known->at += bytes;
	known->n_read += n_events;
	if (known->at + sizeof(struct log_event) > known->end) {
		queue_drop_first(merge);
		subbuf_done(merge, subbuf);
		return;
	}
	ticks = area_word(merge, subbuf, known->at + 8);
	known->ticks = ticks > known->ticks ? ticks : known->ticks;
	queue_sink(merge, 0);
}

static void merge_count_lost(struct merge *merge, uint64_t n_events)
{
	if (merge->consume)
		atomic_fetch_add_explicit(&merge->pool.shared->n_dropped, n_events, memory_order_relaxed);
	else
		merge->n_lost += n_events;
}

void merge_drop(struct merge *merge)
{
	merge_count_lost(merge, 1);
}

/*
 * Events that were found and not taken, at least one: the counts of a damaged sub-buffer may contradict each
 * other.
 */
static uint32_t count_left(const struct merge_subbuf *known)
{
	return known->n_events > known->n_read ? known->n_events - known->n_read : 1;
}

/*
 * Drops the first sub-buffer of the queue, which was overwritten while it was read. For a consuming reader
 * the writer has counted the loss.
 */
static void queue_gone(struct merge *merge)
{
	if (!merge->consume)
		merge->n_lost += count_left(&merge->subbufs[merge->queue[0]]);
	queue_drop_first(merge);
}

/* Takes the rest of the first sub-buffer of the queue as one event. Returns false if it was overwritten
 * meanwhile. */
static bool queue_take_rest(struct merge *merge)
{
	uint32_t subbuf = merge->queue[0];
	struct merge_subbuf *known = &merge->subbufs[subbuf];

	known->n_read += count_left(known) - 1;
	if (!run_claim(merge, subbuf, 1, known->end - known->at))
		return false;
	queue_advance(merge, 1, known->end - known->at);
	return true;
}

/*
 * The first sub-buffer of the queue was damaged by another process: the events that follow in it cannot be
 * found.
 */
static void queue_spoiled(struct merge *merge)
{
	uint32_t n_events = count_left(&merge->subbufs[merge->queue[0]]);

	if (queue_take_rest(merge))
		merge_count_lost(merge, n_events);
	else
		queue_gone(merge);
}

/* Takes a run from the first sub-buffer of the queue. Without one, what was there is lost. */
static void queue_take(struct merge *merge)
{
	uint32_t subbuf = merge->queue[0];
	uint32_t n_events = run_copy(merge, subbuf);
	bool is_same = subbuf_is_same(merge, subbuf);

	if (is_same && n_events == 0) {
		queue_spoiled(merge);
	} else if (!is_same || !run_claim(merge, subbuf, n_events, merge->run_end)) {
		queue_gone(merge);
	} else {
		queue_advance(merge, n_events, merge->run_end);
		merge->n_run = n_events;
		merge->n_runs++;
		merge->ring = pool_ring(&merge->pool, subbuf);
	}
}

/* Passes the first n_events of the copied run. */
static void run_pass(struct merge *merge, uint32_t n_events, uint32_t n_bytes)
{
	merge->n_run -= n_events;
	merge->run_at += n_bytes;
}

/* Whether the first sub-buffer of the queue has events that can be taken without a look. */
static bool queue_has_event(const struct merge *merge)
{
	return merge->n_queue > 0 && merge->subbufs[merge->queue[0]].ticks <= merge->horizon;
}

/* The events of a copied run are as they should be: their ticks rise, and their processors are known. */
static struct log_run run_waiting(const struct merge *merge)
{
	return (struct log_run){ .events = merge->run + merge->run_at,
		.n_bytes = merge->run_end - merge->run_at,
		.n_events = merge->n_run,
		.cpu = LOG_NO_CPU,
		.n_cpus = LOG_NO_CPU,
		.until = UINT64_MAX };
}

bool merge_run(struct merge *merge, struct log_run *ret_run)
{
	const struct merge_subbuf *known;
	uint32_t subbuf;

	if (merge->n_run > 0)
		*ret_run = run_waiting(merge);
	if (merge->n_run > 0 || !merge->is_in_place || !queue_has_event(merge))
		return merge->n_run > 0;
	subbuf = merge->queue[0];
	known = &merge->subbufs[subbuf];
	*ret_run = (struct log_run){
		.events = merge->pool.area + ((uint64_t)subbuf << merge->pool.geometry.subbuf_shift) +
			  known->at,
		.n_bytes = known->end - known->at,
		.n_events = UINT32_MAX,
		.cpu = known_cpu(merge, known->buffer),
		.n_cpus = merge->pool.n_per_cpu < LOG_NO_CPU ? (uint16_t)merge->pool.n_per_cpu : LOG_NO_CPU,
		.from = known->ticks,
		.until = run_limit(merge),
	};
	merge->ring = pool_ring(&merge->pool, subbuf);
	return true;
}

/*
 * The claim of events in place fails only where another process has damaged the pool: writers take free
 * sub-buffers only (subbuf.c, subbuf_claim()). The events are in the log by then, and stay there.
 */
void merge_pass(struct merge *merge, uint32_t n_events, uint32_t n_bytes)
{
	if (merge->n_run > 0) {
		run_pass(merge, n_events, n_bytes);
		return;
	}
	run_claim(merge, merge->queue[0], n_events, n_bytes);
	queue_advance(merge, n_events, n_bytes);
}

static void run_next(struct merge *merge)
{
	memcpy(&merge->event, merge->run + merge->run_at, sizeof merge->event);
	merge->data = merge->run + merge->run_at + sizeof merge->event;
	run_pass(merge, 1, (uint32_t)log_event_bytes(merge->event.length));
}

bool merge_next(struct merge *merge, bool *has_looked)
{
	while (merge->n_run == 0) {
		if (queue_has_event(merge)) {
			queue_take(merge);
		} else if (*has_looked) {
			return false;
		} else {
			merge_look(merge);
			*has_looked = true;
		}
	}
	run_next(merge);
	return true;
}

void merge_discard(struct merge *merge)
{
	merge->n_run = 0;
	merge->run_at = merge->run_end;
	merge_look(merge);
	while (merge->n_queue > 0)
		if (!queue_take_rest(merge))
			queue_drop_first(merge);
}

size_t merge_waiting(const struct merge *merge)
{
	size_t n = merge->run_end - merge->run_at;

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
