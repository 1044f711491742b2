/* SPDX-License-Identifier: MIT */
/*
 * The sub-buffers of all CPU buffers as one sequence, oldest event first. A look at all sub-buffers finds
 * what is published, and a heap of sub-buffers gives it in order of time, by runs: events of one sub-buffer
 * that are older than those of all others. A run is copied before it is checked, and is dropped if its
 * sub-buffer was overwritten meanwhile. A consuming reader claims each run and returns emptied sub-buffers to
 * the pool; other readers change nothing in the pool. Where only free sub-buffers are written to (in streams
 * that are not LOOP), a consuming reader need not copy: its events stay where they are until it returns them.
 */
#ifndef BUFFER_MERGE_H
#define BUFFER_MERGE_H

#include "log/pack.h"
#include "record/buffer/pool.h"

/* The contents of a sub-buffer at the last look; later values in shared memory cannot move the reader beyond
 * them. */
struct merge_subbuf {
	uint64_t generation;
	uint64_t ticks; /* of the next event; never less than those of the event before */
	uint64_t mark;	/* the sub-buffer's `read` as last known */
	uint32_t at, end;
	uint32_t n_read, n_events; /* up to `end` */
	uint32_t buffer;	   /* of the writer */
};

/* A run ends behind the event that reaches MERGE_RUN_USUAL; that may be a longest one. */
enum {
	MERGE_RUN_USUAL = 16384,
	MERGE_RUN_BYTES = MERGE_RUN_USUAL + sizeof(struct log_event) + LOG_DATA_MAX,
};

struct merge {
	struct pool pool;
	bool consume;
	bool is_in_place; /* runs are not copied */
	uint32_t run_max; /* events of a run that is copied, at the most */
	uint64_t horizon; /* all events with stamps up to this were published before the last look */
	uint64_t n_lost;  /* if not consuming: the pool counts what a consuming reader loses */
	uint32_t n_queue;
	uint32_t *queue; /* a heap of sub-buffer numbers, the oldest next event on top */
	struct merge_subbuf *subbufs;
	uint32_t *
		/* of the shared buffers at the last look: an owner that is still the same may be dead */
		owners;
	enum pool_ring_number ring; /* of the run */
	struct log_event event;	    /* the last one that was taken, */
	const unsigned char *data;  /* and its data */
	uint64_t n_runs;
	uint32_t n_run;	  /* events of the run that wait, */
	uint32_t run_at;  /* from here */
	uint32_t run_end; /* to here */
	_Alignas(8) unsigned char run[MERGE_RUN_BYTES];
};

/* Size of the arrays, which the caller allocates; aligned as by malloc(), and zeroed. */
size_t merge_bytes(const struct pool *pool);
void merge_begin(struct merge *merge, const struct pool *pool, bool consume, uint32_t run_max, void *arrays);

/*
 * Takes the oldest event. Returns false if there is no event now. When all events that the last look found
 * have been taken, it looks again and sets *has_looked, unless *has_looked is set. So a reader that is slower
 * than the writers comes to an end.
 */
bool merge_next(struct merge *merge, bool *has_looked);
/*
 * Finds events that can be taken next as they lie there: those that wait in the run, else those of the oldest
 * sub-buffer that the last look found, if writers do not overwrite. Returns false if there are no such
 * events. merge_pass() then takes the first n_events of them, which have n_bytes.
 */
bool merge_run(struct merge *merge, struct log_run *ret_run);
void merge_pass(struct merge *merge, uint32_t n_events, uint32_t n_bytes);
/* Counts an event that was taken and is not delivered as lost. */
void merge_drop(struct merge *merge);
/* Takes and drops all that is there now. */
void merge_discard(struct merge *merge);
/* Bytes that wait to be taken, found without merging: a cheap look. */
size_t merge_waiting(const struct merge *merge);

#endif
