/* SPDX-License-Identifier: MIT */
/*
 * Functions that take locks and semaphores, made from locks.def. A free lock is taken by a try, and nothing
 * is recorded: so a program that takes millions of locks a second is not slowed down, and its trace shows
 * where it waits. Only a failed try is recorded, and the result of the wait.
 */
#include "preload/locks.h"
#include "preload/preload.h"
#include "preload/waiters.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

struct lock_kind {
	enum preload_event acquire, give_up;
	bool is_held; /* until the thread that took it releases it */
};

static const struct lock_kind kinds[] = {
#define KIND_MUTEX (&kinds[0])
	{ PRELOAD_MUTEX_ACQUIRE, PRELOAD_MUTEX_GIVE_UP, true },
#define KIND_READ (&kinds[1])
	{ PRELOAD_READ_ACQUIRE, PRELOAD_RWLOCK_GIVE_UP, true },
#define KIND_WRITE (&kinds[2])
	{ PRELOAD_WRITE_ACQUIRE, PRELOAD_RWLOCK_GIVE_UP, true },
#define KIND_SEMAPHORE (&kinds[3])
	{ PRELOAD_SEMAPHORE_ACQUIRE, PRELOAD_SEMAPHORE_GIVE_UP, false },
};

enum { HELD_MAX = 16 };
static __thread struct {
	unsigned int n;
	const void *locks[HELD_MAX];
} held __attribute__((tls_model("initial-exec")));

void held_add(const void *lock)
{
	if (held.n == HELD_MAX) {
		for (unsigned int i = 1; i < HELD_MAX; i++)
			held.locks[i - 1] = held.locks[i];
		held.n--;
	}
	held.locks[held.n++] = lock;
}

bool held_drop(const void *lock)
{
	for (unsigned int i = held.n; i-- > 0;) {
		if (held.locks[i] != lock)
			continue;
		held.locks[i] = held.locks[--held.n];
		return true;
	}
	return false;
}

/* With EOWNERDEAD, a robust mutex was taken, too. */
static inline bool is_got(int error)
{
	return error == 0 || error == EOWNERDEAD;
}

static void tell_outcome(const struct lock_kind *kind, const void *lock, int error, const void *caller)
{
	if (!is_got(error)) {
		event_tell(kind->give_up, caller, address_of(lock), (uint64_t)error);
		return;
	}
	if (kind->is_held)
		held_add(lock);
	event_tell(error == EOWNERDEAD ? PRELOAD_MUTEX_RECOVER : kind->acquire, caller, address_of(lock));
}

/* The result of a function as an error number. */
static inline int error_of(const struct lock_kind *kind, int result)
{
	return kind->is_held ? result : result == -1 ? errno : 0;
}

NEXT(pthread_mutex_trylock);
NEXT(pthread_rwlock_tryrdlock);
NEXT(pthread_rwlock_trywrlock);
NEXT(sem_trywait);

/*
 * The tries return 0 or EOWNERDEAD if the lock was taken. Else the waiting function must be called, which
 * also reports other errors.
 */
static inline int try_MUTEX(pthread_mutex_t *mutex)
{
	if (mutex_is_robust(mutex) && robust_holder(mutex) != gettid())
		return EBUSY;
	return CALL_NEXT(pthread_mutex_trylock, mutex);
}

static inline int try_READ(pthread_rwlock_t *rwlock)
{
	return CALL_NEXT(pthread_rwlock_tryrdlock, rwlock);
}

static inline int try_WRITE(pthread_rwlock_t *rwlock)
{
	return CALL_NEXT(pthread_rwlock_trywrlock, rwlock);
}

/* Waiting for a semaphore is a cancellation point even if the semaphore is free (XSH 2.9.5.2). */
static inline int try_SEMAPHORE(sem_t *semaphore)
{
	int error = errno, result;

	pthread_testcancel();
	result = CALL_NEXT(sem_trywait, semaphore);
	errno = error;
	return result;
}

static inline void wait_MUTEX(const pthread_mutex_t *mutex, const void *caller)
{
	lock_meet(mutex_is_shared(mutex), mutex, caller);
	event_tell(PRELOAD_MUTEX_WAIT, caller, address_of(mutex), mutex_holder(mutex));
}

static inline void wait_READ(const pthread_rwlock_t *rwlock, const void *caller)
{
	lock_meet(rwlock_is_shared(rwlock), rwlock, caller);
	event_tell(PRELOAD_READ_WAIT, caller, address_of(rwlock), rwlock_holder(rwlock));
}

static inline void wait_WRITE(const pthread_rwlock_t *rwlock, const void *caller)
{
	lock_meet(rwlock_is_shared(rwlock), rwlock, caller);
	event_tell(PRELOAD_WRITE_WAIT, caller, address_of(rwlock), rwlock_holder(rwlock));
}

static inline void wait_SEMAPHORE(const sem_t *semaphore, const void *caller)
{
	lock_meet(semaphore_is_shared(semaphore), semaphore, caller);
	event_tell(PRELOAD_SEMAPHORE_WAIT, caller, address_of(semaphore));
}

/* A free lock is recorded only on request, but always if its owner died. */
static inline void tell_free(const struct lock_kind *kind, const void *lock, int error, const void *caller)
{
	if (__builtin_expect(!error && !event_wants_locks(), 1) || !kind->is_held)
		return;
	lock_meet(kind == KIND_MUTEX ? mutex_is_shared(lock) : rwlock_is_shared(lock), lock, caller);
	tell_outcome(kind, lock, error, caller);
}

/*
 * Only its holder tries a robust mutex: glibc's trylock leaves an unrecoverable mutex locked by the thread
 * that tries, which would then wait for itself. Returns whether the lock is a robust mutex and is free.
 */
static inline bool goes_untried(const struct lock_kind *kind, const void *lock)
{
	return kind == KIND_MUTEX && mutex_is_robust(lock) && robust_holder(lock) == 0;
}

#define WAITING(kind, name, parameters, arguments)                                                         \
	NEXT(name);                                                                                        \
	TOLD(int, name, parameters, arguments)                                                             \
	{                                                                                                  \
		const bool is_free = goes_untried(KIND_##kind, lock);                                      \
		int result =                                                                               \
			is_free ? ((__typeof__(name) *)next_of(&next_##name))arguments : try_##kind(lock); \
                                                                                                           \
		if (is_got(result)) {                                                                      \
			tell_free(KIND_##kind, lock, result, caller);                                      \
			return result;                                                                     \
		}                                                                                          \
		wait_##kind(lock, caller);                                                                 \
		if (!is_free)                                                                              \
			result = ((__typeof__(name) *)next_of(&next_##name))arguments;                     \
		tell_outcome(KIND_##kind, lock, error_of(KIND_##kind, result), caller);                    \
		return result;                                                                             \
	}

#define TRYING(kind, name, type)                                      \
	TOLD(int, name, (type * lock), (lock))                        \
	{                                                             \
		int result = CALL_NEXT(name, lock);                   \
                                                                      \
		if (is_got(result))                                   \
			tell_free(KIND_##kind, lock, result, caller); \
		return result;                                        \
	}

#include "preload/locks.def"
