/* SPDX-License-Identifier: MIT */
/*
 * One event into a pool: inside a trace point, so everything here is async-signal-safe, and what usually happens is inline.
 */
#ifndef BUFFER_PUT_H
#define BUFFER_PUT_H

#include "record/buffer/rseq.h"

/* An event that is about to be recorded; data as the caller gave it, length already cut to what the pool keeps. */
struct put {
	uint32_t type; /* and the event's flags in the upper half */
	uint64_t address;
	const void *who; /* pid, tid, thread: the last 16 bytes of struct log_event */
	const void *data;
	uint64_t length;
};

/* Through the shared buffers, or when there was no room: gets a new sub-buffer. False: the event is lost, and counted. */
bool put_slowly(const struct pool *pool, const struct writer *writer, const struct put *put);

/* A shared buffer whose owner is dead gets none: true. A thread that is merely slow keeps it. Keeps errno. */
bool put_give_back(struct cpu_buffer *buffer);

/* The quick way; false when it has to be put_slowly(). */
static inline __attribute__((always_inline)) bool put_quickly(const struct pool *pool,
	const struct writer *writer, uint64_t type, uint64_t address, const void *data, uint64_t length)
{
#if RSEQ_IS_HERE
	return rseq_put(pool, writer, type, address, data, length) == RSEQ_DONE;
#else
	(void)pool, (void)writer, (void)type, (void)address, (void)data, (void)length;
	return false;
#endif
}

#endif
