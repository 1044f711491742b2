/* SPDX-License-Identifier: MIT */
/* The state that the threads of a report share, for workers.c and blocks.c. */
#ifndef LINES_WORKER_H
#define LINES_WORKER_H

#include <pthread.h>

#include "lines/workers.h"

/*
 * Memory in which lines are made. A thread reuses its own memory, so that it stays with the thread's
 * processor.
 */
struct lines {
	struct outbuf out;
	struct worker *owner;
	struct lines *next; /* of the owner, free */
};

/* The lines of a batch, from the thread that takes it to the one that writes. */
struct block {
	struct lines *lines;
	uint64_t n_lines;
	bool is_ready;
	uint64_t first_seq, n_events; /* of the batch: the same for all threads that read the same */
};

struct worker {
	struct workers *workers;
	uint64_t n_batches;  /* that have come by */
	bool is_single;	     /* from now on no batch is shared */
	bool has_batch;	     /* taken and not given yet */
	uint64_t n_lines;    /* of the report when it was taken */
	struct lines *lines; /* of the batch that is being formatted */
	struct lines *free;  /* with the mutex, last used first */

	/* But for the first worker, which is the caller's thread. */
	pthread_t thread;
	bool is_running; /* to be joined */
	struct report report;
	struct report_input input;
	struct outbuf heading; /* that the first worker writes */
};

/* Until it ends, the first worker alone uses what has no mutex. */
struct workers {
	struct outbuf *out;  /* where lines go */
	uint64_t first_seq;  /* of the trace, in the report */
	bool is_begun;	     /* threads may be running */
	uint64_t next_write; /* batches below it are written */

	pthread_mutex_t mutex; /* for all below, and for blocks that are not ready */
	pthread_cond_t changed;
	bool is_over;	  /* threads are to end */
	bool has_failed;  /* one could not format a batch that it had taken */
	uint64_t n_taken; /* batches below it have a thread */
	uint64_t n_open;  /* batches below it may be taken */
	size_t n_blocks;
	struct block *blocks; /* by the number of the batch */
	struct lines *lines;  /* one for each block, and one for each worker */
	size_t n_workers;
	struct worker workers[];
};

static inline bool is_first(const struct worker *worker)
{
	return worker == worker->workers->workers;
}

/* --- blocks.c: where lines are made, and wait ----------------------------------------------------------- */

bool blocks_init(struct workers *workers);
void blocks_done(struct workers *workers);

/* The block of a batch, by its number. */
struct block *block_of(struct workers *workers, uint64_t batch);

/*
 * With the mutex: what the thread has written becomes the block of its batch, and it goes on with empty
 * memory.
 */
void block_give(struct worker *worker, struct report *report);

/* With the mutex, which is free while the caller's thread writes: writes the blocks that can be written. */
void blocks_write(struct workers *workers, struct report *report);

/* With the mutex: waits for a change, and writes the blocks that are ready. */
void worker_wait(struct worker *worker, struct report *report);

/* Writes all batches in front of the given one, if that is still possible. */
void blocks_drain(struct workers *workers, struct report *report, uint64_t end);

#endif
