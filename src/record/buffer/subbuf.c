/* SPDX-License-Identifier: MIT */
#include "record/buffer/subbuf.h"
#include "record/buffer/rseq.h"
#include "record/kernel/clock.h"

#define SUBBUF_NONE	   UINT32_MAX
#define SUBBUF_TRIES	   64
#define LINE_BYTES	   64u
/*
 * Prefetched of a sub-buffer whose memory is in another CPU's cache: as much as a cache near the CPU holds
 * beside other data.
 */
#define FAR_BYTES	   (16u << 10)
/*
 * Prefetched of one that this CPU filled before: other CPUs' hardware fetches so much beyond the sub-buffer
 * in front of it.
 */
#define NEAR_BYTES	   (2u << 10)
#define LAPS_BETWEEN_LOOKS 16
#define ORDER_BITS	   48
#define ORDER_MASK	   ((1ull << ORDER_BITS) - 1)

uint64_t cpu_buffer_no_cursor(const struct pool_geometry *geometry)
{
	return ((uint64_t)(geometry->n_subbufs + 1) << geometry->subbuf_shift) - 8;
}

/* Keeps the larger value. Pairs with the acquire load of lost_through in read.c, run_meet(). */
static void value_raise(_Atomic uint64_t *value, uint64_t wanted)
{
	uint64_t old = atomic_load_explicit(value, memory_order_relaxed);

	while (old < wanted && !atomic_compare_exchange_weak_explicit(
				       value, &old, wanted, memory_order_acq_rel, memory_order_relaxed))
		;
}

static void count_used(struct pool_ring *ring)
{
	uint32_t now = atomic_fetch_add_explicit(&ring->n_used, 1, memory_order_relaxed) + 1;
	uint32_t old = atomic_load_explicit(&ring->high_water, memory_order_relaxed);

	while (old < now && !atomic_compare_exchange_weak_explicit(
				    &ring->high_water, &old, now, memory_order_relaxed, memory_order_relaxed))
		;
}

static struct pool_ring *ring_of(const struct pool *pool, uint32_t subbuf)
{
	return &pool->shared->rings[pool_ring(pool, subbuf)];
}

/* The ring of a CPU buffer: its sub-buffers, and how many CPU buffers share them. */
struct range {
	struct pool_ring *ring;
	uint32_t first, n_subbufs, n_buffers;
};

static struct range range_of(const struct pool *pool, uint32_t buffer)
{
	const uint32_t n_rare_buffers = pool->rare ? pool->n_shared : 0;
	const uint32_t n_rare = (uint32_t)pool->geometry.n_rare;
	const bool is_rare = buffer >= pool->geometry.n_buffers - n_rare_buffers;
	const uint32_t n_common = pool->geometry.n_subbufs - n_rare;

	return (struct range){ .ring = &pool->shared->rings[is_rare ? POOL_RARE : POOL_COMMON],
		.first = is_rare ? n_common : 0,
		.n_subbufs = is_rare ? n_rare : n_common,
		.n_buffers = is_rare ? n_rare_buffers : pool->geometry.n_buffers - n_rare_buffers };
}

/*
 * The unread events of a closed sub-buffer whose `read` mark is given, and the ticks of the first of them.
 * Relaxed: the caller has loaded state or mark with acquire, and a wrong answer only makes a loss too large
 * or too small by one look.
 */
static uint32_t count_unread(
	const struct pool *pool, uint32_t subbuf, uint64_t generation, uint64_t read, uint64_t *ret_ticks)
{
	const struct subbuf *control = &pool->subbufs[subbuf];
	uint64_t used = atomic_load_explicit(&control->used, memory_order_relaxed);
	uint32_t n_read = subbuf_mark_is_of(read, generation) ? subbuf_mark_events(read) : 0;
	uint32_t at = subbuf_mark_is_of(read, generation) ? subbuf_mark_bytes(read) & ~7u : 0;

	if (!subbuf_mark_is_of(used, generation) || subbuf_mark_events(used) <= n_read ||
		at > pool->mask - sizeof(struct log_event))
		return 0;
	*ret_ticks = atomic_load_explicit(
		(_Atomic uint64_t *)(void *)(pool->area + ((uint64_t)subbuf << pool->geometry.subbuf_shift) +
					     at + 8),
		memory_order_relaxed);
	return subbuf_mark_events(used) - n_read;
}

/*
 * Each event is taken by the reader or counted here, by whichever changes `read` first (merge.c,
 * run_claim()). first_lost pairs with the exchange in read.c, report_gap().
 */
static void count_overwritten(const struct pool *pool, uint32_t subbuf, uint32_t n_unread, uint64_t ticks)
{
	struct pool_shared *shared = pool->shared;
	struct pool_ring *ring = ring_of(pool, subbuf);
	uint64_t none = 0;

	if (atomic_load_explicit(&ring->first_lost, memory_order_relaxed) == 0)
		atomic_compare_exchange_strong(&ring->first_lost, &none, ticks);
	atomic_fetch_add(&ring->n_overwritten, n_unread);
	/* Stored only when it changes, so that the line stays in the caches of all CPUs. */
	if (atomic_load_explicit(&shared->is_full, memory_order_relaxed) != POSIX_TRACE_FULL)
		atomic_store_explicit(&shared->is_full, POSIX_TRACE_FULL, memory_order_relaxed);
}

/*
 * Withdraws the old events of a taken sub-buffer from the reader. Done once, by the thread that took it or by
 * the one that opens it instead. The compare-and-swap of `read` pairs with that in merge.c, run_claim(): one
 * of both gets each event.
 */
static void subbuf_clear(const struct pool *pool, uint32_t subbuf, uint64_t state)
{
	struct subbuf *control = &pool->subbufs[subbuf];
	uint64_t generation = subbuf_state_generation(state), ticks = 0;
	uint64_t read = atomic_load_explicit(&control->read, memory_order_acquire);
	uint32_t n_unread;

	do {
		if (!subbuf_mark_is_of(read, generation - 1))
			return;
		n_unread = count_unread(pool, subbuf, generation - 1, read, &ticks);
	} while (!atomic_compare_exchange_weak(&control->read, &read, subbuf_mark(generation, 0, 0)));
	if (n_unread > 0)
		count_overwritten(pool, subbuf, n_unread, ticks);
}

/*
 * Before a closed sub-buffer is taken, stores up to which ticks events may be missing: a reader that finds
 * the sub-buffer taken (merge.c, subbuf_is_same()) must see it. A reader that was faster has read up to
 * there.
 */
static void announce_overwriting(const struct pool *pool, uint32_t subbuf, uint64_t state)
{
	const struct subbuf *control = &pool->subbufs[subbuf];
	uint64_t read = atomic_load_explicit(&control->read, memory_order_acquire), ticks;

	if (count_unread(pool, subbuf, subbuf_state_generation(state), read, &ticks) > 0)
		value_raise(&ring_of(pool, subbuf)->lost_through,
			atomic_load_explicit(&control->last, memory_order_relaxed));
}

/*
 * Changes the kind only if the state is still `from`. On failure another thread has made the same change.
 * Pairs with the acquire loads of `state` in find_any() and in merge.c, subbuf_look(): they see what the
 * sub-buffer held when it was closed.
 */
static bool subbuf_move(const struct pool *pool, uint32_t subbuf, uint64_t from, enum subbuf_kind kind)
{
	uint64_t to = subbuf_state_make(subbuf_state_generation(from), subbuf_state_buffer(from), kind);

	if (!atomic_compare_exchange_strong_explicit(
		    &pool->subbufs[subbuf].state, &from, to, memory_order_acq_rel, memory_order_relaxed))
		return false;
	if (kind == SUBBUF_FREE)
		atomic_fetch_sub_explicit(&ring_of(pool, subbuf)->n_used, 1, memory_order_relaxed);
	return true;
}

bool subbuf_free(const struct pool *pool, uint32_t subbuf, uint64_t state)
{
	return subbuf_move(pool, subbuf, state, SUBBUF_FREE);
}

/*
 * A writer killed before the last line leaves an order of an older generation, which is_left_behind()
 * ignores. Relaxed: the order only chooses which sub-buffer to overwrite.
 */
bool subbuf_close(const struct pool *pool, uint32_t subbuf, uint64_t state)
{
	uint64_t order;

	if (!subbuf_move(pool, subbuf, state, SUBBUF_CLOSED))
		return false;
	order = atomic_fetch_add_explicit(&ring_of(pool, subbuf)->n_closed, 1, memory_order_relaxed) &
		ORDER_MASK;
	atomic_store_explicit(&pool->subbufs[subbuf].order,
		subbuf_state_generation(state) << ORDER_BITS | order, memory_order_relaxed);
	return true;
}

static bool is_marked(const struct pool *pool, uint32_t subbuf, uint64_t state)
{
	return subbuf_mark_is_of(atomic_load_explicit(&pool->subbufs[subbuf].used, memory_order_acquire),
		subbuf_state_generation(state));
}

/*
 * The writer stores the mark while the sub-buffer is still open, and then the cursor (cpu_buffer_exchange(),
 * rseq.h). Here the mark is loaded first: if it is there and the cursor is elsewhere, the CPU buffer has gone
 * on. Without the mark it has not opened the sub-buffer yet.
 */
bool subbuf_is_left(const struct pool *pool, uint32_t subbuf, uint64_t state)
{
	uint32_t buffer = subbuf_state_buffer(state);

	return buffer < pool->geometry.n_buffers && is_marked(pool, subbuf, state) &&
	       !subbuf_is_open(pool, subbuf,
		       atomic_load_explicit(&pool->buffers[buffer].cursor, memory_order_acquire));
}

/* The number of the sub-buffer that a cursor is in; n_subbufs: it is in none. */
static uint32_t subbuf_of(const struct pool *pool, uint64_t cursor)
{
	return (uint32_t)((cursor & CURSOR_OFFSET_MASK) >> pool->geometry.subbuf_shift);
}

/*
 * Whether a sub-buffer was taken for this CPU buffer by a thread that did not come to open it. One that was
 * left is closed.
 */
static bool is_next(const struct pool *pool, uint32_t subbuf, uint64_t state, uint32_t buffer, uint64_t seen)
{
	if (subbuf_state_kind(state) != SUBBUF_TAKEN || subbuf_state_buffer(state) != buffer ||
		subbuf_is_open(pool, subbuf, seen))
		return false;
	if (subbuf_is_left(pool, subbuf, state))
		subbuf_close(pool, subbuf, state);
	return !is_marked(pool, subbuf, state);
}

/*
 * Whether enough sub-buffers were closed after this one to hold stream-min-size without it. Open sub-buffers
 * of other CPU buffers do not count, nor one for each CPU buffer that mixes newer events with some that are
 * older than this one's end.
 */
static bool is_left_behind(
	const struct pool *pool, const struct range *range, uint32_t subbuf, uint64_t state)
{
	uint64_t order = atomic_load_explicit(&pool->subbufs[subbuf].order, memory_order_relaxed);
	uint64_t n_closed = atomic_load_explicit(&range->ring->n_closed, memory_order_relaxed);

	return (order ^ subbuf_state_generation(state) << ORDER_BITS) >> ORDER_BITS == 0 &&
	       ((n_closed - order) & ORDER_MASK) + 2ull * range->n_buffers >= range->n_subbufs;
}

struct found {
	uint32_t subbuf; /* SUBBUF_NONE: none was found */
	uint64_t state;
	uint64_t last; /* of a closed sub-buffer: when it was closed */
};

/*
 * Finds the sub-buffer that the CPU buffer itself filled first, if no sub-buffer is free and overwriting it
 * is as good as overwriting the one that was closed first of all. Its memory is near, while another buffer's
 * memory comes from another CPU. `oldest` and `next` are hints, hence relaxed; the state is checked. Every
 * few laps the whole pool is searched anyway, for sub-buffers that a thread took for this CPU buffer and did
 * not open.
 */
static struct found find_own(const struct pool *pool, const struct range *range, uint32_t buffer)
{
	static const struct found none = { .subbuf = SUBBUF_NONE };
	struct found own = { .subbuf = atomic_load_explicit(
				     &pool->buffers[buffer].oldest, memory_order_relaxed) };

	if (pool->policy != POSIX_TRACE_LOOP || own.subbuf >= pool->geometry.n_subbufs ||
		atomic_load_explicit(&range->ring->n_used, memory_order_relaxed) < range->n_subbufs)
		return none;
	own.state = atomic_load_explicit(&pool->subbufs[own.subbuf].state, memory_order_acquire);
	return subbuf_state_kind(own.state) == SUBBUF_CLOSED && subbuf_state_buffer(own.state) == buffer &&
			       subbuf_state_generation(own.state) % LAPS_BETWEEN_LOOKS != 0 &&
			       is_left_behind(pool, range, own.subbuf, own.state)
		       ? own
		       : none;
}

static void found_keep_older(struct found *found, const struct found *other)
{
	if (other->last < found->last)
		*found = *other;
}

/*
 * Searches the whole ring for the first sub-buffer, from the hint on, that is free or was taken for this CPU
 * buffer already. Otherwise finds the one that was closed first, one of this buffer's own if that is good
 * enough. `last` is relaxed: the acquire of the state orders it.
 */
static struct found find_any(
	const struct pool *pool, const struct range *range, uint32_t buffer, uint64_t seen)
{
	const uint32_t end = range->first + range->n_subbufs;
	struct found oldest = { .subbuf = SUBBUF_NONE, .last = UINT64_MAX }, own = oldest, at;

	at.subbuf = range->first +
		    atomic_load_explicit(&range->ring->hint, memory_order_relaxed) % range->n_subbufs;
	for (uint32_t i = 0; i < range->n_subbufs;
		i++, at.subbuf = at.subbuf + 1 < end ? at.subbuf + 1 : range->first) {
		at.state = atomic_load_explicit(&pool->subbufs[at.subbuf].state, memory_order_acquire);
		if (subbuf_state_kind(at.state) == SUBBUF_CLOSED) {
			at.last = atomic_load_explicit(&pool->subbufs[at.subbuf].last, memory_order_relaxed);
			found_keep_older(&oldest, &at);
			if (subbuf_state_buffer(at.state) == buffer)
				found_keep_older(&own, &at);
		} else if (subbuf_state_kind(at.state) == SUBBUF_FREE ||
			   is_next(pool, at.subbuf, at.state, buffer, seen)) {
			return at;
		}
	}
	atomic_store_explicit(&pool->buffers[buffer].oldest, own.subbuf, memory_order_relaxed);
	return own.subbuf != SUBBUF_NONE && is_left_behind(pool, range, own.subbuf, own.state) ? own : oldest;
}

/*
 * A CPU gets memory that another one wrote line by line, slowly if that CPU is far away. Prefetching requests
 * all lines at once.
 */
static void lines_fetch(const void *from, uint32_t n_bytes)
{
	for (uint32_t i = 0; i < n_bytes; i += LINE_BYTES) {
		const char *line = (const char *)from + i;
#if defined(__x86_64__)
		/*
		 * The compiler would use another instruction for __builtin_prefetch(), and removes functions
		 * that do nothing else. CPUs without prefetchw treat it as a no-op.
		 */
		__asm__ volatile("prefetchw %0" : : "m"(*line));
#else
		__builtin_prefetch(line, 1);
#endif
	}
}

/*
 * Takes a sub-buffer if its state is still *state. Sequentially consistent: `lost_through` is stored before,
 * and merge.c, subbuf_is_same() loads the state before read.c loads `lost_through`.
 */
static bool subbuf_take(const struct pool *pool, uint32_t subbuf, uint32_t buffer, uint64_t *state)
{
	uint64_t seen = *state;
	uint64_t mine = subbuf_state_make(subbuf_state_generation(seen) + 1, buffer, SUBBUF_TAKEN);
	bool is_near = subbuf_state_buffer(seen) == buffer && subbuf_state_kind(seen) == SUBBUF_CLOSED;
	uint32_t n_bytes = is_near ? NEAR_BYTES : FAR_BYTES;

	if (!atomic_compare_exchange_strong(&pool->subbufs[subbuf].state, state, mine))
		return false;
	*state = mine;
	lines_fetch(pool->area + ((uint64_t)subbuf << pool->geometry.subbuf_shift),
		n_bytes < pool->mask ? n_bytes : pool->mask);
	return true;
}

/* The next candidate is the sub-buffer that this CPU buffer filled after the one it takes. */
static void own_advance(const struct pool *pool, uint32_t buffer, uint32_t subbuf)
{
	_Atomic uint32_t *oldest = &pool->buffers[buffer].oldest;

	if (atomic_load_explicit(oldest, memory_order_relaxed) == subbuf)
		atomic_store_explicit(oldest,
			atomic_load_explicit(&pool->subbufs[subbuf].next, memory_order_relaxed),
			memory_order_relaxed);
}

/*
 * A sub-buffer for a CPU buffer: a free one, or with LOOP an overwritten one. A claim fails only because
 * another thread made progress; tries are bounded.
 */
static uint32_t subbuf_claim(const struct pool *pool, uint32_t buffer, uint64_t seen, uint64_t *ret_state)
{
	const struct range range = range_of(pool, buffer);

	for (unsigned int turn = 0; turn < SUBBUF_TRIES; turn++) {
		struct found found = find_own(pool, &range, buffer);
		enum subbuf_kind kind;

		if (found.subbuf == SUBBUF_NONE)
			found = find_any(pool, &range, buffer, seen);
		kind = subbuf_state_kind(found.state);
		if (found.subbuf == SUBBUF_NONE ||
			(kind == SUBBUF_CLOSED && pool->policy != POSIX_TRACE_LOOP))
			return SUBBUF_NONE;
		if (kind == SUBBUF_CLOSED)
			announce_overwriting(pool, found.subbuf, found.state);
		if (kind != SUBBUF_TAKEN && !subbuf_take(pool, found.subbuf, buffer, &found.state))
			continue;
		own_advance(pool, buffer, found.subbuf);
		if (kind == SUBBUF_FREE) {
			count_used(range.ring);
			atomic_store_explicit(
				&range.ring->hint, found.subbuf + 1 - range.first, memory_order_relaxed);
		}
		subbuf_clear(pool, found.subbuf, found.state);
		*ret_state = found.state;
		return found.subbuf;
	}
	return SUBBUF_NONE;
}

/*
 * Opens a sub-buffer in place of a CPU buffer's old one. A restartable sequence may fail: another thread was
 * faster, or it was interrupted. The release store of the cursor pairs with merge.c, subbuf_end(), which then
 * sees `used` and `last`.
 */
static void cpu_buffer_exchange(const struct pool *pool, uint32_t buffer, uint64_t seen, uint32_t next,
	uint64_t next_state, void *rseq)
{
	uint32_t old = subbuf_of(pool, seen);
	struct subbuf_exchange exchange = {
		.buffer = &pool->buffers[buffer],
		.number = buffer,
		.seen = seen,
		.cursor = (uint64_t)next << pool->geometry.subbuf_shift,
		.old = &pool->subbufs
				/* the entry behind the last one is for a CPU buffer without a sub-buffer */
				[old],
		.next = &pool->subbufs[next],
		.next_state = next_state,
	};
	uint64_t state = atomic_load_explicit(&exchange.old->state, memory_order_acquire);

	exchange.old_state = state;
	exchange.next_used = atomic_load_explicit(&exchange.next->used, memory_order_relaxed);
	exchange.old_used = subbuf_mark(
		subbuf_state_generation(state), seen >> CURSOR_OFFSET_BITS, (uint32_t)seen & pool->mask);
	exchange.old_last = clock_ticks((enum log_clock)pool->clock);
#if RSEQ_IS_HERE
	if (rseq) {
		if (subbuf_mark_is_of(exchange.next_used, subbuf_state_generation(next_state)) ||
			rseq_exchange(&exchange, rseq) != RSEQ_DONE)
			return;
	} else
#endif
	{
		(void)rseq;
		atomic_store_explicit(&exchange.old->used, exchange.old_used, memory_order_relaxed);
		atomic_store_explicit(&exchange.old->last, exchange.old_last, memory_order_relaxed);
		atomic_store_explicit(&exchange.buffer->cursor, exchange.cursor, memory_order_release);
	}
	if (old == pool->geometry.n_subbufs)
		return;
	atomic_store_explicit(&exchange.old->next, next, memory_order_relaxed);
	subbuf_close(pool, old, state);
}

bool cpu_buffer_extend(const struct pool *pool, uint32_t buffer, uint64_t seen, void *rseq)
{
	uint32_t old = subbuf_of(pool, seen);
	uint32_t next;
	uint64_t state;

	if (old > pool->geometry.n_subbufs) /* such a cursor was not written by this code */
		return false;
	lines_fetch(range_of(pool, buffer).ring, LINE_BYTES);
	lines_fetch(&pool->subbufs[old], LINE_BYTES);
	next = subbuf_claim(pool, buffer, seen, &state);
	if (next == SUBBUF_NONE) {
		/* XSH 2.11.2.1, POSIX_TRACE_UNTIL_FULL */
		if (pool->policy != POSIX_TRACE_LOOP)
			pool_stop(pool);
		return false;
	}
	cpu_buffer_exchange(pool, buffer, seen, next, state, rseq);
	return true;
}
