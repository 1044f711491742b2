/* SPDX-License-Identifier: MIT */
/*
 * Functions that give locks back, wait for or signal condition variables, and raise semaphores. If a call
 * wakes no thread, it is not recorded. If it wakes one, it is recorded before it does, so that its event
 * stands in front of the woken thread's events.
 */
#include "preload/locks.h"
#include "preload/preload.h"
#include "preload/waiters.h"

#include <time.h>

NEXT(pthread_mutex_unlock);
TOLD(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
{
	if (!mutex_is_nested(mutex)) {
		bool was_told = held_drop(mutex);

		if (was_told || mutex_has_waiters(mutex)) {
			lock_meet(mutex_is_shared(mutex), mutex, caller);
			event_tell(PRELOAD_MUTEX_RELEASE, caller, address_of(mutex));
		}
	}
	return CALL_NEXT(pthread_mutex_unlock, mutex);
}

NEXT(pthread_rwlock_unlock);
TOLD(int, pthread_rwlock_unlock, (pthread_rwlock_t * rwlock), (rwlock))
{
	bool was_told = held_drop(rwlock);

	if (was_told || rwlock_has_waiters(rwlock)) {
		lock_meet(rwlock_is_shared(rwlock), rwlock, caller);
		event_tell(PRELOAD_RWLOCK_RELEASE, caller, address_of(rwlock));
	}
	return CALL_NEXT(pthread_rwlock_unlock, rwlock);
}

NEXT(sem_post);
TOLD(int, sem_post, (sem_t * semaphore), (semaphore))
{
	if (semaphore_has_waiters(semaphore)) {
		lock_meet(semaphore_is_shared(semaphore), semaphore, caller);
		event_tell(PRELOAD_SEMAPHORE_POST, caller, address_of(semaphore));
	}
	return CALL_NEXT(sem_post, semaphore);
}

/* The version of glibc's condition variables since 2003, on processors that had older ones. */
#define CONDITIONS "GLIBC_2.3.2"

static void tell_wake(enum preload_event event, const pthread_cond_t *condition, const void *caller)
{
	uint64_t n_waiters = condition_waiters(condition);

	if (!n_waiters)
		return;
	lock_meet(condition_is_shared(condition), condition, caller);
	event_tell(event, caller, address_of(condition), n_waiters);
}

NEXT_VERSION(pthread_cond_signal, CONDITIONS);
TOLD(int, pthread_cond_signal, (pthread_cond_t * condition), (condition))
{
	tell_wake(PRELOAD_CONDITION_SIGNAL, condition, caller);
	return CALL_NEXT(pthread_cond_signal, condition);
}

NEXT_VERSION(pthread_cond_broadcast, CONDITIONS);
TOLD(int, pthread_cond_broadcast, (pthread_cond_t * condition), (condition))
{
	tell_wake(PRELOAD_CONDITION_BROADCAST, condition, caller);
	return CALL_NEXT(pthread_cond_broadcast, condition);
}

static void wait_begins(const pthread_cond_t *condition, const pthread_mutex_t *mutex, const void *caller)
{
	held_drop(mutex);
	lock_meet(condition_is_shared(condition), condition, caller);
	lock_meet(mutex_is_shared(mutex), mutex, caller);
	event_tell(PRELOAD_CONDITION_WAIT, caller, address_of(condition), address_of(mutex));
}

/* The thread has the mutex again, and this is recorded, also if the time ran out. */
static void wait_ends(
	const pthread_cond_t *condition, const pthread_mutex_t *mutex, int error, const void *caller)
{
	held_add(mutex);
	event_tell(PRELOAD_CONDITION_WAKE, caller, address_of(condition), address_of(mutex), (uint64_t)error);
}

#define CONDITION_WAIT(name, version, parameters, arguments)                  \
	NEXT_VERSION(name, version);                                          \
	TOLD(int, name, parameters, arguments)                                \
	{                                                                     \
		int error;                                                    \
                                                                              \
		wait_begins(condition, mutex, caller);                        \
		error = ((__typeof__(name) *)next_of(&next_##name))arguments; \
		wait_ends(condition, mutex, error, caller);                   \
		return error;                                                 \
	}

CONDITION_WAIT(pthread_cond_wait, CONDITIONS, (pthread_cond_t * condition, pthread_mutex_t *mutex),
	(condition, mutex))
CONDITION_WAIT(pthread_cond_timedwait, CONDITIONS,
	(pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
	(condition, mutex, until))
CONDITION_WAIT(pthread_cond_clockwait, NULL,
	(pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until),
	(condition, mutex, clock, until))
