/* SPDX-License-Identifier: MIT */
/*
 * Events from a pool to a log, with what must precede them: losses, new types, processes that are new. An
 * event is taken from the pool when the log has it, so that an error loses nothing as long as the pool has
 * room. Context switches are merged in, in order of time. Async-signal-safe; errno is not kept.
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
	struct processes *processes; /* NULL if nothing is written about processes */
	uint64_t now;		     /* for processes */
	struct switches *switches;   /* NULL if none were requested */
	uint64_t ended_at; /* ticks when the consumer has stopped the stream for good; 0 if it has not */
	bool is_ending;	   /* a stream that stopped itself does not run again when it is empty */

	bool is_new_log; /* the log begins anew with the next event: nothing is missing before it */
	uint64_t next_sequence;
	uint64_t last_ticks;   /* of the last event written */
	uint64_t lost_before;  /* pool_lost() before this log */
	uint64_t lost_written; /* in LOG_LOSS blocks */
	uint64_t n_refused;    /* events that the log did not take: it was full, or they were too long */
	uint64_t n_copied;
	bool has_last_stop; /* a full log has its STOP */
};

/* Opens switches whose events have the system types for them. As switches_open(). Not async-signal-safe. */
int copy_open_switches(struct switches_config *config, struct switches **ret_switches);
/*
 * Copies until there is no event, or one is later than `until` ticks; n_max at most. 0, or the log's error.
 */
int copy_run(struct copy *copy, uint64_t until, uint64_t n_max);
/*
 * Writes an event that was never in the pool, if the stream's filter lets it pass, behind all that were
 * copied.
 */
int copy_own(struct copy *copy, const struct log_event *event, uint64_t ticks, const void *data);
/* More events than a pool can hold. */
uint64_t copy_bound(const struct pool *pool);
/* The pool was emptied and the log began anew: earlier events and losses are forgotten. */
void copy_restart(struct copy *copy);
/* Events of the stream that are not in the log. */
uint64_t copy_lost(const struct copy *copy);
/* Ends the log: losses not written yet, the clocks, and the last block with the status. */
int copy_finish(struct copy *copy, struct log_end *end);

#endif
