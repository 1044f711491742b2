/* SPDX-License-Identifier: MIT */
/*
 * The pool of blocks: where a slot gets its next one from, and how old ones come back. Runs inside trace points:
 * async-signal-safe, without locks, in bounded steps, and whoever dies in it costs one block until the reader
 * notices (ring_reader_begin() and its kin).
 */
#ifndef ATTACH_BLOCK_H
#define ATTACH_BLOCK_H

#include "record/attach/ring.h"

/* What a slot's cursor is while it has no block: a place behind all blocks, where no event finds room. */
uint64_t block_no_cursor(const struct ring_geometry *geometry);

/*
 * Gives a slot that had no room at `seen` its next block. rseq: of this thread, for slots of processors (cpu is the slot);
 * NULL: the slot's owner is the caller. True: try again (also when somebody else was faster); false: there is no room.
 */
bool block_extend(const struct ring *ring, uint32_t slot, uint64_t seen, void *rseq);

/* Makes a block free, or an open one that is no slot's any more closed, when its state is still the given one. */
bool block_free(const struct ring *ring, uint32_t block, uint64_t state);
bool block_close(const struct ring *ring, uint32_t block, uint64_t state);

#endif
