/* SPDX-License-Identifier: MIT */
/*
 * Reading a pool in order of time. One reader consumes a stream (the controller, or the consumer process of a
 * stream with a log) and returns its space; a snapshot changes nothing. The reader adds three events that
 * need no room in the pool (XSH 2.11.2.2): POSIX_TRACE_OVERFLOW and POSIX_TRACE_RESUME around overwritten
 * events, POSIX_TRACE_STOP at an automatic stop.
 *
 * The caller allocates all memory beforehand, so that a handler of a fatal signal can take a snapshot. One
 * thread at a time.
 */
#ifndef BUFFER_READ_H
#define BUFFER_READ_H

#include "log/pack.h"
#include "record/buffer/pool.h"

struct pool_reader;

size_t pool_reader_bytes(const struct pool *pool);
/*
 * memory: pool_reader_bytes(), aligned as by malloc(). The pool is borrowed. run_max: as many events may be
 * taken from the pool at once; those that are not asked for wait in the reader. 1: each event stays in the
 * pool until it is.
 */
struct pool_reader *pool_reader_begin(void *memory, const struct pool *pool, bool consume, uint32_t run_max);
#define POOL_READER_RUNS UINT32_MAX

/*
 * Gets the oldest event that was not taken, and its data; both are valid until the next call. It gets the
 * same event until the event is taken. Returns false if there is no event now. When a consuming reader has
 * emptied a stream that stopped itself, the stream runs again.
 */
bool pool_reader_peek(struct pool_reader *reader, const struct log_event **ret_event, const void **ret_data);
void pool_reader_take(struct pool_reader *reader);

/*
 * The next events as they lie in memory, if nothing has to be delivered between the one that was taken last
 * and them: they follow it, and one another, without a gap. They may lie in the pool, where other processes
 * can change them. False: pool_reader_peek() has to look at the next one. pool_reader_pass() takes n_events
 * of them, the last one with these ticks.
 */
struct pool_run {
	struct log_run events;
	uint64_t first_sequence; /* number of the first one; the others follow */
};
bool pool_reader_run(struct pool_reader *reader, struct pool_run *ret_run);
void pool_reader_pass(struct pool_reader *reader, uint32_t n_events, uint32_t n_bytes, uint64_t last_ticks);

/* Drops all that is there now: posix_trace_clear(). */
void pool_reader_discard(struct pool_reader *reader);

/* Whether the automatic STOP was delivered, and the stream does not run again. */
bool pool_reader_has_stopped(const struct pool_reader *reader);
/*
 * Whether the stream had stopped itself at these ticks, which are later than all events delivered but the
 * last one.
 */
bool pool_reader_was_stopped(const struct pool_reader *reader, uint64_t ticks);

/* Sequence number of the event that peek gave: the number of events before it, lost ones included. */
uint64_t pool_reader_sequence(const struct pool_reader *reader);
/*
 * Ticks of the event that peek gave; for OVERFLOW and RESUME those of the event behind them, so that the
 * three stay together.
 */
uint64_t pool_reader_behind(const struct pool_reader *reader);
/* Bytes that wait to be read, in closed and open sub-buffers: a cheap look for the consumer. */
size_t pool_reader_waiting(const struct pool_reader *reader);

#endif
