/* SPDX-License-Identifier: MIT */
/*
 * The facts that the consumer, or a snapshot, collects about the processes and threads of events: the files
 * in their memory, and names. Usually the processes have published them (procinfo.h, tasks.h). The rest is
 * read from /proc: at the first event, because later they may be gone; and seldom, because an event's pid is
 * a claim that can be made a million times a second. Async-signal-safe, but errno is not kept.
 */
#ifndef CONSUMER_PROCESSES_H
#define CONSUMER_PROCESSES_H

#include "record/consumer/modules.h"
#include "record/kernel/perf.h"
#include "record/process/procinfo.h"

#define PROCESSES_THREADS 1024 /* a power of two */
#define PROCESSES_LOOKS	  64

#define PROCESSES_NO_PRIORITY INT32_MIN
struct processes_thread {
	uint32_t pid, tid; /* both 0 in a free slot */
	char name[16];	   /* as written to the log; empty: not known */
	int32_t priority;  /* as well; or PROCESSES_NO_PRIORITY */
};
struct processes_look {
	uint32_t pid;
	bool is_due; /* an unknown address came soon after the last look */
	uint64_t looked_at;
	uint64_t pool; /* where it has mapped the pool; 0 if it is not known */
};

struct processes {
	struct log_writer *log;
	const struct pool *pool;
	struct procinfo_reader procinfo;
	uint32_t last_pid, last_tid;		/* of the last event, known */
	const struct modules_range *last_range; /* of the last address */
	uint32_t n_named;			/* names written so far */
	uint64_t work_left;
	uint32_t refreshed;
	struct processes_thread threads[PROCESSES_THREADS];
	struct processes_look looks[PROCESSES_LOOKS];
	struct modules modules;
};

/*
 * Begins in zeroed memory. pool is the pool of the events; if it is NULL, every map is trusted. work limits
 * all reads of /proc: a name counts 1, a memory map PROCESSES_LOOK_WORK. Threads beyond the limit have no
 * name.
 */
void processes_begin(
	struct processes *processes, struct log_writer *log, const struct pool *pool, uint64_t work);
#define PROCESSES_LOOK_WORK 64
/* Writes memory and name of a process whose events will come. now: nanoseconds that never decrease. */
int processes_expect(struct processes *processes, uint32_t pid, uint64_t now);
/* Before an event is written. 0, or the log's error: then it is called again with the same event. */
int processes_meet(struct processes *processes, const struct log_event *event, uint64_t now);
/* Whether processes_meet() has nothing to do: of the same thread and module as the event before. */
static inline bool processes_have_met(const struct processes *processes, const struct log_event *event)
{
	const struct modules_range *range = processes->last_range;

	return event->pid == 0 || (event->pid == processes->last_pid && event->tid == processes->last_tid &&
					  procinfo_reader_is_idle(&processes->procinfo, event->pid) &&
					  (event->address == 0 || (range && range->pid == event->pid &&
									  event->address >= range->start &&
									  event->address < range->end)));
}
/* Writes what known processes have published up to these ticks. */
int processes_follow(struct processes *processes, uint64_t ticks);
/*
 * Name of a thread (16 bytes) from here on, as the kernel reports it; and a new thread, which has the name of
 * its creator. 0, or the log's error.
 */
int processes_named(struct processes *processes, uint32_t pid, uint32_t tid, const char *name);
int processes_forked(struct processes *processes, const struct perf_record *fork);
/* Does what was postponed: all of it, or what is old enough. */
int processes_catch_up(struct processes *processes, uint64_t now, bool at_once);
/* Writes changed names of threads, of some threads at each call. Called when all their events are written. */
int processes_refresh(struct processes *processes);
/* After log_restart(): everything is written again at its next event. */
void processes_forget(struct processes *processes);

#endif
