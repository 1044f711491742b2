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

/* The rings that are attached, at places that are used again as late as possible: a trace point may hold one still. */
struct process_place {
	_Alignas(128) struct ring ring;
};
extern struct process_place process_places[PROCESS_STREAMS] PROCESS_HIDDEN;

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

/*
 * Maps a new ring of this geometry, where one of the same geometry was detached before if there is such a place: a trace
 * point that was interrupted before a stream went may go on afterwards, and must find memory of the same shape.
 */
void *process_memory(const struct ring_geometry *geometry, int fd);

/* Attaches a ring in the calling process: its trace points write to it from now on. The place, or -1 (EAGAIN). */
int process_attach(const struct ring *ring, bool is_inherited);
/* Detaches; when it returns no trace point can write to the ring any more; its memory must stay mapped, so
 * use process_detach(), not ring_unmap(). */
void process_detach(int place);
/* The same for a ring that could not be attached. */
void process_release(const struct ring *ring);
/* The ring attached at a place. */
const struct ring *process_ring(int place);

/* The name map, made when first asked for; NULL: no memory. */
struct names *process_names(void);
/* Its descriptor, for the keeper; -1. */
int process_names_fd(void);

#endif
