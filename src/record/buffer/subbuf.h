/* SPDX-License-Identifier: MIT */
/*
 * How a CPU buffer gets its next sub-buffer, and how old ones come back. Runs inside trace points:
 * async-signal-safe, without locks, in a bounded number of steps.
 *
 * A writer takes a sub-buffer for a CPU buffer (1), opens it by storing the buffer's cursor (2), and marks
 * the old one closed (3). A writer killed or migrated between 1 and 2 leaves a taken, unopened sub-buffer.
 * The next writer of that CPU buffer opens it, at the latest when no sub-buffer is free. A writer killed
 * between 2 and 3 leaves a sub-buffer that is full but not marked closed; the next writer of the CPU buffer,
 * or the reader, marks it. So no sub-buffer is ever taken from a writer that sleeps.
 */
#ifndef BUFFER_SUBBUF_H
#define BUFFER_SUBBUF_H

#include "record/buffer/pool.h"

/*
 * The cursor of a CPU buffer without a sub-buffer: an offset behind all sub-buffers, where no event finds
 * room.
 */
uint64_t cpu_buffer_no_cursor(const struct pool_geometry *geometry);

/*
 * Gives a CPU buffer that had no room at cursor `seen` its next sub-buffer. For the buffer of a CPU, rseq is
 * this thread's, and `buffer` is the CPU's number; rseq is NULL if the caller owns the shared buffer. Returns
 * true if the caller must try again (also if another thread was faster). Returns false if there is no room.
 */
bool cpu_buffer_extend(const struct pool *pool, uint32_t buffer, uint64_t seen, void *rseq);

/* Whether a taken sub-buffer is the open one of its CPU buffer. */
static inline bool subbuf_is_open(const struct pool *pool, uint32_t subbuf, uint64_t cursor)
{
	return (cursor & CURSOR_OFFSET_MASK) >> pool->geometry.subbuf_shift == subbuf;
}
/*
 * Whether the CPU buffer has gone on from a taken sub-buffer: its mark is final, and no thread writes into
 * it.
 */
bool subbuf_is_left(const struct pool *pool, uint32_t subbuf, uint64_t state);

/*
 * subbuf_free(): makes a closed sub-buffer free; subbuf_close(): marks one closed that was left. Both only if
 * its state is still the given one.
 */
bool subbuf_free(const struct pool *pool, uint32_t subbuf, uint64_t state);
bool subbuf_close(const struct pool *pool, uint32_t subbuf, uint64_t state);

#endif
