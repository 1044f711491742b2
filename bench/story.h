/* SPDX-License-Identifier: MIT */
/*
 * A made-up ThreadX system that keeps its own rules, so that state built from its events never contradicts
 * itself:
 *
 *   - A core runs its most urgent ready thread; among equals the one that is ready for longest. Resume and
 *     suspend events name the thread that runs next on their core, and the next event there is that thread's
 *     or an interrupt's, unless another core makes a more urgent thread of this one ready in between.
 *   - An interrupt carries the thread it interrupted; enter and exit agree in number, depth and stack.
 *   - Mutexes have one owner, which puts what it got; queues count their messages. At most one thread waits
 *     for each.
 *   - A thread holds one mutex at most and interrupts wake threads that sleep or wait for a message: no
 *     deadlock.
 *
 * Tracing starts after all objects exist, as in most recordings, so there are no create events. Timeouts are
 * served by the timer interrupt itself (TX_TIMER_PROCESS_IN_ISR): there is no timer thread. Mutexes do not
 * inherit priority.
 *
 * A step is one action of one core; it may take several events. Begin reading at story_step() in story.c.
 */
#ifndef BENCH_STORY_H
#define BENCH_STORY_H

#include "base/outbuf.h"
#include "bench/gen.h"
#include "embed/threadx/txtb_image.h"

enum { STORY_QUEUES = 8, STORY_MUTEXES = 4, STORY_QUEUE_MESSAGES = 16, STORY_STACK_BYTES = 2048 };

struct thread {
	uint64_t control, stack;
	uint64_t ready_since; /* counts readied threads; smaller: ready for longer */
	struct mutex *held;
	unsigned core, state;
	uint16_t priority;
};

struct queue {
	uint64_t control;
	unsigned n_messages;
	struct thread *receiver; /* waits for a message, so that n_messages is 0 */
};

struct mutex {
	uint64_t control;
	struct thread *owner, *waiter;
};

struct story {
	const struct gen_threadx *how;
	const struct txtb_layout *layout;
	struct outbuf *out;
	uint64_t first, end; /* the events that are written */
	uint64_t n_put;	     /* all events so far, written or not */
	uint64_t ram, stamp, stamp_bits, random_state, n_readied;
	struct thread *next[GEN_CORES_MAX]; /* each core runs it, or will once its interrupt ends */
	struct thread threads[GEN_THREADS_MAX];
	struct queue queues[STORY_QUEUES];
	struct mutex mutexes[STORY_MUTEXES];
};

/* The start of RAM in the target, and the trace buffer behind all objects of the story. */
uint64_t story_ram(const struct gen_threadx *how);
uint64_t story_image(const struct gen_threadx *how);

/* Sets the scene: all threads are ready, queues empty, mutexes free. */
void story_init(struct story *story, const struct gen_threadx *how, const struct txtb_layout *layout,
	struct outbuf *out);
/* Runs the story from its beginning and writes events [first, end) of it. */
void story_write(struct story *story, uint64_t first, uint64_t end);

#endif
