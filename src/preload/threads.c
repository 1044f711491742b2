/* SPDX-License-Identifier: MIT */
/*
 * Threads: their creator, start function, name and end. A thread begins in thread_run() instead of its own
 * function, also if it is not traced, because it may be traced when it ends.
 */
#include "preload/threads.h"
#include "preload/preload.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct start {
	void *(*function)(void *);
	void *argument;
	uint64_t creator;
};

/*
 * The clock id of a thread's processor time contains the thread's number: all bits inverted, shifted left by
 * three (clock_gettime(2), "clockid_t of another process"; the same for threads).
 */
uint64_t thread_number(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) == 0 ? (uint64_t) ~(clock >> 3) : 0;
}

static uintptr_t function_of(void *(*function)(void *))
{
	return (uintptr_t)function;
}

/*
 * Called also if the thread is cancelled or calls pthread_exit(). Destructors of its thread-specific data run
 * after it.
 */
static void thread_ends(void *argument)
{
	const struct start *start = argument;

	if (is_traced())
		event_tell(PRELOAD_THREAD_EXIT, NULL, function_of(start->function));
}

static void *thread_run(void *argument)
{
	struct start start = *(struct start *)argument;
	void *result;

	free(argument);
	if (is_traced())
		event_tell(PRELOAD_THREAD_BEGIN, NULL, function_of(start.function), start.creator);
	pthread_cleanup_push(thread_ends, &start);
	result = start.function(start.argument);
	pthread_cleanup_pop(1);
	return result;
}

NEXT(pthread_create);
PRELOAD_PUBLIC int pthread_create(
	pthread_t *ret_thread, const pthread_attr_t *attr, void *(*function)(void *), void *argument)
{
	struct start *start = malloc(sizeof(*start));
	int error;

	if (is_traced()) {
		module_meet((const void *)function_of(function));
		event_tell(PRELOAD_THREAD_CREATE, PRELOAD_CALLER(), function_of(function));
	}
	if (!start)
		return CALL_NEXT(pthread_create, ret_thread, attr, function, argument);
	*start = (struct start){ function, argument, (uint64_t)gettid() };
	error = CALL_NEXT(pthread_create, ret_thread, attr, thread_run, start);
	if (!error)
		return 0;
	free(start);
	if (is_traced())
		event_tell(PRELOAD_THREAD_CREATE_FAILED, PRELOAD_CALLER(), (uint64_t)error);
	return error;
}

static void tell_name(uint64_t thread, const char *name, const void *caller)
{
	uint64_t data[3] = { thread };

	memcpy(&data[1], name, strnlen(name, 15));
	event_put(PRELOAD_THREAD_NAME, caller, data);
}

NEXT(pthread_setname_np);
PRELOAD_PUBLIC int pthread_setname_np(pthread_t thread, const char *name)
{
	int error = CALL_NEXT(pthread_setname_np, thread, name);

	if (error == 0 && is_traced())
		tell_name(thread_number(thread), name, PRELOAD_CALLER());
	return error;
}

/*
 * A variadic function that always takes the kernel's four arguments, whatever the option; the C library's
 * does the same.
 */
NEXT(prctl);
PRELOAD_PUBLIC int prctl(int option, ...)
{
	unsigned long words[4];
	va_list more;
	int result;

	va_start(more, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(more, unsigned long);
	va_end(more);
	result = CALL_NEXT(prctl, option, words[0], words[1], words[2], words[3]);
	if (option == PR_SET_SECCOMP || option == PR_SET_NO_NEW_PRIVS)
		shared_confine();
	if (option == PR_SET_NAME && result == 0 && is_traced())
		tell_name((uint64_t)gettid(), (const char *)words[0], PRELOAD_CALLER());
	return result;
}
