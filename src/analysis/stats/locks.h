/* SPDX-License-Identifier: MIT */
/* The figures of locks, by lock, and by lock and thread: for the table `locks` and for `rastrum splat`. */
#ifndef ANALYSIS_STATS_LOCKS_H
#define ANALYSIS_STATS_LOCKS_H

#include "analysis/stats/lengths.h"
#include "analysis/subjects.h"

struct lock_figures {
	uint64_t n_acquired,
		n_contended; /* how often a thread got it; of these, after it had waited for it */
	struct lengths waits, holds;
};

struct lock_record {
	struct subject subject;
	uint32_t number;
	uint64_t unknown; /* ticks in which the owner is not known */
	struct lock_figures figures;
	struct lock_pair *first_pair, *last_pair; /* the threads that took it or waited for it */
};

/* One thread and one lock. */
struct lock_pair {
	struct subject subject;
	const struct lock_record *lock;
	struct lock_pair *next; /* of the same lock */
	struct rst_entity thread;
	bool has_waited;      /* since it had the lock last */
	uint64_t acquired_at; /* the last time, where figures.n_acquired is not 0 */
	struct lock_figures figures;
};

struct locks {
	struct subjects locks, threads, pairs;
};

enum { LOCKS_INTERVALS = SCAN_BIT(RST_INTERVAL_LOCK) | SCAN_BIT(RST_INTERVAL_THREAD) };

/* Counts a piece of these intervals; context is a struct locks. Returns false if memory ran out. */
bool locks_piece(void *context, const struct piece *piece);

/* Counts an acquisition; the wait for the lock may come before or behind it. Likewise. */
bool locks_acquisition(void *context, const struct rst_beginning *acquisition);

void locks_done(void *context);

#endif
