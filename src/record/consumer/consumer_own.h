/* SPDX-License-Identifier: MIT */
/*
 * What consumer.c, consumer_copy.c and consumer_end.c have together: a consumer in its own process.
 */
#ifndef CONSUMER_CONSUMER_OWN_H
#define CONSUMER_CONSUMER_OWN_H

#include "record/consumer/consumer.h"
#include "record/consumer/copy.h"
#include "record/consumer/watch.h"

#define CONSUMER_MS	1000000u
#define CONSUMER_SECOND (1000 * CONSUMER_MS)

struct consumer {
	struct pool pool;
	struct stream_ctl *ctl;
	struct names *names;
	struct log_writer log;
	struct describe describe;
	struct copy copy;
	struct processes processes;
	struct watch controller;
	struct switches *switches; /* NULL: none are wanted */
	void *reader_memory, *log_memory;
	uint64_t stream_bytes;
	uint64_t now;		 /* nanoseconds of CLOCK_MONOTONIC, this round */
	uint64_t waiting_since;	 /* 0: nothing waits */
	uint64_t switches_since; /* the same of switches */
	bool has_many_switches;	 /* at the last look */
	uint64_t active_at;	 /* when something waited last */
	uint64_t retry_at;
	uint64_t pair_at, pairs_apart;
	uint64_t names_at;	/* when threads were last asked for other names */
	uint64_t n_copied_then; /* copy.n_copied at the last pair */
	bool loops;
	uint64_t n_procinfos_then; /* pool.shared->n_procinfos at the last flush */
	bool owes_stop;		   /* the stream was stopped at the end, and the log does not say so yet */
	int first_error;	   /* of flushing, ever */
	int owed_error;		   /* of flushing, that the log has no POSIX_TRACE_ERROR of yet; 0: none */
	uint64_t owed_ticks;	   /* when it came */
};

void consumer_tell(struct consumer *consumer, enum consumer_state state, int error);

/* Writing failed, unless error is 0: it is tried again in a while. */
void consumer_failed(struct consumer *consumer, int error);
/* Everything up to now, and then an event of the consumer's own, if there is to be one. 0, or the log's error. */
int consumer_copy_now(struct consumer *consumer, const struct log_event *event, const void *data);
/* The same, and what belongs to it; the controller is told how it went. */
int consumer_copy_to_log(struct consumer *consumer);

/* Stops the stream, writes the rest and the end of the log. The exit status. */
int consumer_end(struct consumer *consumer, enum log_end_reason reason);

#endif
