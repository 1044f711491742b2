/* SPDX-License-Identifier: MIT */
/*
 * Reads the C library's locks: their holder, whether a thread waits, whether processes may share them. The
 * members are in its public headers; their meaning is known for glibc 2.25 to 2.39. Each is one load, and may
 * be out of date when it is used: then there is one event too many or too few, nothing else. For another C
 * library, nothing is known.
 */
#ifndef PRELOAD_WAITERS_H
#define PRELOAD_WAITERS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __GLIBC__

enum {
	WAITERS_KIND = 3, /* bits of a mutex's kind for how it counts … */
	WAITERS_IS_TID =
		48, /* … and for a lock word that is the holder's number: robust, or inheriting priority */
	WAITERS_ROBUST = 16,
	WAITERS_SHARED = 128, /* a mutex's kind, if processes may share it */
	WAITERS_TID = 0x3fffffff,
	WAITERS_CEILING = 0x7ffff, /* the lock word of others, without the ceiling of its priority */
	WAITERS_FUTEX = 2,	   /* a thread sleeps on a read-write lock */
	WAITERS_READERS = 4,
};

static inline uint64_t mutex_holder(const pthread_mutex_t *mutex)
{
	return (uint64_t) * (const volatile int *)&mutex->__data.__owner;
}

static inline bool mutex_has_waiters(const pthread_mutex_t *mutex)
{
	unsigned int lock = (unsigned int)*(const volatile int *)&mutex->__data.__lock;

	if (__builtin_expect(mutex->__data.__kind & WAITERS_IS_TID, 0))
		return lock >> 31;
	return (lock & WAITERS_CEILING) > 1;
}

static inline bool mutex_is_robust(const pthread_mutex_t *mutex)
{
	return __builtin_expect(mutex->__data.__kind & WAITERS_ROBUST, 0);
}

/* Returns the thread that has a robust mutex, or 0 if it is free. */
static inline int robust_holder(const pthread_mutex_t *mutex)
{
	return *(const volatile int *)&mutex->__data.__lock & WAITERS_TID;
}

/* Whether the mutex stays locked when it is unlocked once. */
static inline bool mutex_is_nested(const pthread_mutex_t *mutex)
{
	return (mutex->__data.__kind & WAITERS_KIND) == PTHREAD_MUTEX_RECURSIVE && mutex->__data.__count > 1;
}

/* Returns 0 if readers or no thread hold it. */
static inline uint64_t rwlock_holder(const pthread_rwlock_t *rwlock)
{
	return (uint64_t) * (const volatile int *)&rwlock->__data.__cur_writer;
}

static inline bool rwlock_has_waiters(const pthread_rwlock_t *rwlock)
{
	unsigned int phase = *(const volatile unsigned int *)&rwlock->__data.__wrphase_futex,
		     writers = *(const volatile unsigned int *)&rwlock->__data.__writers_futex,
		     readers = *(const volatile unsigned int *)&rwlock->__data.__readers;

	return ((phase | writers) & WAITERS_FUTEX) || (readers & WAITERS_READERS);
}

static inline uint64_t condition_waiters(const pthread_cond_t *condition)
{
	return *(const volatile unsigned int *)&condition->__data.__wrefs >> 3;
}

/*
 * A semaphore has its value and then the number of waiters: the halves of one word or, on a 32-bit machine,
 * the first and the third word.
 */
static inline bool semaphore_has_waiters(const sem_t *semaphore)
{
	const volatile uint32_t *words = (const volatile uint32_t *)(const volatile void *)semaphore;

	if (sizeof(void *) == 4)
		return words[2];
	return words[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__];
}

/* Whether processes may share it. A mutex that is robust counts as one of these. */
static inline bool mutex_is_shared(const pthread_mutex_t *mutex)
{
	return mutex->__data.__kind & WAITERS_SHARED;
}

static inline bool rwlock_is_shared(const pthread_rwlock_t *rwlock)
{
	return rwlock->__data.__shared;
}

static inline bool condition_is_shared(const pthread_cond_t *condition)
{
	return *(const volatile unsigned int *)&condition->__data.__wrefs & 1;
}

/* Behind the two halves of the value, or behind the value on a 32-bit machine. */
static inline bool semaphore_is_shared(const sem_t *semaphore)
{
	return ((const uint32_t *)(const void *)semaphore)[sizeof(void *) == 4 ? 1 : 2];
}

/* Behind three counts. */
static inline bool barrier_is_shared(const pthread_barrier_t *barrier)
{
	return ((const uint32_t *)(const void *)barrier)[3];
}

#else

static inline uint64_t mutex_holder(const pthread_mutex_t *mutex)
{
	return (void)mutex, 0;
}

static inline bool mutex_has_waiters(const pthread_mutex_t *mutex)
{
	return (void)mutex, false;
}

static inline bool mutex_is_robust(const pthread_mutex_t *mutex)
{
	return (void)mutex, false;
}

static inline int robust_holder(const pthread_mutex_t *mutex)
{
	return (void)mutex, 0;
}

static inline bool mutex_is_nested(const pthread_mutex_t *mutex)
{
	return (void)mutex, false;
}

static inline uint64_t rwlock_holder(const pthread_rwlock_t *rwlock)
{
	return (void)rwlock, 0;
}

static inline bool rwlock_has_waiters(const pthread_rwlock_t *rwlock)
{
	return (void)rwlock, false;
}

static inline uint64_t condition_waiters(const pthread_cond_t *condition)
{
	return (void)condition, 1;
}

static inline bool semaphore_has_waiters(const sem_t *semaphore)
{
	return (void)semaphore, true;
}

/* Where nothing is known, the memory decides. */
static inline bool mutex_is_shared(const pthread_mutex_t *mutex)
{
	return (void)mutex, true;
}

static inline bool rwlock_is_shared(const pthread_rwlock_t *rwlock)
{
	return (void)rwlock, true;
}

static inline bool condition_is_shared(const pthread_cond_t *condition)
{
	return (void)condition, true;
}

static inline bool semaphore_is_shared(const sem_t *semaphore)
{
	return (void)semaphore, true;
}

static inline bool barrier_is_shared(const pthread_barrier_t *barrier)
{
	return (void)barrier, true;
}

#endif
#endif
