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
	bool has_held;		 /* the merge's event has been taken, and not delivered */
	bool has_current;	 /* an event has been delivered, and not taken */
	struct log_event current;
	const void *data;   /* of the current event */
	uint32_t n_pending; /* events made here, to be delivered before the held one */
	struct log_event pending[2];
	bool stop_reported;  /* the STOP of the present automatic stop was delivered */
	uint64_t stopped_at; /* automatically, and all events before it were delivered; else 0 */
	uint64_t gap_from;   /* the last automatic stop, */
	uint64_t gap_to;     /* and restart: events stamped in between came too late */
	uint64_t n_given;    /* events of the pool */
	uint64_t sequence;
	uint64_t run;	 /* number of the merge's run that was looked at last; */
	uint64_t stop;	 /* then: the automatic stop of the stream; UINT64_MAX: it runs */
	bool is_gap_due; /* since events may have been lost: with a new run, or when one was dropped */
	uint64_t lost;	 /* before the held event */
	struct reader_ring {
		uint64_t last_given;	   /* ticks */
		uint64_t through;	   /* lost_through when the run was taken */
		uint64_t through_reported; /* lost_through at the last OVERFLOW */
		uint64_t lost_before; /* snapshot: events overwritten when it began, and not reported yet */
	} rings[N_POOL_RINGS];
	uint64_t
		/* ticks of the first event dropped since the last OVERFLOW; 0 if no event was */
		first_dropped;
	uint64_t others_reported;
	uint64_t lost_stopped; /* UNTIL_FULL, FLUSH: events lost when the stream was restarted last */
	uint64_t
		/* snapshot: other events lost when it began, and overwritten ones that were reported */
		lost_before;
};

size_t pool_reader_bytes(const struct pool *pool)
{
	return sizeof(struct pool_reader) + merge_bytes(pool);
}

/* The lost events of a ring were in front of its oldest event, which may be later than events of the other
 * ring. */
static void lost_look(struct pool_reader *reader)
{
	reader->lost_before = pool_lost(reader->pool);
	for (unsigned int ring = 0; ring < N_POOL_RINGS; ring++) {
		const uint64_t n = atomic_load(&reader->pool->shared->rings[ring].n_overwritten);

		reader->rings[ring].lost_before = n < reader->lost_before ? n : reader->lost_before;
		reader->lost_before -= reader->rings[ring].lost_before;
	}
}

static void lost_report(struct pool_reader *reader)
{
	struct reader_ring *ring = &reader->rings[reader->merge.ring];

	reader->lost_before += ring->lost_before;
	ring->lost_before = 0;
}

struct pool_reader *pool_reader_begin(void *memory, const struct pool *pool, bool consume, uint32_t run_max)
{
	struct pool_reader *reader = memory;

	memset(memory, 0, pool_reader_bytes(pool));
	merge_begin(&reader->merge, pool, consume, run_max, reader + 1);
	reader->pool = &reader->merge.pool;
	reader->is_gap_due = true;
	reader->stop = UINT64_MAX;
	if (!consume)
		lost_look(reader);
	return reader;
}

/* Losses, and events outside the run. */

/* A snapshot counts losses before it and within it, not what is overwritten after it. */
static uint64_t lost_so_far(const struct pool_reader *reader)
{
	if (!reader->merge.consume)
		return reader->lost_before + reader->merge.n_lost;
	return reader->pool->policy == POSIX_TRACE_LOOP ? pool_lost(reader->pool) : reader->lost_stopped;
}

/* The acquire loads pair with the stores of state and stop_ticks in pool_state.c. */
static void stop_meet(struct pool_reader *reader)
{
	const struct pool_shared *shared = reader->pool->shared;
	const uint64_t stop = atomic_load_explicit(&shared->stop_ticks, memory_order_acquire);

	reader->stop = UINT64_MAX;
	if (pool_is_stop(stop) && atomic_load_explicit(&shared->state, memory_order_acquire) == POOL_FULL)
		reader->stop = stop;
}

/*
 * For a new run of the merge: what its events are compared with. lost_through is loaded once for each run,
 * because what is overwritten later is later than it. The acquire load pairs with value_raise() in subbuf.c.
 */
static void run_meet(struct pool_reader *reader)
{
	const enum pool_ring_number ring = reader->merge.ring;

	reader->run = reader->merge.n_runs;
	reader->is_gap_due = true;
	if (reader->pool->policy == POSIX_TRACE_LOOP)
		reader->rings[ring].through = atomic_load_explicit(
			&reader->pool->shared->rings[ring].lost_through, memory_order_acquire);
	else
		stop_meet(reader);
}

/* Whether an event is outside the events without holes that a reader may see (XSH 2.11.2.1). */
static bool is_outside(const struct pool_reader *reader, uint64_t ticks)
{
	if (reader->pool->policy == POSIX_TRACE_LOOP)
		return ticks <= reader->rings[reader->merge.ring].through;
	return (ticks > reader->gap_from && ticks <= reader->gap_to) || ticks > reader->stop;
}

/* Takes the oldest event that a reader may see and holds it. Returns false if there is no such event now. */
static bool reader_fetch(struct pool_reader *reader)
{
	bool has_looked = false;

	while (merge_next(&reader->merge, &has_looked)) {
		if (reader->run != reader->merge.n_runs)
			run_meet(reader);
		if (!is_outside(reader, reader->merge.event.ticks))
			return true;
		merge_drop(&reader->merge);
		reader->is_gap_due = true;
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

/* Events that found no room in a LOOP stream, and events outside the run. */
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
 * Adds OVERFLOW and RESUME in front of the first event after a loss (section 5); a stream that stops when it
 * is full has STOP and START instead. Events overwritten up to the last delivered one had been read. The
 * exchange of first_lost pairs with count_overwritten() in subbuf.c: each loss is reported once.
 */
static void report_gap(struct pool_reader *reader)
{
	struct pool_ring *shared = &reader->pool->shared->rings[reader->merge.ring];
	struct reader_ring *ring = &reader->rings[reader->merge.ring];
	uint64_t others = count_other_losses(reader);
	bool is_gap = (ring->through > ring->through_reported && ring->through > ring->last_given) ||
		      others != reader->others_reported;
	uint64_t first;

	ring->through_reported = ring->through;
	reader->others_reported = others;
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
 * When the stream stopped. The writer that stopped it stores the time just afterwards; it is waited for, but
 * not for ever: it may be dead or asleep. Then a consuming reader stores the time.
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
 * Takes the oldest event. If there is no event, and the stream has stopped itself, all events before the stop
 * have been delivered. If this thread slept, the stream may have filled up and stopped since the last look:
 * then it looks again.
 */
static bool reader_fetch_all(struct pool_reader *reader)
{
	if (reader_fetch(reader))
		return true;
	if (reader->pool->policy == POSIX_TRACE_LOOP || reader->stop_reported ||
		atomic_load(&reader->pool->shared->state) != POOL_FULL)
		return false;
	uint64_t stop = stop_time(reader);
	if (stop >= reader->merge.horizon && reader_fetch(reader))
		return true;
	reader->stopped_at = stop;
	return false;
}

/* An automatic stop is reported when everything before it has been delivered. */
static bool report_stop(struct pool_reader *reader)
{
	static const int is_automatic = 1;

	if (reader->stopped_at == 0 || reader->stop_reported)
		return false;
	reader->stop_reported = true;
	if (!is_wanted(reader, POSIX_TRACE_STOP))
		return false;
	reader->current = made_event(POSIX_TRACE_STOP, reader->stopped_at);
	reader->current.length = sizeof is_automatic;
	reader->data = &is_automatic;
	return true;
}

/* Everything was delivered: the stream runs again, with START before its next event (section 6.1). */
static void stream_restart(struct pool_reader *reader)
{
	struct pool_shared *shared = reader->pool->shared;
	struct log_event start = made_event(POSIX_TRACE_START, 0);
	uint64_t filter[POOL_FILTER_WORDS];

	if (!reader->merge.consume || !reader->stop_reported || atomic_load(&shared->state) != POOL_FULL)
		return;
	reader->stop_reported = false;
	for (uint32_t i = 0; i < POOL_FILTER_WORDS; i++)
		filter[i] = atomic_load_explicit(&shared->filter[i], memory_order_relaxed);
	start.length = sizeof filter;
	/* Events lost until now are later than all that were delivered. */
	reader->lost_stopped = pool_lost(reader->pool);
	reader->gap_from = reader->stopped_at;
	reader->gap_to = clock_ticks((enum log_clock)reader->pool->clock);
	reader->is_gap_due = true;
	if (is_wanted(reader, POSIX_TRACE_START))
		pool_put(reader->pool, &start, filter);
	reader->stopped_at = 0;
	atomic_store(&shared->is_full, POSIX_TRACE_NOT_FULL);
	pool_change(reader->pool, POOL_FULL, POOL_RUNNING);
}

/* For an event that was taken: its number, and what must be delivered in front of it. */
static void held_meet(struct pool_reader *reader)
{
	reader->has_held = true;
	if (reader->is_gap_due) {
		lost_report(reader);
		reader->lost = lost_so_far(reader);
		report_gap(reader);
		reader->is_gap_due = false;
	}
	reader->sequence = reader->n_given + reader->lost;
	reader->rings[reader->merge.ring].last_given = reader->merge.event.ticks;
}

bool pool_reader_peek(struct pool_reader *reader, const struct log_event **ret_event, const void **ret_data)
{
	if (!reader->has_current) {
		if (!reader->has_held && reader_fetch_all(reader))
			held_meet(reader);
		if (reader->n_pending > 0) {
			reader->current = reader->pending[--reader->n_pending];
		} else if (reader->has_held) {
			reader->current = reader->merge.event;
			reader->data = reader->merge.data;
			reader->has_held = false;
			reader->n_given++;
		} else if (!report_stop(reader)) {
			stream_restart(reader);
			return false;
		}
		reader->has_current = true;
	}
	*ret_event = &reader->current;
	*ret_data = reader->data;
	return true;
}

/* A reader took events of a LOOP stream, so it has room. */
static void has_room_now(const struct pool_reader *reader)
{
	if (reader->merge.consume && reader->pool->policy == POSIX_TRACE_LOOP)
		atomic_store_explicit(
			&reader->pool->shared->is_full, POSIX_TRACE_NOT_FULL, memory_order_relaxed);
}

void pool_reader_take(struct pool_reader *reader)
{
	if (!reader->has_current)
		return;
	reader->has_current = false;
	if (reader->stop_reported)
		stream_restart(reader);
	else
		has_room_now(reader);
}

/* Returns the ticks at which a run must end; pool_reader_peek() handles the events from there on. */
static uint64_t run_until(const struct pool_reader *reader)
{
	const bool is_before_gap = reader->rings[reader->merge.ring].last_given <= reader->gap_to;

	return is_before_gap && reader->gap_from < reader->stop ? reader->gap_from : reader->stop;
}

bool pool_reader_run(struct pool_reader *reader, struct pool_run *ret_run)
{
	struct merge *merge = &reader->merge;
	uint64_t until;

	if (reader->has_current || reader->has_held || reader->is_gap_due || reader->run != merge->n_runs ||
		!merge_run(merge, &ret_run->events))
		return false;
	if (merge->n_run == 0)
		stop_meet(reader);
	until = run_until(reader);
	if (until < ret_run->events.until)
		ret_run->events.until = until;
	ret_run->first_sequence = reader->n_given + reader->lost;
	return true;
}

void pool_reader_pass(struct pool_reader *reader, uint32_t n_events, uint32_t n_bytes, uint64_t last_ticks)
{
	if (n_events == 0)
		return;
	merge_pass(&reader->merge, n_events, n_bytes);
	reader->n_given += n_events;
	reader->sequence = reader->n_given - 1 + reader->lost;
	reader->rings[reader->merge.ring].last_given = last_ticks;
	has_room_now(reader);
}

void pool_reader_discard(struct pool_reader *reader)
{
	struct pool_shared *shared = reader->pool->shared;

	reader->has_current = reader->has_held = false;
	reader->n_pending = 0;
	/*
	 * Twice: a CPU buffer may fill a sub-buffer after the look, and another one an older sub-buffer
	 * before.
	 */
	for (unsigned int turn = 0; turn < 2; turn++)
		merge_discard(&reader->merge);
	for (unsigned int ring = 0; ring < N_POOL_RINGS; ring++) {
		atomic_store(&shared->rings[ring].first_lost, 0);
		reader->rings[ring].through_reported = atomic_load(&shared->rings[ring].lost_through);
	}
	reader->others_reported = count_other_losses(reader);
	reader->lost_stopped = pool_lost(reader->pool);
	reader->stop_reported = false;
	reader->stopped_at = 0;
	reader->first_dropped = 0;
	reader->is_gap_due = true;
}

bool pool_reader_has_stopped(const struct pool_reader *reader)
{
	return reader->stop_reported;
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
