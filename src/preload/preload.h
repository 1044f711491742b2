/* SPDX-License-Identifier: MIT */
/*
 * librastrum-preload.so: records what the threads of an unchanged program do, by standing in front of the
 * functions of the C library. It starts no stream: its events go to the streams that trace the process. While
 * no stream traces it, each function costs only a load, a branch and a jump more.
 *
 *	events.def     the events, their fields and effects: also what reads logs has them from here
 *	blocking.def   functions that may block, a line for each; blocking.c makes them
 *	locks.def      functions that take a lock or semaphore, a line for each; locks.c makes them
 *	waiters.h      what the C library's locks contain: their holder, whether a thread waits
 *	shared.c       memory that processes share, and with it their locks
 *	conditions.c   giving locks back, condition variables, semaphores that are raised
 *	threads.c      create, exit, name
 *	processes.c    fork, vfork, exec, spawn, exit
 *	signals.c      handlers
 *	next.c         the functions behind ours
 *	modules.c      which program and library an address belongs to
 *	events.c       types and recording
 *
 * All functions but the constructor may be called anywhere: in signal handlers, in children of vfork, before
 * any constructor. errno is the value that the function behind ours left.
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

/*
 * The C library's own checks would make macros and inline functions of the functions that are defined here.
 */
#undef _FORTIFY_SOURCE
#define POSIX_TRACE_POINTS_LATER_NP
#include <trace_point_np.h>

#include <stdbool.h>
#include <stdint.h>

/* Functions that programs find instead of the C library's. */
#define PRELOAD_PUBLIC	 __attribute__((visibility("default")))
/* The place where the program called the current function. */
#define PRELOAD_CALLER() __builtin_return_address(0)

enum preload_event {
#define EVENT(id, name, label, fields, effects) PRELOAD_##id,
#include "preload/events.def"
#undef EVENT
	PRELOAD_N_EVENTS
};

enum { PRELOAD_FIELDS_MAX = 6 };

/* Whether a stream may take events now. */
static inline bool is_traced(void)
{
	return POSIX_TRACE_IS_ENABLED_NP();
}

/*
 * Records an event with as many of the numbers as it has fields, after the module of the caller's address if
 * that is not yet recorded.
 */
void event_put(enum preload_event event, const void *caller, const uint64_t *numbers);
#define event_tell(event, caller, ...) event_put(event, caller, (const uint64_t[]){ __VA_ARGS__ })
/*
 * The same, with text behind the numbers, or with data of another size. Very long text is cut; NULL stands
 * for an empty text.
 */
void event_put_text(enum preload_event event, const void *caller, const void *numbers, const char *text);

static inline uint64_t address_of(const volatile void *address)
{
	return (uint64_t)(uintptr_t)address;
}

/* Whether every lock that is taken and released is recorded, not only those that a thread waits for. */
bool event_wants_locks(void);

/* --- children of vfork ---------------------------------------------------------------------------------- */

/*
 * True in a child that runs in the memory of its parent: it must not write where the parent's threads record.
 */
bool process_is_borrowed(void);

/* --- modules.c ------------------------------------------------------------------------------------------ */

/*
 * Called before an event with an address of code, or of data: records once which module is there. NULL has no
 * module, nor has the heap.
 */
void module_meet(const void *address);
/* Records the name and path of the program that begins. */
void program_begins(void);

/* --- shared.c ------------------------------------------------------------------------------------------- */

/* Records the file in whose memory the object lies, if processes share that memory. */
void shared_tell(const volatile void *object, const void *caller);

/*
 * Records the identity of a lock, semaphore, … before its event. Its address differs in each process that
 * shares it, and in each run.
 */
static inline void lock_meet(bool is_shared, const volatile void *object, const void *caller)
{
	if (__builtin_expect(is_shared, 0))
		shared_tell(object, caller);
	else if (is_traced() && !process_is_borrowed())
		module_meet((const void *)(uintptr_t)object);
}

/* The program may not open files from now on. */
void shared_confine(void);

/* --- the functions behind ours -------------------------------------------------------------------------- */

struct next {
	const char *name, *version; /* NULL for the version that programs are linked with today */
	void (*function)(void);
};

/* Looks the function up. The constructor does this, or an earlier call by the program. */
void (*next_find(struct next *next))(void);

/* Returns NULL if the function was not looked up yet. */
static inline void (*next_now(struct next *next))(void)
{
	return __atomic_load_n(&next->function, __ATOMIC_RELAXED);
}

static inline void (*next_of(struct next *next))(void)
{
	void (*function)(void) = next_now(next);

	return __builtin_expect(function != NULL, 1) ? function : next_find(next);
}

/*
 * Declares next_NAME, the function behind `name`. The linker gathers them, one behind the other, for the
 * constructor.
 */
#define NEXT_VERSION(name, version)                                                  \
	static struct next next_##name __attribute__((section("preload_next"), used, \
		aligned(__alignof__(struct next)))) = { #name, version, NULL }
#define NEXT(name)  NEXT_VERSION(name, NULL)
/*
 * Defines a function that is recorded while a stream traces, and else costs a load, a branch and a jump.
 * Recording is in a separate function, with the caller in front of the parameters, so that the compiler saves
 * no registers here.
 */
#define UNPACK(...) __VA_ARGS__
#define TOLD(type, name, parameters, arguments)                                                   \
	static __attribute__((noinline)) type told_##name(const void *caller, UNPACK parameters); \
	PRELOAD_PUBLIC type name parameters                                                       \
	{                                                                                         \
		__typeof__(name) *function = (__typeof__(name) *)next_now(&next_##name);          \
                                                                                                  \
		if (__builtin_expect(function != NULL && !is_traced(), 1))                        \
			return function arguments;                                                \
		return told_##name(PRELOAD_CALLER(), UNPACK arguments);                           \
	}                                                                                         \
	static type told_##name(const void *caller, UNPACK parameters)
/* Calls the function behind ours. */
#define CALL_NEXT(name, ...) ((__typeof__(name) *)next_of(&next_##name))(__VA_ARGS__)

#endif
