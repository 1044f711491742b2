/* SPDX-License-Identifier: MIT */
#include "record/buffer/read.h"
#include "record/buffer/merge.h"
#include "record/kernel/clock.h"
#include <sched.h>
#include <string.h>

#define READER_STOP_TURNS 10000

struct pool_reader {
	struct merge merge;
	const struct pool *pool; /* the merge's */
	bool has_held;		 /* the merge's event has been taken, and not given */
	bool has_current;	 /* an event has been given, and not taken */
	struct log_event current;
	uint32_t n_pending; /* events made here that come before the held one */
	struct log_event pending[2];
	bool stop_told;	     /* the STOP of the present automatic stop was given */
	uint64_t stopped_at; /* by itself, and all before it has been given; else 0 */
	uint64_t gap_from;   /* the last automatic stop, */
	uint64_t gap_to;     /* and restart: what is stamped between came too late */
	uint64_t n_given;    /* real events */
	uint64_t sequence;
	uint64_t last_given;	/* ticks */
	uint64_t through;	/* lost_through when the held event was taken */
	uint64_t through_told;	/* losses that OVERFLOW has told */
	uint64_t first_dropped; /* ticks of the first event that was dropped since then; 0: none was */
	uint64_t others_told;
	uint64_t
		lost_stopped; /* of a stream that stops when it is full: events lost when it ran again last */
	uint64_t lost_before; /* of a snapshot: events lost when it began */
};

size_t pool_reader_bytes(const struct pool *pool)
{
	return sizeof(struct pool_reader) + merge_bytes(pool);
}

struct pool_reader *pool_reader_begin(void *memory, const struct pool *pool, bool consume)
{
	struct pool_reader *reader = memory;

	memset(memory, 0, pool_reader_bytes(pool));
	merge_begin(&reader->merge, pool, consume, reader + 1);
	reader->pool = &reader->merge.pool;
	if (!consume)
		reader->lost_before = pool_lost(pool);
	return reader;
}

/* What is lost, and what does not belong to the run. */

/* A snapshot counts only what was lost before it and in it: what is overwritten behind it is not its loss. */
static uint64_t lost_so_far(const struct pool_reader *reader)
{
	if (!reader->merge.consume)
		return reader->lost_before + reader->merge.n_lost;
	return reader->pool->policy == POSIX_TRACE_LOOP ? pool_lost(reader->pool) : reader->lost_stopped;
}

/*
 * What no longer belongs to the run of events that a reader may see: XSH 2.11.2.1 wants it without holes. How far events
 * may have been overwritten is looked at once for each event: what is overwritten later lies behind it.
 */
static bool is_outside_run(struct pool_reader *reader, uint64_t ticks)
{
	const struct pool_shared *shared = reader->pool->shared;

	if (reader->pool->policy == POSIX_TRACE_LOOP) {
		reader->through = atomic_load_explicit(&shared->lost_through, memory_order_acquire);
		return ticks <= reader->through;
	}
	uint64_t stop = atomic_load_explicit(&shared->stop_ticks, memory_order_acquire);
	if (ticks > reader->gap_from && ticks <= reader->gap_to)
		return true;
	return pool_is_stop(stop) && ticks > stop &&
	       atomic_load_explicit(&shared->state, memory_order_acquire) == POOL_FULL;
}

/* The oldest event of the run, which is held then; false when there is none now. */
static bool reader_fetch(struct pool_reader *reader)
{
	bool has_looked = false;

	while (merge_next(&reader->merge, &has_looked)) {
		if (!is_outside_run(reader, reader->merge.event.ticks))
			return true;
		merge_drop(&reader->merge);
		if (reader->first_dropped == 0)
			reader->first_dropped = reader->merge.event.ticks;
	}
	return false;
}

/* Events that are made here. */

static struct log_event made_event(uint32_t type, uint64_t ticks)
{
	return (struct log_event){ .type = (uint16_t)type, .cpu = LOG_NO_CPU, .ticks = ticks };
}

static bool is_wanted(const struct pool_reader *reader, uint32_t type)
{
	return pool_wants(reader->pool, type);
}

/* Events that found no room although the stream overwrites, and those that did not belong to the run. */
static uint64_t count_other_losses(const struct pool_reader *reader)
{
	uint64_t n = atomic_load(&reader->pool->shared->n_dropped);

	if (!reader->merge.consume)
		return reader->merge.n_lost;
	for (uint32_t i = 0; i < reader->pool->geometry.n_buffers; i++)
		n += atomic_load_explicit(&reader->pool->buffers[i].n_lost, memory_order_relaxed);
	return n;
}

/*
 * OVERFLOW and RESUME in front of the first event after a loss (section 5). A stream that stops when it is full tells its
 * losses by STOP and START. What was overwritten up to the event given last had been read.
 */
static void tell_gap(struct pool_reader *reader)
{
	struct pool_shared *shared = reader->pool->shared;
	uint64_t others = count_other_losses(reader);
	bool is_gap = (reader->through > reader->through_told && reader->through > reader->last_given) ||
		      others != reader->others_told;
	uint64_t first;

	reader->through_told = reader->through;
	reader->others_told = others;
	reader->last_given = reader->merge.event.ticks;
	if (reader->pool->policy != POSIX_TRACE_LOOP || !is_gap)
		return;
	first = reader->merge.consume ? atomic_exchange(&shared->first_lost, 0)
				      : atomic_load(&shared->first_lost);
	if (first == 0 || first > reader->merge.event.ticks)
		first = reader->merge.event.ticks;
	if (reader->first_dropped != 0 && reader->first_dropped < first)
		first = reader->first_dropped;
	reader->first_dropped = 0;
	if (is_wanted(reader, POSIX_TRACE_RESUME))
		reader->pending[reader->n_pending++] =
			made_event(POSIX_TRACE_RESUME, reader->merge.event.ticks);
	if (is_wanted(reader, POSIX_TRACE_OVERFLOW))
		reader->pending[reader->n_pending++] = made_event(POSIX_TRACE_OVERFLOW, first);
}

/*
 * When the stream stopped. Who stopped it says so just afterwards, and is waited for, but not for ever: it may have died,
 * or sleep. Then a reader that consumes says it.
 */
static uint64_t stop_time(const struct pool_reader *reader)
{
	const _Atomic uint64_t *stop_ticks = &reader->pool->shared->stop_ticks;
	uint64_t stop = atomic_load(stop_ticks), now;

	for (unsigned int turn = 0; turn < READER_STOP_TURNS && !pool_is_stop(stop); turn++) {
		sched_yield();
		stop = atomic_load(stop_ticks);
	}
	if (pool_is_stop(stop))
		return stop;
	now = clock_ticks((enum log_clock)reader->pool->clock);
	if (!reader->merge.consume || pool_set_stop(reader->pool, stop, now))
		return now;
	stop = atomic_load(stop_ticks);
	return pool_is_stop(stop) ? stop : now;
}

/*
 * The oldest event, when there is none now: of a stream that stopped itself, all that came before the stop has been given.
 * It may have stopped, and filled up before, since the sub-buffers were looked at (this thread may have slept): then they
 * are looked at again.
 */
static bool reader_fetch_all(struct pool_reader *reader)
{
	if (reader_fetch(reader))
		return true;
	if (reader->pool->policy == POSIX_TRACE_LOOP || reader->stop_told ||
		atomic_load(&reader->pool->shared->state) != POOL_FULL)
		return false;
	uint64_t stop = stop_time(reader);
	if (stop >= reader->merge.horizon && reader_fetch(reader))
		return true;
	reader->stopped_at = stop;
	return false;
}

/* An automatic stop is told when everything before it has been given. */
static bool tell_stop(struct pool_reader *reader)
{
	const int is_automatic = 1;

	if (reader->stopped_at == 0 || reader->stop_told)
		return false;
	reader->stop_told = true;
	if (!is_wanted(reader, POSIX_TRACE_STOP))
		return false;
	reader->current = made_event(POSIX_TRACE_STOP, reader->stopped_at);
	reader->current.length = sizeof is_automatic;
	memcpy(reader->merge.data, &is_automatic, sizeof is_automatic);
	return true;
}

/* Everything was given: the stream runs again, and says so before its next event (section 6.1). */
static void restart(struct pool_reader *reader)
{
	struct pool_shared *shared = reader->pool->shared;
	struct log_event start = made_event(POSIX_TRACE_START, 0);
	uint64_t filter[POOL_FILTER_WORDS];

	if (!reader->merge.consume || !reader->stop_told || atomic_load(&shared->state) != POOL_FULL)
		return;
	reader->stop_told = false;
	for (uint32_t i = 0; i < POOL_FILTER_WORDS; i++)
		filter[i] = atomic_load_explicit(&shared->filter[i], memory_order_relaxed);
	start.length = sizeof filter;
	/* What was lost came behind all that has been given. */
	reader->lost_stopped = pool_lost(reader->pool);
	reader->gap_from = reader->stopped_at;
	reader->gap_to = clock_ticks((enum log_clock)reader->pool->clock);
	if (is_wanted(reader, POSIX_TRACE_START))
		pool_put(reader->pool, &start, filter);
	reader->stopped_at = 0;
	atomic_store(&shared->is_full, POSIX_TRACE_NOT_FULL);
	pool_change(reader->pool, POOL_FULL, POOL_RUNNING);
}

bool pool_reader_peek(struct pool_reader *reader, const struct log_event **ret_event, const void **ret_data)
{
	if (!reader->has_current) {
		if (!reader->has_held && reader_fetch_all(reader)) {
			reader->has_held = true;
			reader->sequence = reader->n_given + lost_so_far(reader);
			tell_gap(reader);
		}
		if (reader->n_pending > 0) {
			reader->current = reader->pending[--reader->n_pending];
		} else if (reader->has_held) {
			reader->current = reader->merge.event;
			reader->has_held = false;
			reader->n_given++;
		} else if (!tell_stop(reader)) {
			restart(reader);
			return false;
		}
		reader->has_current = true;
	}
	*ret_event = &reader->current;
	*ret_data = reader->merge.data;
	return true;
}

void pool_reader_take(struct pool_reader *reader)
{
	if (!reader->has_current)
		return;
	reader->has_current = false;
	if (reader->stop_told) {
		restart(reader);
	} else if (reader->merge.consume && reader->pool->policy == POSIX_TRACE_LOOP) {
		atomic_store_explicit(
			&reader->pool->shared->is_full, POSIX_TRACE_NOT_FULL, memory_order_relaxed);
	}
}

void pool_reader_discard(struct pool_reader *reader)
{
	struct pool_shared *shared = reader->pool->shared;

	reader->has_current = reader->has_held = false;
	reader->n_pending = 0;
	/* Twice: a sub-buffer that one CPU buffer fills while we look may be in front of what another has filled before. */
	for (unsigned int turn = 0; turn < 2; turn++)
		merge_discard(&reader->merge);
	atomic_store(&shared->first_lost, 0);
	reader->through_told = atomic_load(&shared->lost_through);
	reader->others_told = count_other_losses(reader);
	reader->lost_stopped = pool_lost(reader->pool);
	reader->stop_told = false;
	reader->stopped_at = 0;
	reader->first_dropped = 0;
}

bool pool_reader_was_stopped(const struct pool_reader *reader, uint64_t ticks)
{
	return (reader->stopped_at != 0 && ticks > reader->stopped_at) ||
	       (ticks > reader->gap_from && ticks <= reader->gap_to);
}

uint64_t pool_reader_behind(const struct pool_reader *reader)
{
	return reader->has_held ? reader->merge.event.ticks : reader->current.ticks;
}

uint64_t pool_reader_sequence(const struct pool_reader *reader)
{
	return reader->sequence;
}

size_t pool_reader_waiting(const struct pool_reader *reader)
{
	return merge_waiting(&reader->merge);
}
