/* SPDX-License-Identifier: MIT */
#include "record/attach/block.h"
#include "record/attach/clock.h"
#include "record/attach/rseq.h"

#define BLOCK_NONE  UINT32_MAX
#define BLOCK_TRIES 64

uint64_t block_no_cursor(const struct ring_geometry *geometry)
{
	return ((uint64_t)(geometry->n_blocks + 1) << geometry->block_shift) - 8;
}

/* Keeps the larger one. */
static void raise_to(_Atomic uint64_t *value, uint64_t wanted)
{
	uint64_t old = atomic_load_explicit(value, memory_order_relaxed);

	while (old < wanted && !atomic_compare_exchange_weak_explicit(
				       value, &old, wanted, memory_order_acq_rel, memory_order_relaxed))
		;
}

static void count_used(struct ring_shared *shared)
{
	uint32_t now = atomic_fetch_add_explicit(&shared->n_used, 1, memory_order_relaxed) + 1;
	uint32_t old = atomic_load_explicit(&shared->high_water, memory_order_relaxed);

	while (old < now && !atomic_compare_exchange_weak_explicit(&shared->high_water, &old, now,
				    memory_order_relaxed, memory_order_relaxed))
		;
}

/* Takes the block when it is as it was seen. */
static bool block_take(const struct ring *ring, uint32_t block, uint32_t slot, uint64_t state)
{
	uint64_t mine = ring_block_make(ring_block_generation(state) + 1, slot, RING_BLOCK_CLAIMED);

	return atomic_compare_exchange_strong(&ring->blocks[block].state, &state, mine);
}

/* Events of a closed block that nobody has read, where `read` says what was; and the ticks of the first of them. */
static uint32_t count_unread(
	const struct ring *ring, uint32_t block, uint64_t generation, uint64_t read, uint64_t *ret_ticks)
{
	const struct ring_block *control = &ring->blocks[block];
	uint64_t used = atomic_load_explicit(&control->used, memory_order_relaxed);
	uint32_t n_read = ring_mark_is_of(read, generation) ? ring_mark_events(read) : 0;
	uint32_t at = ring_mark_is_of(read, generation) ? ring_mark_bytes(read) & ~7u : 0;

	if (!ring_mark_is_of(used, generation) || ring_mark_events(used) <= n_read ||
		at > ring->mask - sizeof(struct log_event))
		return 0;
	*ret_ticks = atomic_load_explicit(
		(_Atomic uint64_t *)(void *)(ring->area + ((uint64_t)block << ring->geometry.block_shift) +
					     at + 8),
		memory_order_relaxed);
	return ring_mark_events(used) - n_read;
}

/*
 * Takes a closed block for new events. How far events may be missing is said before the block is taken: a reader who
 * finds it gone must know it. (When the reader was faster, it has read up to there.)
 */
static bool block_overwrite(const struct ring *ring, uint32_t block, uint32_t slot, uint64_t state)
{
	struct ring_shared *shared = ring->shared;
	struct ring_block *control = &ring->blocks[block];
	uint64_t generation = ring_block_generation(state), ticks = 0, none = 0, read;
	uint32_t n_unread;

	read = atomic_load_explicit(&control->read, memory_order_acquire);
	if (count_unread(ring, block, generation, read, &ticks) > 0)
		raise_to(&shared->lost_through, atomic_load_explicit(&control->last, memory_order_relaxed));
	if (!block_take(ring, block, slot, state))
		return false;
	/* Each event is the reader's or lost: who changes this word first has it (merge.c, event_claim()). */
	read = atomic_exchange(&control->read, ring_mark(generation + 1, 0, 0));
	n_unread = count_unread(ring, block, generation, read, &ticks);
	if (n_unread > 0) {
		atomic_compare_exchange_strong(&shared->first_lost, &none, ticks);
		atomic_fetch_add(&shared->n_overwritten, n_unread);
		atomic_store_explicit(&shared->is_full, POSIX_TRACE_FULL, memory_order_relaxed);
	}
	return true;
}

/* A look at the pool: the next free block from the hint on; without one, the block that was closed first. */
static uint32_t find_block(const struct ring *ring, uint64_t *ret_state)
{
	uint32_t n = ring->geometry.n_blocks;
	uint32_t block = atomic_load_explicit(&ring->shared->hint, memory_order_relaxed) % n;
	uint32_t oldest = BLOCK_NONE;
	uint64_t oldest_last = UINT64_MAX;

	for (uint32_t i = 0; i < n; i++, block = block + 1 < n ? block + 1 : 0) {
		const struct ring_block *control = &ring->blocks[block];
		uint64_t state = atomic_load_explicit(&control->state, memory_order_acquire);

		if (ring_block_kind(state) == RING_BLOCK_FREE) {
			*ret_state = state;
			return block;
		}
		uint64_t last = atomic_load_explicit(&control->last, memory_order_relaxed);
		if (ring_block_kind(state) != RING_BLOCK_CLOSED || last >= oldest_last)
			continue;
		oldest = block;
		oldest_last = last;
		*ret_state = state;
	}
	return oldest;
}

/* A block for a slot: free, or with LOOP overwritten. Whose claim fails finds that others went on; tries are bounded. */
static uint32_t block_claim(const struct ring *ring, uint32_t slot, uint64_t *ret_state)
{
	for (unsigned int turn = 0; turn < BLOCK_TRIES; turn++) {
		uint64_t state = 0;
		uint32_t block = find_block(ring, &state);
		bool is_free = block != BLOCK_NONE && ring_block_kind(state) == RING_BLOCK_FREE;

		if (block == BLOCK_NONE || (!is_free && ring->policy != POSIX_TRACE_LOOP))
			return BLOCK_NONE;
		if (is_free ? !block_take(ring, block, slot, state)
			    : !block_overwrite(ring, block, slot, state))
			continue;
		if (is_free)
			count_used(ring->shared);
		atomic_store_explicit(&ring->shared->hint, block + 1, memory_order_relaxed);
		*ret_state = ring_block_make(ring_block_generation(state) + 1, slot, RING_BLOCK_CLAIMED);
		return block;
	}
	return BLOCK_NONE;
}

/* There is no room: a stream that does not overwrite stops (XSH 2.11.2.1, POSIX_TRACE_UNTIL_FULL). */
static void stop_when_full(const struct ring *ring)
{
	struct ring_shared *shared = ring->shared;

	if (ring->policy == POSIX_TRACE_LOOP || atomic_load(&shared->state) != RING_RUNNING)
		return;
	if (ring_change(ring, RING_RUNNING, RING_FULL)) {
		atomic_store(&shared->stop_ticks, clock_ticks((enum log_clock)ring->clock));
		atomic_store(&shared->is_full, POSIX_TRACE_FULL);
	}
}

/* Changes only what is still as it was; who fails has been overtaken by somebody who did the same. */
static bool block_move(const struct ring *ring, uint32_t block, uint64_t from, enum ring_block_state kind)
{
	uint64_t to = ring_block_make(ring_block_generation(from), ring_block_slot(from), kind);

	if (!atomic_compare_exchange_strong_explicit(
		    &ring->blocks[block].state, &from, to, memory_order_acq_rel, memory_order_relaxed))
		return false;
	if (kind == RING_BLOCK_FREE)
		atomic_fetch_sub_explicit(&ring->shared->n_used, 1, memory_order_relaxed);
	return true;
}

bool block_free(const struct ring *ring, uint32_t block, uint64_t state)
{
	return block_move(ring, block, state, RING_BLOCK_FREE);
}

bool block_close(const struct ring *ring, uint32_t block, uint64_t state)
{
	return block_move(ring, block, state, RING_BLOCK_CLOSED);
}

/* Puts a claimed block in the place of a slot's old one. */
static bool slot_exchange(const struct ring *ring, uint32_t slot, uint64_t seen, uint64_t cursor, void *rseq)
{
	uint32_t old = (uint32_t)((seen & RING_PLACE_MASK) >> ring->geometry.block_shift);
	struct ring_block *control =
		&ring->blocks[old]; /* one more than there are: for a slot without a block */
	uint64_t state = atomic_load_explicit(&control->state, memory_order_acquire);
	uint64_t used =
		ring_mark(ring_block_generation(state), seen >> RING_PLACE_BITS, (uint32_t)seen & ring->mask);
	uint64_t last = clock_ticks((enum log_clock)ring->clock);

#if RSEQ_IS_HERE
	if (rseq) {
		if (rseq_exchange(&ring->slots[slot], rseq, slot, seen, cursor, control, state, used, last) !=
			RSEQ_DONE)
			return false;
	} else
#endif
	{
		(void)rseq;
		atomic_store_explicit(&control->used, used, memory_order_relaxed);
		atomic_store_explicit(&control->last, last, memory_order_relaxed);
		atomic_store_explicit(&ring->slots[slot].cursor, cursor, memory_order_release);
	}
	if (old < ring->geometry.n_blocks)
		block_close(ring, old, state);
	return true;
}

bool block_extend(const struct ring *ring, uint32_t slot, uint64_t seen, void *rseq)
{
	uint32_t old = (uint32_t)((seen & RING_PLACE_MASK) >> ring->geometry.block_shift);
	uint32_t block;
	uint64_t state;

	if (old > ring->geometry.n_blocks) /* only a scribbler makes such a cursor */
		return false;
	block = block_claim(ring, slot, &state);
	if (block == BLOCK_NONE) {
		stop_when_full(ring);
		return false;
	}
	if (!block_move(ring, block, state, RING_BLOCK_OPEN))
		return true; /* we slept so long that the reader took it for a dead writer's */
	if (!slot_exchange(ring, slot, seen, (uint64_t)block << ring->geometry.block_shift, rseq)) {
		/* Nothing was written into it; that its generation has passed costs nothing. */
		block_free(ring, block,
			ring_block_make(
				ring_block_generation(state), ring_block_slot(state), RING_BLOCK_OPEN));
	}
	return true;
}
