/* SPDX-License-Identifier: MIT */
/*
 * The sub-buffers of all CPU buffers as one sequence, the oldest event first. A look at all sub-buffers says what is there, and a heap of
 * them gives it in order; each event is copied before it is believed, and none is given that was overwritten meanwhile. A
 * consuming reader makes each event its own and gives emptied sub-buffers back to the pool; else nothing in the pool is changed.
 */
#ifndef BUFFER_MERGE_H
#define BUFFER_MERGE_H

#include "record/buffer/pool.h"

/* What is known of a sub-buffer: nothing that shared memory says later is believed beyond it. */
struct merge_subbuf {
	uint64_t generation;
	uint64_t ticks; /* of the next event; never less than that of the one before */
	uint64_t mark;	/* sub-buffer's read, as it was last */
	uint32_t at, end;
	uint32_t n_read, n_events; /* up to `end` */
	uint32_t buffer;	   /* of the writer */
};

struct merge {
	struct pool pool;
	bool consume;
	uint64_t
		horizon; /* all events stamped up to this had been published when the sub-buffers were looked at */
	uint64_t n_lost; /* not of a consuming reader, whose losses the pool counts */
	uint32_t n_queue;
	uint32_t *queue; /* a heap of sub-buffer numbers, the oldest next event on top */
	struct merge_subbuf *subbufs;
	uint32_t *owners; /* of the shared buffers at the last look: who is still the same may be dead */
	struct log_event event;				  /* the last one, */
	_Alignas(8) unsigned char data[LOG_DATA_MAX + 8]; /* and its data */
};

/* Of the arrays, which are the caller's; aligned as malloc() does, and zeroed. */
size_t merge_bytes(const struct pool *pool);
void merge_begin(struct merge *merge, const struct pool *pool, bool consume, void *arrays);

/*
 * Takes the oldest event. False: there is none now. Sub-buffers are looked at anew when what was seen has been taken, unless
 * *has_looked, which says so from then on: a reader who is slower than the writers comes to an end.
 */
bool merge_next(struct merge *merge, bool *has_looked);
/* An event is lost: it was taken, and is not given. */
void merge_drop(struct merge *merge);
/* Takes all that is there now. */
void merge_discard(struct merge *merge);
/* Bytes that wait to be taken, without order: a look that costs little. */
size_t merge_waiting(const struct merge *merge);

#endif
