/* SPDX-License-Identifier: MIT */
/* Shared by consumer.c, consumer_copy.c and consumer_end.c: a consumer in its own process. */
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
	struct log_zstd *zstd; /* NULL if the log is not compressed */
	struct describe describe;
	struct copy copy;
	struct processes processes;
	struct watch controller;
	struct switches *switches; /* NULL if none were requested */
	void *reader_memory, *log_memory;
	uint64_t stream_bytes;
	uint64_t now;		 /* nanoseconds of CLOCK_MONOTONIC, in this round */
	uint64_t waiting_since;	 /* 0 if nothing waits */
	uint64_t switches_since; /* the same for switches */
	bool has_many_switches;	 /* at the last look */
	uint64_t active_at;	 /* when something waited last */
	uint64_t retry_at;
	uint64_t pair_at, pairs_apart;
	uint64_t names_at;	/* when names of threads were read again last */
	uint64_t n_copied_then; /* copy.n_copied at the last pair */
	bool loops;
	uint64_t n_procinfos_then; /* pool.shared->n_procinfos at the last flush */
	bool owes_stop;		   /* the stream was stopped at the end, and the log has no STOP yet */
	int first_error;	   /* of all flushes */
	int owed_error;	     /* error of a flush for which the log has no POSIX_TRACE_ERROR yet; else 0 */
	uint64_t owed_ticks; /* when it occurred */
};

void consumer_report(struct consumer *consumer, enum consumer_state state, int error);

/* If error is not 0, writing failed, and is tried again later. */
void consumer_failed(struct consumer *consumer, int error);
/*
 * Copies everything up to now, and then an event of the consumer's own, if it is not NULL. 0, or the log's
 * error.
 */
int consumer_copy_now(struct consumer *consumer, const struct log_event *event, const void *data);
/* Copies everything with its metadata, and stores the result for the controller. */
int consumer_copy_to_log(struct consumer *consumer);

/* Stops the stream, writes the rest and the end of the log. The exit status. */
int consumer_end(struct consumer *consumer, enum log_end_reason reason);

#endif
