/* SPDX-License-Identifier: MIT */
/*
 * The consumer: one small process for each stream with log. It copies events to the log, for FLUSH policies by itself,
 * and finishes the log when the controller shuts down, ends in whatever way, or calls exec. It is nobody's child that
 * could be waited for, has a session of its own, and holds four descriptors: ring, names, log, desk. What it is told, and
 * whether its controller lives, it knows from the desk; ring and names belong to whoever is traced.
 */
#ifndef CONSUMER_CONSUMER_H
#define CONSUMER_CONSUMER_H

#include "record/consumer/desk.h"
#include "record/process/names.h"

/* In this order they are the consumer's descriptors 3, 4, 5 and 6. */
enum consumer_descriptor {
	CONSUMER_RING,
	CONSUMER_NAMES,
	CONSUMER_LOG,
	CONSUMER_DESK,
	CONSUMER_DESCRIPTORS,
};
#define CONSUMER_FIRST 3

struct switches;

/*
 * Starts the consumer of a stream whose desk and descriptors are given, and waits until it is ready (the log's header is
 * written). ENOENT: its program is not installed; EAGAIN, ENOMEM; else what writing the log gave.
 */
int consumer_launch(struct desk *desk, const int descriptors[CONSUMER_DESCRIPTORS]);

/* To do by the controller: ask, and wait for the answer. 0, or what writing gave; ESRCH: the consumer is gone. */
int consumer_flush(struct desk *desk); /* does not wait */
/* Whether a flush goes on that was asked for. One whose consumer was killed does not: it has ended with EIO. */
bool consumer_flushes(struct desk *desk);
int consumer_clear(struct desk *desk);
int consumer_shutdown(struct desk *desk);

/* The consumer's whole life, with those descriptors; returns its exit status. */
int consumer_run(void);

/* Writes what the ring holds now, and switches of a recorder (NULL: none), as a complete log; memory
 * (consumer_snapshot_bytes(), aligned as malloc() does) was got before. Consumes nothing. Async-signal-safe. */
size_t consumer_snapshot_bytes(const struct ring *ring);
int consumer_snapshot(const struct ring *ring, const struct desk *desk, const struct names *names,
	struct switches *switches, int fd, void *memory);

/* Sleeps while the word has this value, until it is woken or nanoseconds have passed. Others may wake it for nothing. */
void consumer_sleep(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds);
/* Wakes all that sleep on the word, in whatever process. */
void consumer_wake(_Atomic uint32_t *word);

#endif
