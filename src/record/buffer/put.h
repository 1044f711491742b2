/* SPDX-License-Identifier: MIT */
/*
 * Writes one event into a pool. Called by trace points: everything here is async-signal-safe, and the usual
 * case is inline.
 */
#ifndef BUFFER_PUT_H
#define BUFFER_PUT_H

#include "record/buffer/rseq.h"

/* An event to record; data as given by the caller, length already cut to the pool's data size. */
struct put {
	uint32_t type; /* with the event's flags in the upper half */
	uint64_t address;
	const void *origin; /* pid, tid, thread: the last 16 bytes of struct log_event */
	const void *data;
	uint64_t length;
	bool is_rare; /* for the rare ring of a pool that has one */
};

/* Writes to a shared buffer, or takes a new sub-buffer first. Returns false if the event is lost; it is
 * counted then. */
bool put_slowly(const struct pool *pool, const struct writer *writer, const struct put *put);

/* Releases a shared buffer whose owner is dead: true. A thread that is merely slow keeps it. Keeps errno. */
bool put_give_back(struct cpu_buffer *buffer);

/*
 * The fast path of an event of several streams, as put_quickly(); ticks are 0 at the first of them. False:
 * call put_slowly(). put_at_end() belongs behind the last.
 */
static inline bool put_at(const struct pool *pool, const struct writer *writer, uint64_t type,
	uint64_t address, const void *data, uint64_t length, uint64_t *ticks)
{
#if RSEQ_IS_HERE
	if (!writer->rseq || pool->n_per_cpu == 0)
		return false;
	if (rseq_put_at(pool, writer, type, address, data, length, ticks) == RSEQ_DONE)
		return true;
	*ticks = 0;
#else
	(void)pool, (void)writer, (void)type, (void)address, (void)data, (void)length, (void)ticks;
#endif
	return false;
}

static inline void put_at_end(const struct writer *writer)
{
#if RSEQ_IS_HERE
	if (writer->rseq)
		rseq_leave(writer->rseq);
#else
	(void)writer;
#endif
}

/* The fast path; false: call put_slowly(). */
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
