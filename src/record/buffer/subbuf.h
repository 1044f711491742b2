/* SPDX-License-Identifier: MIT */
/*
 * The pool of sub-buffers: where a CPU buffer gets its next one from, and how old ones come back. Runs inside trace points:
 * async-signal-safe, without locks, in bounded steps.
 *
 * A writer takes a sub-buffer for a CPU buffer (1), makes it the CPU buffer's open one by the CPU buffer's cursor (2), and marks the old one closed
 * (3). A writer killed or migrated between 1 and 2 leaves a taken, unopened sub-buffer: the next writer of the CPU buffer opens it, at
 * the latest when no sub-buffer is free. One killed between 2 and 3 leaves a sub-buffer that is closed and not marked: the next writer
 * of the CPU buffer marks it, or the reader. So no sub-buffer is ever taken from a writer that merely sleeps.
 */
#ifndef BUFFER_SUBBUF_H
#define BUFFER_SUBBUF_H

#include "record/buffer/pool.h"

/* What a CPU buffer's cursor is while it has no sub-buffer: an offset behind all sub-buffers, where no event finds room. */
uint64_t cpu_buffer_no_cursor(const struct pool_geometry *geometry);

/*
 * Gives a CPU buffer that had no room at `seen` its next sub-buffer. rseq: of this thread, for buffers of CPUs (cpu is the CPU buffer);
 * NULL: the CPU buffer's owner is the caller. True: try again (also when somebody else was faster); false: there is no room.
 */
bool cpu_buffer_extend(const struct pool *pool, uint32_t buffer, uint64_t seen, void *rseq);

/* Whether a taken sub-buffer is its CPU buffer's open one. */
static inline bool subbuf_is_open(const struct pool *pool, uint32_t subbuf, uint64_t cursor)
{
	return (cursor & CURSOR_OFFSET_MASK) >> pool->geometry.subbuf_shift == subbuf;
}
/* Whether a taken sub-buffer was left by its CPU buffer: its mark is true and nobody writes into it. */
bool subbuf_is_left(const struct pool *pool, uint32_t subbuf, uint64_t state);

/* Makes a closed sub-buffer free, or one that was left closed, when its state is still the given one. */
bool subbuf_free(const struct pool *pool, uint32_t subbuf, uint64_t state);
bool subbuf_close(const struct pool *pool, uint32_t subbuf, uint64_t state);

#endif
