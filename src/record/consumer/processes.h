/* SPDX-License-Identifier: MIT */
/*
 * What the consumer, or a snapshot, finds out about the processes and threads that events name: what lies in their memory,
 * and what they are called. Mostly they have published it themselves (procinfo.h). What they have not is asked when they are met,
 * because later they may be gone; and seldom, because what an event says is a claim that can be made a million times a
 * second. Async-signal-safe, but errno is not kept.
 */
#ifndef CONSUMER_PROCESSES_H
#define CONSUMER_PROCESSES_H

#include "record/consumer/modules.h"
#include "record/kernel/perf.h"
#include "record/process/procinfo.h"

#define PROCESSES_THREADS 1024 /* a power of two */
#define PROCESSES_LOOKS	  64

struct processes_thread {
	uint32_t pid, tid; /* 0, 0: a free slot */
	char name[16];	   /* as written to the log; empty: not known */
};
struct processes_look {
	uint32_t pid;
	bool is_due; /* there was an unknown address soon after the last look */
	uint64_t looked_at;
	uint64_t pool; /* where it has the pool in its memory; 0: not known */
};

struct processes {
	struct log_writer *log;
	const struct pool *pool;
	struct procinfo_reader procinfo;
	uint32_t last_pid, last_tid;		/* met last, and known */
	const struct modules_range *last_range; /* where the last address was found */
	uint32_t n_named;			/* names written in all */
	uint64_t work_left;
	uint32_t refreshed;
	struct processes_thread threads[PROCESSES_THREADS];
	struct processes_look looks[PROCESSES_LOOKS];
	struct modules modules;
};

/*
 * Memory that was zero. pool: of the events (NULL: of none, and every map is believed). work: how much may be asked in all,
 * where a name is 1 and a look at a process's memory is PROCESSES_LOOK_WORK; what is met later stays a number.
 */
void processes_begin(
	struct processes *processes, struct log_writer *log, const struct pool *pool, uint64_t work);
#define PROCESSES_LOOK_WORK 64
/* A process whose events will come: its memory and its name. now: nanoseconds that rise. */
int processes_expect(struct processes *processes, uint32_t pid, uint64_t now);
/* Before an event is written. 0, or the log's error: then it is asked again with the same event. */
int processes_meet(struct processes *processes, const struct log_event *event, uint64_t now);
/* What processes that were met have told up to these ticks. */
int processes_follow(struct processes *processes, uint64_t ticks);
/* The kernel says what a thread is called from here on (16 bytes), or who has made it, whose name it has. 0, or the log's
 * error. */
int processes_named(struct processes *processes, uint32_t pid, uint32_t tid, const char *name);
int processes_forked(struct processes *processes, const struct perf_record *fork);
/* What was put off; all of it, or what is old enough. */
int processes_catch_up(struct processes *processes, uint64_t now, bool at_once);
/* Threads that have other names by now; some of them each time. To be asked when all their events are written. */
int processes_refresh(struct processes *processes);
/* After log_restart(): says all anew when it is met again. */
void processes_forget(struct processes *processes);

#endif
