/* SPDX-License-Identifier: MIT */
/* The figures of locks, by lock, and by lock and thread: for the table `locks` and for `rastrum splat`. */
#ifndef ANALYSIS_STATS_LOCKS_H
#define ANALYSIS_STATS_LOCKS_H

#include "analysis/stats/lengths.h"
#include "analysis/stats/stats.h"
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
	/*
	 * The present stretch of time in which it may have had one owner throughout, and the longest one with
	 * unknown time.
	 */
	struct {
		uint64_t from, to;
		bool has_unknown;
	} stretch;
	uint64_t longest_stretch;
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

/* The table, whose observer `rastrum splat` uses; this is its state. */
extern const struct analysis analysis_locks;

struct locks {
	struct subjects locks, threads, pairs;
	uint64_t unknown; /* ticks of threads in which they may have waited for any lock */
};

#endif
