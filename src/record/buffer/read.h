/* SPDX-License-Identifier: MIT */
/*
 * Reading a pool in order of time: the sub-buffers of all CPU buffers are merged. One reader consumes a stream (its controller, or
 * the consumer when it has a log) and gives space back as it goes; a snapshot looks and takes nothing. Overwritten events
 * are told by POSIX_TRACE_OVERFLOW and POSIX_TRACE_RESUME, an automatic stop by POSIX_TRACE_STOP: these three are made
 * here and need no room in the pool (XSH 2.11.2.2).
 *
 * All memory is the caller's and given once, so that a handler of a fatal signal can take a snapshot. One thread
 * at a time.
 */
#ifndef BUFFER_READ_H
#define BUFFER_READ_H

#include "record/buffer/pool.h"

struct pool_reader;

size_t pool_reader_bytes(const struct pool *pool);
/* memory: so many bytes, aligned as malloc() does. The pool is borrowed. */
struct pool_reader *pool_reader_begin(void *memory, const struct pool *pool, bool consume);

/*
 * The oldest event not taken yet, and its data; both stay until the next call. The same event comes until it is
 * taken. False: there is none now. A consuming reader that finds a stream that stopped itself empty starts it again.
 */
bool pool_reader_peek(struct pool_reader *reader, const struct log_event **ret_event, const void **ret_data);
void pool_reader_take(struct pool_reader *reader);

/* Takes all that is there now, without a word: posix_trace_clear(). */
void pool_reader_discard(struct pool_reader *reader);

/* Whether the stream had stopped by itself at these ticks, which are behind all events given before the last one. */
bool pool_reader_was_stopped(const struct pool_reader *reader, uint64_t ticks);

/* Place in the stream of the event that peek gave: events before it, lost ones included. */
uint64_t pool_reader_sequence(const struct pool_reader *reader);
/* Ticks of the event that peek gave; of OVERFLOW and RESUME, those of the event behind them: the three stay together. */
uint64_t pool_reader_behind(const struct pool_reader *reader);
/* Whether bytes wait to be read: a look without order or cost, for the consumer. In whole and begun sub-buffers. */
size_t pool_reader_waiting(const struct pool_reader *reader);

#endif
