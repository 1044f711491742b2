/* SPDX-License-Identifier: MIT */
/*
 * The desk of a stream: what its controller knows of it, and says to its consumer. Everybody who is traced can write into
 * ring and names, maybe as another user; the desk is memory of controller and consumer alone, so that both believe what is
 * here: what the stream was made as, who made it, and the words below. Children of the controller do not have it.
 */
#ifndef CONSUMER_DESK_H
#define CONSUMER_DESK_H

#include "record/buffer/ring.h"

/*
 * When the controller had the stream running: change k is at k % DESK_RUNS, starts are even and stops odd. One writer, under
 * the stream's lock. What the stream does by itself, when it is full, only its reader knows (read.h).
 */
#define DESK_RUNS 512
struct desk_runs {
	_Atomic uint64_t n; /* changes, ever */
	_Atomic uint64_t ticks[DESK_RUNS];
};

enum desk_state {
	DESK_NO_CONSUMER = 0, /* none, or one that is not ready yet */
	DESK_READY = 1,
	DESK_FAILED = 2,
	DESK_DONE = 3,
};

struct desk {
	/* Fixed when the stream is made. */
	uint32_t magic, version;
	struct ring_kind ring;
	struct identity controller;
	uint32_t has_switches; /* of the kernel: copy.h */
	struct log_attributes attributes;
	struct log_clock_pair born;
	struct identity_file file; /* of the ring, */
	uint32_t directory;	   /* and the uid whose directory has it; CONTROL_NOWHERE: none has */

	/* What the consumer and the controller say to each other. */
	_Alignas(64) _Atomic uint32_t wake; /* futex: changes when the consumer has something to do at once */
	_Atomic uint32_t flush_wanted;	    /* counts posix_trace_flush() */
	_Atomic uint32_t flush_done;
	_Atomic uint32_t clear_wanted, clear_done;
	_Atomic uint32_t shutdown_wanted;
	_Atomic uint32_t state; /* futex: enum desk_state */
	_Atomic uint32_t is_flushing;
	_Atomic uint32_t flush_error; /* the first one since posix_trace_get_status() */
	_Atomic uint32_t log_overrun; /* since then */
	_Atomic uint32_t log_full;
	_Atomic uint64_t n_refused;  /* events that the log did not take: copy.h */
	_Atomic uint32_t exit_error; /* what posix_trace_shutdown() has to report */
	struct identity consumer;    /* said by the controller, for itself */
	struct desk_runs runs;
};

/* The desk of a ring that was just made. fd: made with a descriptor for a consumer (close-on-exec); NULL: the caller's
 * alone. 0, ENOMEM, EMFILE, ENFILE. */
int desk_make(struct desk **ret_desk, const struct ring *ring, const struct ring_config *config, int *ret_fd);
/* The consumer's; NULL: there is none. */
struct desk *desk_map(int fd);
void desk_unmap(struct desk *desk); /* NULL is fine */

/* The controller starts or stops the stream at these ticks; what it does already is no change. */
void desk_run(struct desk *desk, bool runs, uint64_t ticks);
/* Whether it had the stream running then. True for times that so many changes have followed that nothing is known. */
bool desk_ran(const struct desk *desk, uint64_t ticks);

#endif
