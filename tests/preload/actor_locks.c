/* SPDX-License-Identifier: MIT */
/* Scenes of locks, conditions, semaphores, threads and their cancellation. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/preload/actor.h"

/* --- locks ---------------------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *take_mutex(void *argument)
{
	prctl(PR_SET_NAME, "waiter");
	comes_to(1);
	expect(pthread_mutex_lock(&mutex) == 0);
	expect(pthread_mutex_unlock(&mutex) == 0);
	return argument;
}

static void *miss_mutex(void *argument)
{
	struct timespec until = time_soon(CLOCK_REALTIME, 5), until_too = time_soon(CLOCK_MONOTONIC, 5);

	expect(pthread_mutex_trylock(&mutex) == EBUSY);
	expect(pthread_mutex_timedlock(&mutex, &until) == ETIMEDOUT);
	expect(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until_too) == ETIMEDOUT);
	return argument;
}

static void *read_lock(void *argument)
{
	comes_to(1);
	expect(pthread_rwlock_rdlock(&rwlock) == 0);
	expect(pthread_rwlock_unlock(&rwlock) == 0);
	return argument;
}

static void *write_lock(void *argument)
{
	comes_to(1);
	expect(pthread_rwlock_wrlock(&rwlock) == 0);
	expect(pthread_rwlock_unlock(&rwlock) == 0);
	return argument;
}

static void special_mutexes(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t recursive, checking;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checking, &attr);
	expect(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
	expect(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
	expect(pthread_mutex_unlock(&recursive) == EPERM);
	expect(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
	expect(pthread_mutex_unlock(&checking) == 0 && pthread_mutex_unlock(&checking) == EPERM);
}

void scene_locks(void)
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	thread = thread_begin(take_mutex, NULL);
	until_asleep(1);
	pthread_mutex_unlock(&mutex);
	thread_end(thread);
	pthread_mutex_lock(&mutex);
	thread_end(thread_begin(miss_mutex, NULL));
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	thread = thread_begin(read_lock, NULL);
	until_asleep(1);
	pthread_rwlock_unlock(&rwlock);
	thread_end(thread);
	pthread_rwlock_rdlock(&rwlock);
	thread = thread_begin(write_lock, NULL);
	until_asleep(1);
	pthread_rwlock_unlock(&rwlock);
	thread_end(thread);
	special_mutexes();
}

static void robust_dies(pthread_mutex_t *robust)
{
	pthread_mutex_lock(robust);
}

static void *robust_owner(void *argument)
{
	robust_dies(argument);
	return argument;
}

static void robust_of(int protocol)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t robust;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutex_init(&robust, &attr);
	thread_end(thread_begin(robust_owner, &robust));
	expect(pthread_mutex_lock(&robust) == EOWNERDEAD);
	expect(pthread_mutex_consistent(&robust) == 0);
	expect(pthread_mutex_unlock(&robust) == 0);
	thread_end(thread_begin(robust_owner, &robust));
	expect(pthread_mutex_lock(&robust) == EOWNERDEAD);
	expect(pthread_mutex_unlock(&robust) == 0);
	expect(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
	expect(pthread_mutex_lock(&robust) == ENOTRECOVERABLE); /* the first one has left it as it was */
}

void scene_robust(void)
{
	robust_of(PTHREAD_PRIO_INHERIT);
	robust_of(PTHREAD_PRIO_NONE);
}

/* Free locks, free semaphores, signals that no thread waits for: nothing of it is worth an event. */
void scene_free(void)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 0);
	for (int i = 0; i < 100000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		pthread_cond_signal(&condition);
		sem_post(&semaphore);
		sem_wait(&semaphore);
	}
}

/* --- conditions, semaphores, barriers ------------------------------------------------------------------- */

static sem_t wanted;
static pthread_barrier_t barrier;
static int n_made;

static void *queue_consume(void *argument)
{
	struct timespec until;

	pthread_mutex_lock(&mutex);
	comes_to(1);
	while (n_made == 0)
		expect(pthread_cond_wait(&condition, &mutex) == 0);
	until = time_soon(CLOCK_REALTIME, 5);
	expect(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
	until = time_soon(CLOCK_MONOTONIC, 5);
	expect(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	comes_to(2);
	expect(sem_wait(&wanted) == 0);
	until = time_soon(CLOCK_REALTIME, 5);
	expect(sem_timedwait(&wanted, &until) == -1 && errno == ETIMEDOUT);
	pthread_barrier_wait(&barrier);
	return argument;
}

void scene_conditions(void)
{
	pthread_t thread;
	int value;

	sem_init(&wanted, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	thread = thread_begin(queue_consume, NULL);
	until_asleep(1);
	pthread_mutex_lock(&mutex);
	n_made = 1;
	expect(pthread_cond_signal(&condition) == 0);
	pthread_mutex_unlock(&mutex);
	until_asleep(2);
	expect(sem_post(&wanted) == 0);
	sleep_ms(20);
	value = pthread_barrier_wait(&barrier);
	expect(value == 0 || value == PTHREAD_BARRIER_SERIAL_THREAD);
	thread_end(thread);
}

/* --- threads -------------------------------------------------------------------------------------------- */

static void *thread_exit(void *argument)
{
	pthread_setname_np(pthread_self(), "leaver");
	pthread_exit(argument);
}

static void *wait_cancelled(void *argument)
{
	pause();
	return argument;
}

void scene_threads(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	struct timespec until;

	expect(thread_end(thread_begin(thread_exit, &n_failed)) == &n_failed);
	expect(thread_end(thread_begin(thread_return, &attr)) == &attr);
	thread = thread_begin(wait_cancelled, NULL);
	sleep_ms(10);
	pthread_cancel(thread);
	expect(thread_end(thread) == PTHREAD_CANCELED);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	expect(pthread_create(&thread, &attr, thread_return, &n_made) == 0);
	expect(thread_end(thread) == &n_made);
	pthread_attr_setstacksize(&attr, (size_t)1 << 46);
	expect(pthread_create(&thread, &attr, thread_return, NULL) == EAGAIN);
	thread = thread_begin(wait_cancelled, NULL);
	until = time_soon(CLOCK_REALTIME, 5);
	expect(pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
	pthread_cancel(thread);
	thread_end(thread);
}

/* --- cancellation --------------------------------------------------------------------------------------- */

static int quiet[2];
static bool had_mutex;
static volatile bool is_cancelled;

static void *cancelled_read(void *argument)
{
	char byte;

	expect(read(quiet[0], &byte, 1) == 0);
	return argument;
}

static void *cancelled_semaphore(void *argument)
{
	expect(sem_wait(&wanted) == 0);
	return argument;
}

/* The semaphore is free: it is a cancellation point all the same. */
static void *cancelled_free(void *argument)
{
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	while (!is_cancelled)
		sleep_ms(1);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	sem_wait(&semaphore);
	expect(false);
	return argument;
}

static void unlock_mutex(void *argument)
{
	had_mutex = pthread_mutex_trylock(argument) == EBUSY && pthread_mutex_unlock(argument) == 0;
}

/*
 * Unwinding a thread that has a cleanup handler is more than the address sanitizer can follow, whichever
 * library is preloaded.
 */
static __attribute__((no_sanitize_address)) void *cancelled_condition(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock_mutex, &mutex);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(0);
	return argument;
}

static void *cancelled_sleep(void *argument)
{
	sleep(1000);
	return argument;
}

static void *cancelled_poll(void *argument)
{
	poll(NULL, 0, -1);
	return argument;
}

static void *cancelled_lock(void *argument)
{
	pthread_mutex_lock(&mutex); /* no cancellation point */
	pthread_mutex_unlock(&mutex);
	return argument;
}

void scene_cancel(void)
{
	static void *(*const functions[])(void *) = { cancelled_read, cancelled_semaphore, cancelled_free,
		cancelled_condition, cancelled_sleep, cancelled_poll };
	pthread_t thread;

	sem_init(&wanted, 0, 0);
	expect(pipe(quiet) == 0);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		is_cancelled = false;
		thread = thread_begin(functions[i], NULL);
		sleep_ms(10);
		expect(pthread_cancel(thread) == 0);
		is_cancelled = true;
		expect(thread_end(thread) == PTHREAD_CANCELED);
	}
	expect(had_mutex);
	pthread_mutex_lock(&mutex);
	thread = thread_begin(cancelled_lock, NULL);
	sleep_ms(10);
	pthread_cancel(thread);
	sleep_ms(10);
	pthread_mutex_unlock(&mutex);
	expect(thread_end(thread) == NULL);
}
