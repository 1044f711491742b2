/* SPDX-License-Identifier: MIT */
/*
 * What one process has attached: the streams that its trace points write to, and its name map. Forks are noticed
 * without anybody's help: a page that the kernel wipes in children (MADV_WIPEONFORK) says 0 there, and the first
 * trace point in the child keeps the inherited streams and drops the others.
 */
#ifndef ATTACH_PROCESS_H
#define ATTACH_PROCESS_H

#include "record/attach/names.h"
#include "record/attach/ring.h"

#include <pthread.h>

#define PROCESS_STREAMS 64
/* Reached without the linker's tables: these are looked at by every trace point. */
#define PROCESS_HIDDEN	__attribute__((visibility("hidden")))

/* This thread as its events say it, and what it knows of the process; true while its epoch is the page's. */
struct process_thread {
	uint64_t epoch;	   /* never 0, which is the page's just after a fork */
	uint32_t pid, tid; /* with thread: the last 16 bytes of struct log_event */
	uint64_t thread;   /* the bits of pthread_self() */
	const struct ring
		*ring; /* the one that is attached; one that takes nothing when there are none or several */
	void *rseq;    /* of this thread; NULL: its events go through the shared slots */
	bool has_rseq;
	uint32_t slot; /* the shared slot to try first */
};

/* A trace point's first look: bit n is set when the ring at place n is attached. */
extern _Atomic uint64_t process_gate PROCESS_HIDDEN;

/* The same of those that children write to as well. */
extern _Atomic uint64_t process_inherited PROCESS_HIDDEN;

/* The rings that are attached (places.c). */
extern const struct ring *_Atomic process_rings[PROCESS_STREAMS] PROCESS_HIDDEN;
static inline const struct ring *process_ring(int place)
{
	return atomic_load_explicit(&process_rings[place], memory_order_acquire);
}

/* Wiped by the kernel in a child, which is why it is alone in its page (the kernel wipes whole ones). */
struct process_page {
	_Alignas(4096) _Atomic uint64_t epoch; /* 0: just forked; another one whenever a ring comes or goes */
	_Atomic uint32_t is_refreshing;
	pthread_mutex_t lock; /* of attaching and detaching */
};
extern struct process_page process_page PROCESS_HIDDEN;

extern __thread struct process_thread process_self PROCESS_HIDDEN __attribute__((tls_model("initial-exec")));

/* Brings thread and process up to date: the first event of a thread, the first after a fork. Async-signal-safe, keeps
 * errno. False: not now (another thread of a child is at it, and takes too long). */
bool process_refresh(void);

/* The calling thread; NULL: not now. */
static inline const struct process_thread *process_here(void)
{
	uint64_t epoch = atomic_load_explicit(&process_page.epoch, memory_order_relaxed);

	if (__builtin_expect(epoch != process_self.epoch, 0) && !process_refresh())
		return NULL;
	return &process_self;
}

/* The same for functions that are no trace points: never NULL, and what the functions below say is true in a
 * child, too. */
const struct process_thread *process_thread(void);

/* The name map as trace points see it; NULL: nobody has opened a name. */
extern struct names *_Atomic process_map PROCESS_HIDDEN;

/*
 * A gate of a part of the program that has points of <trace_point_np.h>: kept 1 while anything is attached, else 0.
 */
void process_add_gate(_Atomic uint32_t *gate);
void process_drop_gate(_Atomic uint32_t *gate);

/* With the page's lock held: every thread looks anew at its next event, and the gates follow. */
void process_new_epoch(void);

/*
 * Memory for a ring of this geometry, clock, policy and data size: what one just like it left, if there is any (see
 * places.c). MAP_FAILED: errno says why.
 */
void *process_memory(const struct ring *like, int fd);
/* Attaches a ring that is in such memory: trace points write to it from now on. The place, or -1: there are
 * PROCESS_STREAMS. The ring itself stays yours. */
int process_attach(const struct ring *ring, bool is_inherited);
/* Detaches: no trace point begins to write to it any more, and what is under way does no harm. The ring's memory is
 * gone then, by process_release(). */
void process_detach(int place);
void process_release(const struct ring *ring);

/* The clocks when the process began, or when it first asked with this clock: for stamps to become time, a pair from long
 * ago is better than one from now. */
struct log_clock_pair process_first_pair(enum log_clock clock);

/* The name map, made when first asked for; NULL: no memory. */
struct names *process_names(void);
/* Its descriptor, for the keeper; -1. */
int process_names_fd(void);

#endif
