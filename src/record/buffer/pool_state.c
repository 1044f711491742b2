/* SPDX-License-Identifier: MIT */
/*
 * State and filter of a pool, which trace points test as one: disabled_types. Controller, reader and trace
 * points change them, in several processes and without a lock. Where no order is named, operations are
 * sequentially consistent: none of this runs for an event that finds room.
 */
#include "record/buffer/pool.h"
#include "record/kernel/clock.h"
#include "record/rendezvous/directory.h"
#include "record/rendezvous/permit.h"
#include <string.h>
#include <unistd.h>

/*
 * More often than state and filter change by honest use: a process that changes them for ever holds up no
 * other.
 */
#define UPDATE_TURNS 64u

/*
 * Each of two threads that change state or filter at once reads both afterwards. The slower one finds that
 * the state has changed and repeats, so that disabled_types agrees with the last state. The bits are relaxed:
 * trace points need no order with the state, only to see a change soon; is_recorded() in posix/event.c loads
 * the state itself.
 */
static void pool_update_disabled(const struct pool *pool)
{
	struct pool_shared *shared = pool->shared;
	uint32_t state, turn = 0;

	do {
		state = atomic_load(&shared->state);
		for (unsigned int i = 0; i < POOL_FILTER_WORDS; i++)
			atomic_store_explicit(&shared->disabled_types[i],
				state == POOL_RUNNING
					? atomic_load_explicit(&shared->filter[i], memory_order_relaxed)
					: UINT64_MAX,
				memory_order_relaxed);
	} while (atomic_load(&shared->state) != state && ++turn < UPDATE_TURNS);
}

bool pool_change(const struct pool *pool, enum pool_state from, enum pool_state to)
{
	uint32_t expected = from;

	if (from == POOL_FULL) /* only the reader and the controller leave this state, one at a time */
		atomic_store(&pool->shared->stop_ticks,
			POOL_NOT_STOPPED | clock_ticks((enum log_clock)pool->clock));
	if (!atomic_compare_exchange_strong(&pool->shared->state, &expected, to))
		return false;
	pool_update_disabled(pool);
	return true;
}

bool pool_set_stop(const struct pool *pool, uint64_t before, uint64_t ticks)
{
	return atomic_compare_exchange_strong(&pool->shared->stop_ticks, &before, ticks);
}

/*
 * If the thread is descheduled before it stores the stop time, the reader stores it instead (read.c,
 * stop_time()).
 */
void pool_stop(const struct pool *pool)
{
	struct pool_shared *shared = pool->shared;
	uint64_t before = atomic_load(&shared->stop_ticks);

	if (!pool_change(pool, POOL_RUNNING, POOL_FULL))
		return;
	atomic_store(&shared->is_full, POSIX_TRACE_FULL);
	if (!pool_set_stop(pool, before, clock_ticks((enum log_clock)pool->clock)) &&
		atomic_load(&shared->state) == POOL_RUNNING)
		atomic_store(&shared->is_full, POSIX_TRACE_NOT_FULL);
}

enum pool_state pool_end_state(uint32_t target)
{
	return permit_is_confined(target) ? POOL_SUSPENDED : POOL_GONE;
}

void pool_end(const struct pool *pool, uint32_t target)
{
	atomic_store(&pool->shared->state, pool_end_state(target));
	pool_update_disabled(pool);
}

void pool_set_filter(const struct pool *pool, const uint64_t words[POOL_FILTER_WORDS])
{
	for (unsigned int i = 0; i < POOL_FILTER_WORDS; i++)
		atomic_store_explicit(&pool->shared->filter[i], words[i], memory_order_relaxed);
	pool_update_disabled(pool);
}

/*
 * Counters are relaxed: each is only added to, and a sum that lacks the newest losses is as good as one taken
 * before them.
 */
uint64_t pool_ring_lost(const struct pool *pool, enum pool_ring_number ring)
{
	const uint32_t n_rare = pool->rare ? pool->n_shared : 0;
	const uint32_t end = pool->geometry.n_buffers, middle = end - n_rare;
	uint64_t n = atomic_load(&pool->shared->rings[ring].n_overwritten);

	for (uint32_t i = ring == POOL_RARE ? middle : 0; i < (ring == POOL_RARE ? end : middle); i++)
		n += atomic_load_explicit(&pool->buffers[i].n_lost, memory_order_relaxed);
	return n;
}

uint64_t pool_lost(const struct pool *pool)
{
	return atomic_load(&pool->shared->n_dropped) + pool_ring_lost(pool, POOL_COMMON) +
	       pool_ring_lost(pool, POOL_RARE);
}
