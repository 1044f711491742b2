/* SPDX-License-Identifier: MIT */
/*
 * Events from a pool to a log, with what must stand before them: losses, new types, processes that were not met yet. An
 * event is taken from the pool when the log has it, so that an error costs nothing as long as the pool has room. The
 * kernel's switches come in between, in order of time.
 * Async-signal-safe; errno is not kept.
 */
#ifndef CONSUMER_COPY_H
#define CONSUMER_COPY_H

#include "record/buffer/read.h"
#include "record/consumer/describe.h"
#include "record/consumer/processes.h"
#include "record/consumer/stream_ctl.h"
#include "record/kernel/switches.h"

struct copy {
	const struct pool *pool;
	const struct stream_ctl *ctl;
	struct pool_reader *reader;
	struct describe *describe;
	struct log_writer *log;
	struct processes *processes; /* NULL: nobody is asked about */
	uint64_t now;		     /* for processes */
	struct switches *switches;   /* NULL: none are wanted */
	uint64_t ended_at; /* ticks when the consumer has stopped the stream for good; 0: it has not */
	bool is_ending;	   /* a stream that stopped itself is not started again when it is empty */

	bool is_unplaced; /* the log begins anew with whatever comes: nothing is missing before it */
	uint64_t next_sequence;
	uint64_t last_ticks;  /* of what was written last */
	uint64_t lost_before; /* pool_lost() that is not this log's */
	uint64_t lost_told;   /* by LOG_LOSS */
	uint64_t n_refused;   /* events that the log did not take: it was full, or they were too long */
	uint64_t n_copied;
	bool has_last_stop; /* of a full log */
};

/* Opens switches whose events are of the system types for them. As switches_open(). Not async-signal-safe. */
int copy_open_switches(struct switches_config *config, struct switches **ret_switches);
/* Copies until none is there, or one is later than `until` ticks; n_max of them at most. 0, or the log's error. */
int copy_run(struct copy *copy, uint64_t until, uint64_t n_max);
/* An event that was never in the pool, if the stream wants its type: behind all that were copied. */
int copy_own(struct copy *copy, const struct log_event *event, uint64_t ticks, const void *data);
/* More events than can lie in a pool. */
uint64_t copy_bound(const struct pool *pool);
/* The pool was emptied and the log began anew: earlier events and losses are forgotten. */
void copy_restart(struct copy *copy);
/* Events that are in the stream's past and not in the log. */
uint64_t copy_lost(const struct copy *copy);
/* Ends the log: losses not told yet, the clocks, and the last block, whose status is filled in here. */
int copy_finish(struct copy *copy, struct log_end *end);

#endif
