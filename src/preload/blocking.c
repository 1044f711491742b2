/* SPDX-License-Identifier: MIT */
/*
 * Functions that may block, made from blocking.def. The time between both events shows whether they really
 * did. If a thread is cancelled inside, it has an exit event instead of the second event.
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/threads.h"
#include "preload/waiters.h"

#define UNKNOWN 0

/* glibc's headers have unions of all socket address types; other headers use the plain type. */
#ifndef __GLIBC__
#define __SOCKADDR_ARG	     struct sockaddr *
#define __CONST_SOCKADDR_ARG const struct sockaddr *
#endif

/* Functions that programs call if they were compiled with _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, __SOCKADDR_ARG, socklen_t *);

/* Times in nanoseconds; -1 means for ever, or until a time that is not known here. */
static uint64_t of_timespec(const struct timespec *time)
{
	return time ? (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec : UINT64_MAX;
}

static uint64_t of_timeval(const struct timeval *time)
{
	return time ? (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000 : UINT64_MAX;
}

static uint64_t of_milliseconds(int timeout)
{
	return timeout < 0 ? UINT64_MAX : (uint64_t)timeout * 1000000;
}

/* Signals 1 to 64, from the lowest bit. */
static uint64_t of_set(const sigset_t *set)
{
	uint64_t signals = 0;

	if (set)
		memcpy(&signals, set, sizeof(signals));
	return signals;
}

static uint64_t of_clock(clockid_t clock, int flags, const struct timespec *time)
{
	struct timespec now;

	if (!(flags & TIMER_ABSTIME))
		return of_timespec(time);
	if (!time || clock_gettime(clock, &now) != 0 || of_timespec(&now) > of_timespec(time))
		return 0;
	return of_timespec(time) - of_timespec(&now);
}

static uint64_t barrier_met(const pthread_barrier_t *barrier, const void *caller)
{
	lock_meet(barrier_is_shared(barrier), barrier, caller);
	return address_of(barrier);
}

/* The bytes of n messages, or -1 if the call returned an error. */
static int64_t of_messages(const struct mmsghdr *messages, int n)
{
	int64_t n_bytes = n < 0 ? -1 : 0;

	for (int i = 0; i < n; i++)
		n_bytes += messages[i].msg_len;
	return n_bytes;
}

static inline int error_by_errno(int64_t result)
{
	return result == -1 ? errno : 0;
}

static inline int error_by_result(int64_t result)
{
	return (int)result;
}

static inline int error_never(int64_t result)
{
	return (void)result, 0;
}

#define BY_ERRNO  error_by_errno
#define BY_RESULT error_by_result
#define NEVER	  error_never

#define CALL(family, condition, what, amount, error, type, name, parameters, arguments) \
	CALL_MOVING(family, condition, what, amount, result, error, type, name, parameters, arguments)

#define CALL_MOVING(family, condition, what_, amount, moved, error, type, name, parameters, arguments)     \
	NEXT(name);                                                                                        \
	TOLD(type, name, parameters, arguments)                                                            \
	{                                                                                                  \
		__typeof__(name) *next = (__typeof__(name) *)next_of(&next_##name);                        \
                                                                                                           \
		if (!is_traced() || !(condition))                                                          \
			return next arguments;                                                             \
		uint64_t what = (what_);                                                                   \
		event_tell(PRELOAD_##family##_BEGIN, caller, what, amount);                                \
		type result = next arguments;                                                              \
		event_tell(                                                                                \
			PRELOAD_##family##_END, caller, what, (uint64_t)(moved), (uint64_t)error(result)); \
		return result;                                                                             \
	}

#include "preload/blocking.def"

/* The only function without parameters. */
NEXT(pause);
PRELOAD_PUBLIC int pause(void)
{
	int result;

	if (is_traced())
		event_tell(PRELOAD_SIGNAL_WAIT_BEGIN, PRELOAD_CALLER(), UINT64_MAX);
	result = CALL_NEXT(pause);
	if (is_traced())
		event_tell(PRELOAD_SIGNAL_WAIT_END, PRELOAD_CALLER(), UINT64_MAX, (uint64_t)result,
			(uint64_t)error_by_errno(result));
	return result;
}
