/* SPDX-License-Identifier: MIT */
/*
 * How threads pass from one state to the next, from the pieces of their intervals: runs that end, threads
 * that are woken, and how long they were ready until they ran. An interrupt does not end a run.
 *
 *	running -> ready    preempted          waiting, created -> ready    woken
 *	running -> waiting  blocked            ready -> running             ran, `lasted` after it was woken or preempted
 */
#ifndef ANALYSIS_CHANGES_H
#define ANALYSIS_CHANGES_H

#include "analysis/scan.h"
#include "analysis/subjects.h"

struct change {
	const struct rst_entity *thread;
	uint64_t at;
	enum rst_state before, after; /* running: interrupted, too */
	uint64_t lasted;	      /* ticks in the state before; of a run, without interrupts */
	bool is_whole;		      /* lasted is a figure of the target: all of it was recorded */
	bool is_wake;	/* from waiting or created: it may run. after is running where it ran at once */
	bool is_answer; /* it runs after it was woken; waited is the time until then */
	uint64_t waited;
	/* wake, answer: the context that woke it; its form is RST_ENTITY_NONE if it is not known */
	const struct rst_entity *by;
	uint16_t core;	   /* after: on which it runs, or RST_NO_CORE */
	bool is_switch;	   /* it got a core: it runs, and did not before, or on another one */
	bool is_migration; /* it ran on another core last */
};

static inline bool change_is_preemption(const struct change *change)
{
	return change->before == RST_STATE_RUNNING && change->after == RST_STATE_READY;
}

struct changes {
	struct subjects threads;
	struct rst_entity by; /* of the last change */
	size_t n_known;	      /* threads that the recording has data about */
};

enum changes_result { CHANGES_NONE, CHANGES_ONE, CHANGES_NO_MEMORY };

/*
 * Takes a piece of a thread, in the order of the scan. *ret_change is the change by which the piece began,
 * borrowed until the next piece.
 */
enum changes_result changes_take(
	struct changes *changes, const struct piece *piece, struct change *ret_change);

/*
 * After the last piece: the change by which a thread's last run ended, if an event ended it. No piece follows
 * such a run if the event is the last one. Threads are numbered from 0. Returns false if no event ended a run
 * of the thread. *ret_change is borrowed from the changes, and its `after` is RST_STATE_UNKNOWN.
 */
bool changes_end(const struct changes *changes, size_t thread, struct change *ret_change);

/*
 * The share of threads' time in which it is not known what they did; 1 where nothing is. Threads that are
 * only named do not count.
 */
double changes_unknown(const struct changes *changes);

void changes_done(struct changes *changes);

#endif
