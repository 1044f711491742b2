/* SPDX-License-Identifier: MIT */
/*
 * The consumer: one small process for each stream with log. It copies events to the log, for FLUSH policies
 * by itself, and finishes the log when the controller shuts down, ends in any way, or calls exec. The
 * controller cannot wait for it as for a child. It has a session of its own, and holds four descriptors:
 * pool, names, log, stream control block. Requests and the identity of its controller come from the control
 * block only, because the traced processes can write to pool and names.
 */
#ifndef CONSUMER_CONSUMER_H
#define CONSUMER_CONSUMER_H

#include "record/consumer/stream_ctl.h"
#include "record/process/names.h"

/* In this order they are the consumer's descriptors 3, 4, 5 and 6. */
enum consumer_fd {
	CONSUMER_FD_POOL,
	CONSUMER_FD_NAMES,
	CONSUMER_FD_LOG,
	CONSUMER_FD_CTL,
	CONSUMER_N_FDS,
};
#define CONSUMER_FD_FIRST 3

struct switches;

/*
 * Starts the consumer of a stream with this control block and these descriptors, and waits until it is ready
 * (the log's header is written). ENOENT: its program is not installed; EAGAIN, ENOMEM; else the error of
 * writing the log.
 */
int consumer_launch(struct stream_ctl *ctl, const int descriptors[CONSUMER_N_FDS]);

/*
 * Requests of the controller; all but the first wait for the answer. 0, or the error of writing; ESRCH: the
 * consumer is gone.
 */
int consumer_flush(struct stream_ctl *ctl); /* does not wait */
/* Whether a requested flush is still going on. When the consumer was killed, it has ended with EIO. */
bool consumer_flushes(struct stream_ctl *ctl);
int consumer_clear(struct stream_ctl *ctl);
int consumer_shutdown(struct stream_ctl *ctl);

/* The whole life of the consumer, with those descriptors; returns its exit status. */
int consumer_run(void);

/*
 * Writes what the pool holds now, and switches of a recorder (NULL: none), as a complete log. memory:
 * consumer_snapshot_bytes(), aligned as by malloc(), allocated before. Consumes nothing. Async-signal-safe.
 */
size_t consumer_snapshot_bytes(const struct pool *pool);
int consumer_snapshot(const struct pool *pool, const struct stream_ctl *ctl, const struct names *names,
	struct switches *switches, int fd, void *memory);

/*
 * Sleeps while the word has this value, until it is woken or nanoseconds have passed. May wake without a
 * reason.
 */
void consumer_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds);
/* Wakes all threads that sleep on the word, in any process. */
void consumer_wake(_Atomic uint32_t *word);

#endif
