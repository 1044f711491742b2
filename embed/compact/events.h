/* SPDX-License-Identifier: MIT */
/*
 * The events of a kernel, by name. The program gives its objects small numbers (which take one byte below
 * 128), separate for each kind; rastrum_compact_names() gives them names. Numbers from 0 to 31 are for these
 * events. The program's own events are rastrum_user_0() to _3(); each of them may be used with each number.
 */
#ifndef EMBED_COMPACT_EVENTS_H
#define EMBED_COMPACT_EVENTS_H

#include "embed/compact/compact.h"

enum rastrum_event_number {
	RASTRUM_TASK_SWITCH = 1,
	RASTRUM_TASK_READY = 2,
	RASTRUM_TASK_BLOCK = 3,
	RASTRUM_TASK_CREATE = 4,
	RASTRUM_TASK_DELETE = 5,
	RASTRUM_TASK_PRIORITY = 6,
	RASTRUM_ISR_ENTER = 8,
	RASTRUM_ISR_EXIT = 9,
	RASTRUM_SEMAPHORE_WAIT = 10,
	RASTRUM_SEMAPHORE_TAKE = 11,
	RASTRUM_SEMAPHORE_GIVE = 12,
	RASTRUM_MUTEX_WAIT = 13,
	RASTRUM_MUTEX_LOCK = 14,
	RASTRUM_MUTEX_UNLOCK = 15,
	RASTRUM_QUEUE_SEND = 16,
	RASTRUM_QUEUE_RECEIVE = 17,
	RASTRUM_TIMER_START = 18,
	RASTRUM_TIMER_EXPIRE = 19,
	RASTRUM_ALLOCATE = 20,
	RASTRUM_FREE = 21,
	RASTRUM_BEGIN = 22,
	RASTRUM_END = 23,
	RASTRUM_COUNTER = 24,
	RASTRUM_FLAGS_SET = 25,
	RASTRUM_FLAGS_WAIT = 26
};

/* From here on the task runs on this core; 0 if none does. */
static inline void rastrum_task_switch(struct rastrum_compact *compact, uint32_t task)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_TASK_SWITCH, 1), task);
}

/* It is ready to run: it waits for nothing any more. */
static inline void rastrum_task_ready(struct rastrum_compact *compact, uint32_t task)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_TASK_READY, 1), task);
}

/* It waits from here on: in the kernel, where a task is taken from those that are ready. */
static inline void rastrum_task_block(struct rastrum_compact *compact, uint32_t task)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_TASK_BLOCK, 1), task);
}

static inline void rastrum_task_create(struct rastrum_compact *compact, uint32_t task, uint32_t priority)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_TASK_CREATE, 2), task, priority);
}

static inline void rastrum_task_delete(struct rastrum_compact *compact, uint32_t task)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_TASK_DELETE, 1), task);
}

/* It gets a priority. */
static inline void rastrum_task_priority(struct rastrum_compact *compact, uint32_t task, uint32_t priority)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_TASK_PRIORITY, 2), task, priority);
}

/* The handler of an interrupt begins on this core. */
static inline void rastrum_isr_enter(struct rastrum_compact *compact, uint32_t interrupt)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_ISR_ENTER, 1), interrupt);
}

/* It ends. */
static inline void rastrum_isr_exit(struct rastrum_compact *compact)
{
	rastrum_compact_0(compact, RASTRUM_COMPACT_ID(RASTRUM_ISR_EXIT, 0));
}

/* Asks for it, before it is known whether it must wait; rastrum_task_block() records that a task waits. */
static inline void rastrum_semaphore_wait(struct rastrum_compact *compact, uint32_t semaphore)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_SEMAPHORE_WAIT, 1), semaphore);
}

/* Has got it; count: what is left behind that, at this time. */
static inline void rastrum_semaphore_take(struct rastrum_compact *compact, uint32_t semaphore, uint32_t count)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_SEMAPHORE_TAKE, 2), semaphore, count);
}

/* Count: what is there behind that, at this time; 0 when a task that waited has got it. */
static inline void rastrum_semaphore_give(struct rastrum_compact *compact, uint32_t semaphore, uint32_t count)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_SEMAPHORE_GIVE, 2), semaphore, count);
}

/* As rastrum_semaphore_wait(). */
static inline void rastrum_mutex_wait(struct rastrum_compact *compact, uint32_t mutex)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_MUTEX_WAIT, 1), mutex);
}

static inline void rastrum_mutex_lock(struct rastrum_compact *compact, uint32_t mutex)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_MUTEX_LOCK, 1), mutex);
}

static inline void rastrum_mutex_unlock(struct rastrum_compact *compact, uint32_t mutex)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_MUTEX_UNLOCK, 1), mutex);
}

/* Has sent, has received; level: messages in the queue behind that, at this time. */
static inline void rastrum_queue_send(struct rastrum_compact *compact, uint32_t queue, uint32_t level)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_QUEUE_SEND, 2), queue, level);
}

static inline void rastrum_queue_receive(struct rastrum_compact *compact, uint32_t queue, uint32_t level)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_QUEUE_RECEIVE, 2), queue, level);
}

/* It expires after so many ticks of the kernel. */
static inline void rastrum_timer_start(struct rastrum_compact *compact, uint32_t timer, uint32_t n_ticks)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_TIMER_START, 2), timer, n_ticks);
}

static inline void rastrum_timer_expire(struct rastrum_compact *compact, uint32_t timer)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_TIMER_EXPIRE, 1), timer);
}

/* Has asked for n_bytes; address: where they are, 0 when there was no room. */
static inline void rastrum_allocate(
	struct rastrum_compact *compact, uint32_t pool, uint32_t address, uint32_t n_bytes)
{
	rastrum_compact_3(compact, RASTRUM_COMPACT_ID(RASTRUM_ALLOCATE, 3), pool, address, n_bytes);
}

static inline void rastrum_free(struct rastrum_compact *compact, uint32_t pool, uint32_t address)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_FREE, 2), pool, address);
}

/* A piece of work begins. */
static inline void rastrum_begin(struct rastrum_compact *compact, uint32_t span)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_BEGIN, 1), span);
}

/* It ends. */
static inline void rastrum_end(struct rastrum_compact *compact, uint32_t span)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_ID(RASTRUM_END, 1), span);
}

/* A level at this time. */
static inline void rastrum_counter(struct rastrum_compact *compact, uint32_t counter, uint32_t value)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_COUNTER, 2), counter, value);
}

/* Sets these bits; asks for these, before it is known whether it must wait. */
static inline void rastrum_flags_set(struct rastrum_compact *compact, uint32_t flags, uint32_t bits)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_FLAGS_SET, 2), flags, bits);
}

static inline void rastrum_flags_wait(struct rastrum_compact *compact, uint32_t flags, uint32_t bits)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_ID(RASTRUM_FLAGS_WAIT, 2), flags, bits);
}

/* Events of the program, numbers 0 to 31. */
static inline void rastrum_user_0(struct rastrum_compact *compact, uint32_t number)
{
	rastrum_compact_0(compact, RASTRUM_COMPACT_USER(number, 0));
}

static inline void rastrum_user_1(struct rastrum_compact *compact, uint32_t number, uint32_t a)
{
	rastrum_compact_1(compact, RASTRUM_COMPACT_USER(number, 1), a);
}

static inline void rastrum_user_2(struct rastrum_compact *compact, uint32_t number, uint32_t a, uint32_t b)
{
	rastrum_compact_2(compact, RASTRUM_COMPACT_USER(number, 2), a, b);
}

static inline void rastrum_user_3(
	struct rastrum_compact *compact, uint32_t number, uint32_t a, uint32_t b, uint32_t c)
{
	rastrum_compact_3(compact, RASTRUM_COMPACT_USER(number, 3), a, b, c);
}

#endif
