/* SPDX-License-Identifier: MIT */
/*
 * The stream control block: what controller and consumer of a stream share, and no other process has mapped.
 * Traced processes, maybe of another user, can write to pool and names; so both sides trust only this block:
 * it holds the stream's fixed properties, its controller, and the requests and answers below. Children of the
 * controller do not have it.
 */
#ifndef CONSUMER_STREAM_CTL_H
#define CONSUMER_STREAM_CTL_H

#include "record/buffer/pool.h"

/*
 * When the controller started and stopped the stream: change k is at k % STREAM_CTL_CHANGES, starts are even
 * and stops odd. One writer, under the stream's lock. Automatic stops of a full stream are not here: only its
 * reader has them (read.h).
 */
#define STREAM_CTL_CHANGES 512
struct stream_ctl_changes {
	_Atomic uint64_t n; /* changes, ever */
	_Atomic uint64_t ticks[STREAM_CTL_CHANGES];
};

enum consumer_state {
	CONSUMER_ABSENT = 0, /* there is no consumer, or it is not ready yet */
	CONSUMER_READY = 1,
	CONSUMER_FAILED = 2,
	CONSUMER_DONE = 3,
};

struct stream_ctl {
	/* Fixed when the stream is made. */
	uint32_t magic, version;
	struct pool_spec pool;
	struct identity controller;
	uint32_t switches; /* of the kernel, and page faults: POSIX_TRACE_SWITCHES_NP and its kin; copy.h */
	uint32_t is_compressed; /* the log; posix_trace_attr_setcompress_np() */
	struct log_attributes attributes;
	struct log_clock_pair born;
	struct identity_file file; /* of the pool's file, */
	uint32_t directory;	   /* and the uid whose directory has it; CONTROL_NOWHERE: it is in none */

	/* The arguments of the last posix_trace_set_hooks_np(), which counts the calls. */
	struct log_session session;
	_Atomic uint32_t session_version;

	/* Requests of the controller and answers of the consumer. */
	_Alignas(64) _Atomic uint32_t wake; /* futex: changes when the consumer has a request */
	_Atomic uint32_t flush_wanted;	    /* counts posix_trace_flush() */
	_Atomic uint32_t flush_done;
	_Atomic uint32_t clear_wanted, clear_done;
	_Atomic uint32_t shutdown_wanted;
	_Atomic uint32_t state; /* futex: enum consumer_state */
	_Atomic uint32_t is_flushing;
	_Atomic uint32_t flush_error; /* the first one since posix_trace_get_status() */
	_Atomic uint32_t log_overrun; /* since then */
	_Atomic uint32_t log_full;
	_Atomic uint64_t n_refused;  /* events that the log did not take: copy.h */
	_Atomic uint32_t exit_error; /* the result of posix_trace_shutdown() */
	struct identity consumer;    /* as the controller found it */
	struct stream_ctl_changes changes;
};

/*
 * Makes the control block of a pool that was just made. ret_fd: gets a descriptor for a consumer
 * (close-on-exec); NULL if the stream has no consumer. 0, ENOMEM, EMFILE, ENFILE.
 */
int stream_ctl_make(
	struct stream_ctl **ret_ctl, const struct pool *pool, const struct pool_config *config, int *ret_fd);
/* Maps the block in the consumer. Returns NULL if the descriptor is not of such a block. */
struct stream_ctl *stream_ctl_map(int fd);
void stream_ctl_unmap(struct stream_ctl *ctl); /* NULL is fine */

/* Notes that the controller starts or stops the stream at these ticks, unless it is in that state already. */
void stream_ctl_set_running(struct stream_ctl *ctl, bool runs, uint64_t ticks);
/* Whether the stream ran at these ticks. True for times that were followed by too many changes to know. */
bool stream_ctl_was_running(const struct stream_ctl *ctl, uint64_t ticks);

#endif
