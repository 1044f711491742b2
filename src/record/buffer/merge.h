/* SPDX-License-Identifier: MIT */
/*
 * The sub-buffers of all CPU buffers as one sequence, oldest event first. A look at all sub-buffers finds what is
 * published, and a heap of sub-buffers gives it in order of time. Each event is copied before it is checked, and is
 * dropped if its sub-buffer was overwritten meanwhile. A consuming reader claims each event and returns emptied
 * sub-buffers to the pool; other readers change nothing in the pool.
 */
#ifndef BUFFER_MERGE_H
#define BUFFER_MERGE_H

#include "record/buffer/pool.h"

/* What the last look found in a sub-buffer; later values in shared memory cannot move it beyond that. */
struct merge_subbuf {
	uint64_t generation;
	uint64_t ticks; /* of the next event; never less than those of the event before */
	uint64_t mark;	/* the sub-buffer's `read` as last known */
	uint32_t at, end;
	uint32_t n_read, n_events; /* up to `end` */
	uint32_t buffer;	   /* of the writer */
};

struct merge {
	struct pool pool;
	bool consume;
	uint64_t horizon; /* all events with stamps up to this were published before the last look */
	uint64_t n_lost;  /* if not consuming: the pool counts what a consuming reader loses */
	uint32_t n_queue;
	uint32_t *queue; /* a heap of sub-buffer numbers, the oldest next event on top */
	struct merge_subbuf *subbufs;
	uint32_t *
		owners; /* of the shared buffers at the last look: an owner that is still the same may be dead */
	struct log_event event;				  /* the last one, */
	_Alignas(8) unsigned char data[LOG_DATA_MAX + 8]; /* and its data */
};

/* Size of the arrays, which the caller allocates; aligned as by malloc(), and zeroed. */
size_t merge_bytes(const struct pool *pool);
void merge_begin(struct merge *merge, const struct pool *pool, bool consume, void *arrays);

/*
 * Takes the oldest event. False: there is none now. When all that was found has been taken, it looks again, unless
 * *has_looked; it sets *has_looked when it does. So a reader that is slower than the writers comes to an end.
 */
bool merge_next(struct merge *merge, bool *has_looked);
/* Counts an event that was taken and is not delivered as lost. */
void merge_drop(struct merge *merge);
/* Takes and drops all that is there now. */
void merge_discard(struct merge *merge);
/* Bytes that wait to be taken, found without merging: a cheap look. */
size_t merge_waiting(const struct merge *merge);

#endif
