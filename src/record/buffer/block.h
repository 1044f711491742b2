/* SPDX-License-Identifier: MIT */
/*
 * The pool of blocks: where a slot gets its next one from, and how old ones come back. Runs inside trace points:
 * async-signal-safe, without locks, in bounded steps.
 *
 * A writer takes a block for a slot (1), makes it the slot's open one by the slot's cursor (2), and marks the old one closed
 * (3). A writer killed or migrated between 1 and 2 leaves a taken, unopened block: the next writer of the slot opens it, at
 * the latest when no block is free. One killed between 2 and 3 leaves a block that is closed and not marked: the next writer
 * of the slot marks it, or the reader. So no block is ever taken from a writer that merely sleeps.
 */
#ifndef BUFFER_BLOCK_H
#define BUFFER_BLOCK_H

#include "record/buffer/pool.h"

/* What a slot's cursor is while it has no block: a place behind all blocks, where no event finds room. */
uint64_t block_no_cursor(const struct pool_geometry *geometry);

/*
 * Gives a slot that had no room at `seen` its next block. rseq: of this thread, for slots of processors (cpu is the slot);
 * NULL: the slot's owner is the caller. True: try again (also when somebody else was faster); false: there is no room.
 */
bool block_extend(const struct pool *pool, uint32_t slot, uint64_t seen, void *rseq);

/* Whether a taken block is its slot's open one. */
static inline bool block_is_open(const struct pool *pool, uint32_t block, uint64_t cursor)
{
	return (cursor & CURSOR_OFFSET_MASK) >> pool->geometry.block_shift == block;
}
/* Whether a taken block was left by its slot: its mark is true and nobody writes into it. */
bool block_is_left(const struct pool *pool, uint32_t block, uint64_t state);

/* Makes a closed block free, or one that was left closed, when its state is still the given one. */
bool block_free(const struct pool *pool, uint32_t block, uint64_t state);
bool block_close(const struct pool *pool, uint32_t block, uint64_t state);

#endif
