/* SPDX-License-Identifier: MIT */
/*
 * The profile lttng-kernel of CTF writes what threads and cores did as events of LTTng's kernel tracer, so
 * that viewers can fill their views of threads and cores. It is made of intervals and effects, and does not
 * depend on a dialect.
 *
 *	interval of a core    sched_switch where the thread changes, irq_handler_entry and irq_handler_exit
 *	interval of a thread  prev_state of the switch away from it
 *	effects               sched_waking and sched_wakeup, sched_process_*, syscall_entry_* and syscall_exit_*
 *	loss, damage          events_discarded of the packets behind it
 *
 * An interval is known only at its end, later than the events in it. So the intervals of each core, and the
 * effects of events, are first kept in files (spool.h), each in its own order, and merged at the end:
 *
 *	kernel_collect.c   keeps them
 *	kernel_merge.c     in the order of time, for each core
 *	kernel_events.c    the events
 *	kernel_metadata.c  their description
 *	kernel_ids.c       thread ids that fit
 */
#ifndef EXPORT_KERNEL_H
#define EXPORT_KERNEL_H

#include "analysis/subjects.h"
#include "export/spool.h"

/* A thread is its place in the table, or one of these values. */
enum { KERNEL_UNKNOWN = UINT32_MAX, KERNEL_IDLE = UINT32_MAX - 1, KERNEL_NO_THREAD = UINT32_MAX - 2 };

/* Ids of events; of services two for each type. */
enum kernel_event {
	KERNEL_SWITCH,
	KERNEL_WAKING,
	KERNEL_WAKEUP,
	KERNEL_FORK,
	KERNEL_EXIT,
	KERNEL_FREE,
	KERNEL_IRQ_ENTRY,
	KERNEL_IRQ_EXIT,
	KERNEL_N_EVENTS,
	KERNEL_SERVICES = 16
};

/* task_struct.state as LTTng has it: what the thread does when another one runs. */
enum { KERNEL_RUNNABLE = 0, KERNEL_SLEEPS = 1, KERNEL_DEAD = 64 };

/* The effect of an event. */
struct kernel_call {
	uint64_t at, seq;
	uint64_t number;      /* lost events; priority */
	uint32_t task, other; /* whose event it is; the thread that is woken, … */
	uint32_t type;	      /* index of its type */
	int16_t priority;     /* of the task */
	uint16_t core;
	uint8_t what; /* enum kernel_what */
	uint8_t has_end, asks, gave_up;
};

enum kernel_what {
	KERNEL_WHAT_SERVICE,
	KERNEL_WHAT_END, /* of a service whose end is recorded */
	KERNEL_WHAT_WAKE,
	KERNEL_WHAT_CREATE,
	KERNEL_WHAT_DELETE,
	KERNEL_WHAT_PRIORITY,
	KERNEL_WHAT_LOSS,
};

/* An interval of a core. */
struct kernel_run {
	uint64_t from, to;
	uint32_t task; /* thread, or one of those above */
	int32_t irq;   /* KERNEL_NO_IRQ if it is not known */
	uint8_t is_interrupt;
	uint8_t has_ended; /* the interrupt ends where this does */
	uint8_t left;	   /* if the thread leaves the core here: its state then */
};

enum { KERNEL_NO_IRQ = -1, KERNEL_NESTING = 32 };

struct kernel_thread {
	struct subject subject;
	uint32_t number; /* its place in the table, from 1 on */
	int32_t tid;
	int16_t priority;
	/*
	 * The last run of the thread, until its state after the run is known: the run that the core holds, or
	 * the run of this number.
	 */
	bool is_held, has_run;
	uint16_t core;
	uint64_t run;
	/* Of the merge. */
	bool is_in_service, asks, gave_up, has_left;
	uint32_t type;
};

struct kernel_core {
	uint16_t number;
	bool has_held;
	struct kernel_run held; /* the last run; later data at its end may still change it */
	uint64_t irq_end;	/* of the interrupt that ended last */
	int32_t irq;
	struct spool runs;
	/* Of the merge. */
	uint32_t current;
	int32_t unknown_tid; /* of an unknown running thread; 0 before its first use */
	uint8_t left;
	bool has_ended, has_begun;
	unsigned depth;
	int32_t irqs[KERNEL_NESTING];
	uint64_t end;
};

/* Losses of the rows of a batch, whose effects come later. */
struct kernel_loss {
	size_t row;
	struct kernel_call call;
};

struct kernel {
	struct subjects threads;
	struct kernel_core **cores;
	size_t cores_room, n_cores; /* n_cores: behind the last one that there is */
	struct spool calls;
	struct kernel_call service; /* the last one, until all effects of its event are known */
	bool has_service;
	struct kernel_loss *losses;
	size_t n_losses, losses_room, losses_given, last_row;
	uint8_t *services; /* which types have some */
	size_t services_room;
	int32_t next_tid; /* the next one to look at that may be free */
	int32_t *tids;	  /* those of the recording, sorted */
	size_t n_tids;
	uint64_t n_elsewhere; /* services of threads that did not run on the core as intervals have it */
};

/*
 * The effects and intervals that the profile needs. A service of the kernel asks for, takes, or gives
 * something; actions of the program alone do not count.
 */
enum {
	OF_SERVICES = SCAN_BIT(RST_EFFECT_ACQUIRE) | SCAN_BIT(RST_EFFECT_RELEASE) |
		      SCAN_BIT(RST_EFFECT_SEND) | SCAN_BIT(RST_EFFECT_RECEIVE) |
		      SCAN_BIT(RST_EFFECT_ALLOCATE) | SCAN_BIT(RST_EFFECT_FREE) |
		      SCAN_BIT(RST_EFFECT_CREATE) | SCAN_BIT(RST_EFFECT_DELETE),
	OF_SWITCHES = SCAN_BIT(RST_EFFECT_SWITCH) | SCAN_BIT(RST_EFFECT_SCHEDULE),
	KERNEL_EFFECTS = OF_SERVICES | SCAN_BIT(RST_EFFECT_WAIT) | SCAN_BIT(RST_EFFECT_WAKE) |
			 SCAN_BIT(RST_EFFECT_BEGIN) | SCAN_BIT(RST_EFFECT_END) |
			 SCAN_BIT(RST_EFFECT_PRIORITY),
	KERNEL_INTERVALS = SCAN_BIT(RST_INTERVAL_CORE) | SCAN_BIT(RST_INTERVAL_THREAD) |
			   SCAN_BIT(RST_INTERVAL_INTERRUPT),
};

/* Returns false if memory ran out. */
bool kernel_row(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at);
bool kernel_effect(void *context, const struct occurrence *occurrence);
bool kernel_piece(void *context, const struct piece *piece);
bool kernel_collected(struct export *export); /* behind all of them */
void kernel_done(struct export *export);

/* Gives each thread an id that readers accept. */
bool kernel_ids(struct kernel *kernel);
int32_t kernel_id_next(struct kernel *kernel);

/* Writes the packets. */
bool kernel_merge(struct export *export);

static inline struct kernel_thread *kernel_thread(const struct kernel *kernel, uint32_t n)
{
	return (struct kernel_thread *)(void *)kernel->threads.all[n];
}

/* Each adds one event to the packet of a core. */
struct kernel_task {
	const char *name;
	size_t n_name;
	int32_t tid;
	int32_t priority;
};

bool kernel_put_switch(struct export *export, uint16_t core, uint64_t at, const struct kernel_task *from,
	int64_t state, const struct kernel_task *to);
bool kernel_put_wake(struct export *export, uint16_t core, uint64_t at, enum kernel_event event,
	const struct kernel_task *target, int32_t cpu);
bool kernel_put_task(struct export *export, uint16_t core, uint64_t at, enum kernel_event event,
	const struct kernel_task *target);
bool kernel_put_fork(struct export *export, uint16_t core, uint64_t at, const struct kernel_task *parent,
	const struct kernel_task *child);
bool kernel_put_irq(struct export *export, uint16_t core, uint64_t at, int32_t irq, bool is_entry);
bool kernel_put_service(
	struct export *export, uint16_t core, uint64_t at, uint32_t type, bool is_entry, bool gave_up);
bool kernel_put_loss(struct export *export, uint16_t core, uint64_t at, uint64_t n_events);

void kernel_put_metadata(struct export *export, struct outbuf *out);

#endif
