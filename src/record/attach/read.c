/* SPDX-License-Identifier: MIT */
#include "record/attach/read.h"
#include "record/attach/block.h"
#include "record/attach/clock.h"
#include "record/attach/process.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

/* What the reader knows of a block: nothing that shared memory says later is believed beyond it. */
struct reader_block {
	uint64_t generation;
	uint64_t ticks; /* of the next event; never less than that of the one before */
	uint32_t at, end;
	uint32_t n_read, n_events; /* up to `end` */
	uint32_t slot;		   /* of the writer */
	uint64_t claimed;	   /* the generation that was about to be opened at the last look, */
	uint64_t claimed_at;	   /* and since when */
	uint64_t mark;		   /* ring_block's read, as it was last */
};

struct ring_reader {
	struct ring ring;
	bool consume;
	bool has_current;
	bool stop_told;	     /* the STOP of the present automatic stop was given */
	uint64_t stopped_at; /* by itself, and all before it has been given; else 0 */
	uint64_t gap_from,
		gap_to; /* the last automatic stop and restart: what is stamped between came too late */
	uint64_t
		horizon; /* all events stamped up to this had been published when the blocks were looked at */
	uint64_t n_given; /* real events */
	uint64_t
		lost_stopped; /* of a stream that stops when it is full: events lost when it ran again last */
	uint64_t through;     /* lost_through when the held event was taken */
	uint64_t through_told, others_told; /* losses that OVERFLOW has told */
	uint64_t last_given;		    /* ticks */
	uint64_t lost_before;		    /* a snapshot's: events lost when it began, */
	uint64_t lost_here; /* and what it could not read any more, or did not belong to the run */
	uint64_t sequence;
	uint32_t n_pending; /* events made here that come before `held` */
	struct log_event pending[2];
	bool has_held;
	struct log_event held;
	struct log_event current;
	int stop_data;
	uint32_t n_queue;
	uint32_t *queue; /* a heap of block numbers, the oldest next event on top */
	struct reader_block *blocks;
	uint32_t *owners; /* of the shared slots at the last look: who is still the same may be dead */
	_Alignas(8) unsigned char data[LOG_DATA_MAX + 8];
};

/* Grace for a writer between its stamp and its publishing, in ticks: far longer than those instructions take. */
#define READER_GRACE_TSC	 8192u
#define READER_GRACE_NANOSECONDS 2000u
/* A claim takes a microsecond; this is seconds by any clock. */
#define READER_CLAIM_TICKS	 (1ull << 33)
#define READER_STOP_TURNS	 10000

size_t ring_reader_bytes(const struct ring *ring)
{
	return sizeof(struct ring_reader) +
	       ring->geometry.n_blocks * (sizeof(struct reader_block) + sizeof(uint32_t)) +
	       ring->geometry.n_slots * sizeof(uint32_t);
}

struct ring_reader *ring_reader_begin(void *memory, const struct ring *ring, bool consume)
{
	struct ring_reader *reader = memory;

	memset(memory, 0, ring_reader_bytes(ring));
	reader->ring = *ring;
	reader->consume = consume;
	reader->blocks = (struct reader_block *)(void *)(reader + 1);
	reader->queue = (uint32_t *)(void *)(reader->blocks + ring->geometry.n_blocks);
	reader->owners = reader->queue + ring->geometry.n_blocks;
	if (!consume) {
		reader->lost_before = ring_lost(ring);
	}
	return reader;
}

/* The queue. */

static bool is_older(const struct ring_reader *reader, uint32_t a, uint32_t b)
{
	return reader->blocks[a].ticks < reader->blocks[b].ticks;
}

static void queue_sink(struct ring_reader *reader, uint32_t at)
{
	uint32_t *queue = reader->queue;
	uint32_t block = queue[at];

	for (uint32_t child; (child = 2 * at + 1) < reader->n_queue; at = child) {
		if (child + 1 < reader->n_queue && is_older(reader, queue[child + 1], queue[child]))
			child++;
		if (!is_older(reader, queue[child], block))
			break;
		queue[at] = queue[child];
	}
	queue[at] = block;
}

static void queue_add(struct ring_reader *reader, uint32_t block)
{
	uint32_t *queue = reader->queue;
	uint32_t at = reader->n_queue++;

	for (; at > 0 && is_older(reader, block, queue[(at - 1) / 2]); at = (at - 1) / 2)
		queue[at] = queue[(at - 1) / 2];
	queue[at] = block;
}

static void queue_drop_first(struct ring_reader *reader)
{
	reader->queue[0] = reader->queue[--reader->n_queue];
	if (reader->n_queue > 0)
		queue_sink(reader, 0);
}

/* Looking at blocks. */

static uint64_t area_word(const struct ring_reader *reader, uint32_t block, uint32_t at)
{
	const struct ring *ring = &reader->ring;

	return atomic_load_explicit(
		(_Atomic uint64_t *)(void *)(ring->area + ((uint64_t)block << ring->geometry.block_shift) +
					     at),
		memory_order_relaxed);
}

/* What a block's mark says, if it is of this generation. */
static uint64_t mark_end(uint64_t mark, uint64_t generation)
{
	return ring_mark_is_of(mark, generation)
		       ? (uint64_t)ring_mark_events(mark) << RING_PLACE_BITS | ring_mark_bytes(mark)
		       : 0;
}

/*
 * How far a block may be read, by its state and its slot's cursor: bytes, and above them events. *state is corrected when
 * a block that is marked open has been closed already and its writer did not come to say so (or died before it could).
 */
static uint64_t block_end(const struct ring_reader *reader, uint32_t block, uint64_t *state)
{
	const struct ring *ring = &reader->ring;
	const struct ring_block *control = &ring->blocks[block];
	uint64_t generation = ring_block_generation(*state);
	uint32_t slot = ring_block_slot(*state);
	uint64_t cursor, end;

	if (ring_block_kind(*state) == RING_BLOCK_CLOSED)
		return mark_end(atomic_load_explicit(&control->used, memory_order_acquire), generation);
	if (slot >= ring->geometry.n_slots)
		return 0;
	cursor = atomic_load_explicit(&ring->slots[slot].cursor, memory_order_acquire);
	if ((cursor & RING_PLACE_MASK) >> ring->geometry.block_shift == block)
		return cursor & ~(RING_PLACE_MASK & ~(uint64_t)ring->mask);
	end = mark_end(atomic_load_explicit(&control->used, memory_order_acquire), generation);
	if (end != 0 && reader->consume && block_close(ring, block, *state))
		*state = ring_block_make(generation, slot, RING_BLOCK_CLOSED);
	return end;
}

/* A block that stays claimed for seconds was claimed by somebody who died; it becomes free again. */
static void claimed_look(struct ring_reader *reader, uint32_t block, uint64_t state)
{
	struct reader_block *known = &reader->blocks[block];

	if (known->claimed != state) {
		known->claimed = state;
		known->claimed_at = reader->horizon;
	} else if (reader->horizon - known->claimed_at > READER_CLAIM_TICKS) {
		block_free(&reader->ring, block, state);
	}
}

static void block_look(struct ring_reader *reader, uint32_t block)
{
	struct reader_block *known = &reader->blocks[block];
	uint64_t state = atomic_load_explicit(&reader->ring.blocks[block].state, memory_order_acquire);
	enum ring_block_state kind = ring_block_kind(state);
	uint64_t mark, end, ticks;

	if (kind == RING_BLOCK_CLAIMED && reader->consume)
		claimed_look(reader, block, state);
	if (kind != RING_BLOCK_OPEN && kind != RING_BLOCK_CLOSED)
		return;
	if (known->generation != ring_block_generation(state)) {
		*known = (struct reader_block){ .generation = ring_block_generation(state),
			.slot = ring_block_slot(state),
			.claimed = known->claimed };
		mark = atomic_load_explicit(&reader->ring.blocks[block].read, memory_order_relaxed);
		known->mark = mark;
		if (ring_mark_is_of(mark, known->generation) && ring_mark_bytes(mark) <= reader->ring.mask) {
			known->at = ring_mark_bytes(mark) & ~7u;
			known->n_read = ring_mark_events(mark);
		}
	}
	end = block_end(reader, block, &state);
	known->end = (uint32_t)end & reader->ring.mask & ~7u;
	known->n_events = (uint32_t)(end >> RING_PLACE_BITS);
	if (known->at + sizeof(struct log_event) <= known->end) {
		ticks = area_word(reader, block, known->at + 8);
		known->ticks = ticks > known->ticks ? ticks : known->ticks;
		queue_add(reader, block);
	} else if (reader->consume && ring_block_kind(state) == RING_BLOCK_CLOSED) {
		block_free(&reader->ring, block, state);
	}
}

/* A shared slot whose owner has died goes back; a thread that is merely slow is left alone. */
static void owners_look(struct ring_reader *reader)
{
	const struct ring *ring = &reader->ring;

	for (uint32_t i = ring->geometry.n_cpu_slots; i < ring->geometry.n_slots; i++) {
		uint32_t owner = atomic_load_explicit(&ring->slots[i].owner, memory_order_relaxed);

		if (owner != 0 && owner == reader->owners[i] && kill((pid_t)owner, 0) < 0 && errno == ESRCH)
			atomic_compare_exchange_strong(&ring->slots[i].owner, &owner, 0);
		reader->owners[i] = owner;
	}
}

/* Looks at all blocks anew, when what was seen has been read. */
static void reader_look(struct ring_reader *reader)
{
	enum log_clock clock = (enum log_clock)reader->ring.clock;
	uint64_t grace = clock == LOG_CLOCK_TSC ? READER_GRACE_TSC : READER_GRACE_NANOSECONDS;

	reader->horizon = clock_ticks(clock);
	while (clock_ticks(clock) - reader->horizon < grace)
		;
	reader->n_queue = 0;
	if (reader->consume)
		owners_look(reader);
	for (uint32_t block = 0; block < reader->ring.geometry.n_blocks; block++)
		block_look(reader, block);
}

/* Taking events out. */

/* Whether the block is still what it was when the bytes were copied. */
static bool block_is_same(const struct ring_reader *reader, uint32_t block)
{
	uint64_t state;

#ifndef __SANITIZE_THREAD__
	atomic_thread_fence(memory_order_acquire);
#endif
	state = atomic_load_explicit(&reader->ring.blocks[block].state, memory_order_acquire);
	return ring_block_generation(state) == reader->blocks[block].generation &&
	       (ring_block_kind(state) == RING_BLOCK_OPEN || ring_block_kind(state) == RING_BLOCK_CLOSED);
}

/* Copies the event at a block's place to ret_event and reader->data. 0: there is nothing sensible; else its bytes. */
static uint32_t event_copy(struct ring_reader *reader, uint32_t block, struct log_event *ret_event)
{
	const struct reader_block *known = &reader->blocks[block];
	uint64_t words[sizeof *ret_event / 8];
	uint64_t bytes;

	for (uint32_t i = 0; i < sizeof words / 8; i++)
		words[i] = area_word(reader, block, known->at + 8 * i);
	memcpy(ret_event, words, sizeof words);
	bytes = log_event_bytes(ret_event->length);
	if (ret_event->length > LOG_DATA_MAX || bytes > known->end - known->at)
		return 0;
	for (uint32_t i = sizeof words; i < bytes; i += 8) {
		uint64_t word = area_word(reader, block, known->at + i);
		memcpy(reader->data + (i - sizeof words), &word, 8);
	}
	return (uint32_t)bytes;
}

/* Gives a block back when all of it has been read: its writer may have gone on, and closed it, since we looked. */
static void block_done(struct ring_reader *reader, uint32_t block)
{
	const struct ring_block *control = &reader->ring.blocks[block];
	uint64_t state = atomic_load_explicit(&control->state, memory_order_acquire);
	uint64_t used = atomic_load_explicit(&control->used, memory_order_acquire);

	if (reader->consume && ring_block_kind(state) == RING_BLOCK_CLOSED &&
		ring_block_generation(state) == reader->blocks[block].generation &&
		(!ring_mark_is_of(used, ring_block_generation(state)) ||
			(ring_mark_bytes(used) & ~7u) <= reader->blocks[block].at))
		block_free(&reader->ring, block, state);
}

/*
 * A consumer's: makes the next event of a block its own. False: whoever overwrote the block was faster, and has counted
 * the event as lost (block.c, block_overwrite()).
 */
static bool event_claim(struct ring_reader *reader, uint32_t block, uint32_t bytes)
{
	struct reader_block *known = &reader->blocks[block];
	uint64_t mark = ring_mark(known->generation, known->n_read + 1, known->at + bytes);

	if (!reader->consume)
		return true;
	if (!atomic_compare_exchange_strong(&reader->ring.blocks[block].read, &known->mark, mark))
		return false;
	known->mark = mark;
	return true;
}

/* Goes on behind an event of the first block of the queue. */
static void queue_advance(struct ring_reader *reader, uint32_t bytes)
{
	uint32_t block = reader->queue[0];
	struct reader_block *known = &reader->blocks[block];
	uint64_t ticks;

	known->at += bytes;
	known->n_read++;
	if (known->at + sizeof(struct log_event) > known->end) {
		queue_drop_first(reader);
		block_done(reader, block);
		return;
	}
	ticks = area_word(reader, block, known->at + 8);
	known->ticks = ticks > known->ticks ? ticks : known->ticks;
	queue_sink(reader, 0);
}

static void count_dropped(struct ring_reader *reader, uint64_t n_events)
{
	if (reader->consume)
		atomic_fetch_add_explicit(&reader->ring.shared->n_dropped, n_events, memory_order_relaxed);
	else
		reader->lost_here += n_events;
}

/* A snapshot counts only what was lost before it and in it: what is overwritten behind it is not its loss. */
static uint64_t lost_so_far(const struct ring_reader *reader)
{
	if (!reader->consume)
		return reader->lost_before + reader->lost_here;
	return reader->ring.policy == POSIX_TRACE_LOOP ? ring_lost(&reader->ring) : reader->lost_stopped;
}

/* The first block of the queue was overwritten while it was read. A consumer's loss was counted by who did it. */
static void block_gone(struct ring_reader *reader)
{
	const struct reader_block *known = &reader->blocks[reader->queue[0]];
	uint64_t n_events = known->n_events > known->n_read ? known->n_events - known->n_read : 0;

	if (!reader->consume)
		reader->lost_here += n_events;
	queue_drop_first(reader);
}

/*
 * What no longer belongs to the run of events that a reader may see: XSH 2.11.2.1 wants it without holes. How far events
 * may have been overwritten is looked at once for each event: what is overwritten later lies behind it.
 */
static bool is_outside_run(struct ring_reader *reader, uint64_t ticks)
{
	const struct ring_shared *shared = reader->ring.shared;

	if (reader->ring.policy == POSIX_TRACE_LOOP) {
		reader->through = atomic_load_explicit(&shared->lost_through, memory_order_acquire);
		return ticks <= reader->through;
	}
	uint64_t stop = atomic_load_explicit(&shared->stop_ticks, memory_order_acquire);
	if (ticks > reader->gap_from && ticks <= reader->gap_to)
		return true;
	return stop != 0 && ticks > stop &&
	       atomic_load_explicit(&shared->state, memory_order_acquire) == RING_FULL;
}

/* Events do not say on which processor they were made: the slot is the processor's. */
static uint16_t cpu_of(const struct ring_reader *reader, uint32_t slot)
{
	return slot < reader->ring.n_cpu_slots && slot < LOG_NO_CPU ? (uint16_t)slot : LOG_NO_CPU;
}

/* The oldest real event, copied to reader->held; false when there is none now. */
static bool reader_fetch(struct ring_reader *reader)
{
	for (bool has_looked = false;;) {
		if (reader->n_queue == 0 || reader->blocks[reader->queue[0]].ticks > reader->horizon) {
			if (has_looked)
				return false;
			reader_look(reader);
			has_looked = true;
			continue;
		}
		uint32_t block = reader->queue[0];
		uint64_t ticks = reader->blocks[block].ticks;
		uint32_t slot = reader->blocks[block].slot;
		uint32_t bytes = event_copy(reader, block, &reader->held);
		if (!block_is_same(reader, block)) {
			block_gone(reader);
			continue;
		}
		if (bytes == 0) { /* somebody scribbled: what follows in this block cannot be found */
			reader->blocks[block].at = reader->blocks[block].end;
			count_dropped(reader, 1);
			queue_drop_first(reader);
			block_done(reader, block);
			continue;
		}
		if (!event_claim(reader, block, bytes)) {
			block_gone(reader);
			continue;
		}
		queue_advance(reader, bytes);
		if (is_outside_run(reader, ticks)) {
			count_dropped(reader, 1);
			continue;
		}
		reader->held.ticks = ticks;
		reader->held.cpu = cpu_of(reader, slot);
		return true;
	}
}

/* Events that are made here. */

static struct log_event made_event(uint32_t type, uint64_t ticks)
{
	return (struct log_event){ .type = (uint16_t)type, .cpu = LOG_NO_CPU, .ticks = ticks };
}

static bool is_wanted(const struct ring_reader *reader, uint32_t type)
{
	return ring_wants(&reader->ring, type);
}

/* Events that found no room although the stream overwrites, and those that did not belong to the run. */
static uint64_t count_other_losses(const struct ring_reader *reader)
{
	uint64_t n = reader->lost_here + atomic_load(&reader->ring.shared->n_dropped);

	for (uint32_t i = 0; i < reader->ring.geometry.n_slots && reader->consume; i++)
		n += atomic_load_explicit(&reader->ring.slots[i].n_lost, memory_order_relaxed);
	return reader->consume ? n : reader->lost_here;
}

/*
 * OVERFLOW and RESUME in front of the first event after a loss (section 5). A stream that stops when it is full tells its
 * losses by STOP and START. What was overwritten up to the event given last had been read.
 */
static void tell_gap(struct ring_reader *reader)
{
	struct ring_shared *shared = reader->ring.shared;
	uint64_t others = count_other_losses(reader);
	bool is_gap = (reader->through > reader->through_told && reader->through > reader->last_given) ||
		      others != reader->others_told;
	uint64_t first;

	reader->through_told = reader->through;
	reader->others_told = others;
	reader->last_given = reader->held.ticks;
	if (reader->ring.policy != POSIX_TRACE_LOOP || !is_gap)
		return;
	first = reader->consume ? atomic_exchange(&shared->first_lost, 0) : atomic_load(&shared->first_lost);
	if (first == 0 || first > reader->held.ticks)
		first = reader->held.ticks;
	if (is_wanted(reader, POSIX_TRACE_RESUME))
		reader->pending[reader->n_pending++] = made_event(POSIX_TRACE_RESUME, reader->held.ticks);
	if (is_wanted(reader, POSIX_TRACE_OVERFLOW))
		reader->pending[reader->n_pending++] = made_event(POSIX_TRACE_OVERFLOW, first);
}

/*
 * When the stream stopped. Who stopped it says so just afterwards, and is waited for, so that it does not say it when the
 * stream runs again; but not for ever: it may have died.
 */
static uint64_t stop_time(const struct ring_reader *reader)
{
	uint64_t stop = 0;

	for (unsigned int turn = 0; turn < READER_STOP_TURNS && stop == 0; turn++) {
		stop = atomic_load(&reader->ring.shared->stop_ticks);
		if (stop == 0)
			sched_yield();
	}
	return stop ? stop : clock_ticks((enum log_clock)reader->ring.clock);
}

/*
 * The oldest event, when there is none now: of a stream that stopped itself, all that came before the stop has been given.
 * It may have stopped, and filled up before, since the blocks were looked at (this thread may have slept): then they
 * are looked at again.
 */
static bool reader_fetch_all(struct ring_reader *reader)
{
	if (reader_fetch(reader))
		return true;
	if (reader->ring.policy == POSIX_TRACE_LOOP || reader->stop_told ||
		atomic_load(&reader->ring.shared->state) != RING_FULL)
		return false;
	uint64_t stop = stop_time(reader);
	if (stop >= reader->horizon && reader_fetch(reader))
		return true;
	reader->stopped_at = stop;
	return false;
}

/* An automatic stop is told when everything before it has been given. */
static bool tell_stop(struct ring_reader *reader)
{
	if (reader->stopped_at == 0 || reader->stop_told)
		return false;
	reader->stop_told = true;
	if (!is_wanted(reader, POSIX_TRACE_STOP))
		return false;
	reader->current = made_event(POSIX_TRACE_STOP, reader->stopped_at);
	reader->current.length = sizeof reader->stop_data;
	reader->stop_data = 1;
	memcpy(reader->data, &reader->stop_data, sizeof reader->stop_data);
	return true;
}

/* Everything was given: the stream runs again, and says so before its next event (section 6.1). */
static void restart(struct ring_reader *reader)
{
	struct ring_shared *shared = reader->ring.shared;
	struct log_event start = made_event(POSIX_TRACE_START, 0);
	uint64_t filter[RING_FILTER_WORDS];

	if (!reader->consume || !reader->stop_told || atomic_load(&shared->state) != RING_FULL)
		return;
	reader->stop_told = false;
	for (uint32_t i = 0; i < RING_FILTER_WORDS; i++)
		filter[i] = atomic_load_explicit(&shared->filter[i], memory_order_relaxed);
	start.length = sizeof filter;
	/* What was lost came behind all that has been given. */
	reader->lost_stopped = ring_lost(&reader->ring);
	reader->gap_from = reader->stopped_at;
	reader->gap_to = clock_ticks((enum log_clock)reader->ring.clock);
	if (is_wanted(reader, POSIX_TRACE_START))
		ring_put(&reader->ring, &start, filter);
	reader->stopped_at = 0;
	atomic_store(&shared->is_full, POSIX_TRACE_NOT_FULL);
	ring_change(&reader->ring, RING_FULL, RING_RUNNING);
}

bool ring_reader_peek(struct ring_reader *reader, const struct log_event **ret_event, const void **ret_data)
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
			reader->current = reader->held;
			reader->has_held = false;
			reader->n_given++;
		} else if (!tell_stop(reader)) {
			restart(reader);
			return false;
		}
		reader->has_current = true;
	}
	*ret_event = &reader->current;
	*ret_data = reader->data;
	return true;
}

void ring_reader_take(struct ring_reader *reader)
{
	if (!reader->has_current)
		return;
	reader->has_current = false;
	if (reader->stop_told) {
		restart(reader);
	} else if (reader->consume && reader->ring.policy == POSIX_TRACE_LOOP) {
		atomic_store_explicit(
			&reader->ring.shared->is_full, POSIX_TRACE_NOT_FULL, memory_order_relaxed);
	}
}

void ring_reader_discard(struct ring_reader *reader)
{
	struct ring_shared *shared = reader->ring.shared;

	reader->has_current = reader->has_held = false;
	reader->n_pending = 0;
	for (unsigned int turn = 0; turn < 2; turn++) {
		reader_look(reader);
		while (reader->n_queue > 0) {
			uint32_t block = reader->queue[0];
			uint32_t bytes = event_copy(reader, block, &reader->held);

			if (bytes == 0)
				bytes = reader->blocks[block].end - reader->blocks[block].at;
			if (event_claim(reader, block, bytes))
				queue_advance(reader, bytes);
			else
				queue_drop_first(reader);
		}
	}
	atomic_store(&shared->first_lost, 0);
	reader->through_told = atomic_load(&shared->lost_through);
	reader->others_told = count_other_losses(reader);
	reader->lost_stopped = ring_lost(&reader->ring);
	reader->stop_told = false;
}

uint64_t ring_reader_behind(const struct ring_reader *reader)
{
	return reader->has_held ? reader->held.ticks : reader->current.ticks;
}

uint64_t ring_reader_sequence(const struct ring_reader *reader)
{
	return reader->sequence;
}

size_t ring_reader_waiting(const struct ring_reader *reader)
{
	size_t n = 0;

	for (uint32_t block = 0; block < reader->ring.geometry.n_blocks; block++) {
		uint64_t state =
			atomic_load_explicit(&reader->ring.blocks[block].state, memory_order_acquire);
		const struct reader_block *known = &reader->blocks[block];
		uint32_t at = known->generation == ring_block_generation(state) ? known->at : 0;
		uint32_t slot = ring_block_slot(state), end = 0;
		uint64_t used = atomic_load_explicit(&reader->ring.blocks[block].used, memory_order_relaxed);

		if (ring_block_kind(state) == RING_BLOCK_CLOSED) {
			end = ring_mark_is_of(used, ring_block_generation(state)) ? ring_mark_bytes(used) : 0;
		} else if (ring_block_kind(state) == RING_BLOCK_OPEN &&
			   slot < reader->ring.geometry.n_slots) {
			uint64_t cursor =
				atomic_load_explicit(&reader->ring.slots[slot].cursor, memory_order_relaxed);
			if ((cursor & RING_PLACE_MASK) >> reader->ring.geometry.block_shift == block)
				end = (uint32_t)cursor & reader->ring.mask;
		}
		n += end > at ? end - at : 0;
	}
	return n;
}
