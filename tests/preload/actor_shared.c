/* SPDX-License-Identifier: MIT */
/*
 * The scene of locks that a process shares with its child: they wait for each other at every kind of lock, in
 * memory that both have at different addresses, and in every kind of memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/preload/actor.h"

enum { SHARED_BYTES = 8192 };

struct shared {
	pthread_mutex_t mutex, of_condition;
	pthread_rwlock_t rwlock;
	pthread_cond_t condition;
	pthread_barrier_t barrier;
	sem_t semaphore;
	bool is_signalled;
};

/* Steps of the child, in memory that parent and child have at the same address. */
struct steps {
	volatile int done;
	sem_t semaphore;
};

static struct steps *steps;
static int file;

static void shared_init(struct shared *shared)
{
	pthread_mutexattr_t mutex;
	pthread_rwlockattr_t rwlock;
	pthread_condattr_t condition;
	pthread_barrierattr_t barrier;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_rwlockattr_init(&rwlock);
	pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&condition);
	pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	expect(pthread_mutex_init(&shared->mutex, &mutex) == 0);
	expect(pthread_mutex_init(&shared->of_condition, &mutex) == 0);
	expect(pthread_rwlock_init(&shared->rwlock, &rwlock) == 0);
	expect(pthread_cond_init(&shared->condition, &condition) == 0);
	expect(pthread_barrier_init(&shared->barrier, &barrier, 2) == 0);
	expect(sem_init(&shared->semaphore, 1, 0) == 0);
}

static struct shared *shared_map(int fd)
{
	struct shared *shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	expect(shared != MAP_FAILED);
	return shared;
}

/* The child comes to a step, and blocks at once. */
static void until_child_waits(pid_t child, int step)
{
	while (steps->done != step || !is_asleep(child, child))
		sleep_ms(2);
}

static void child_waits(struct shared *shared, sem_t *named, sem_t *attached)
{
	steps->done = 1;
	expect(pthread_mutex_lock(&shared->mutex) == 0 && pthread_mutex_unlock(&shared->mutex) == 0);
	steps->done = 2;
	expect(pthread_rwlock_rdlock(&shared->rwlock) == 0 && pthread_rwlock_unlock(&shared->rwlock) == 0);
	steps->done = 3;
	expect(sem_wait(&shared->semaphore) == 0);
	pthread_mutex_lock(&shared->of_condition);
	steps->done = 4;
	while (!shared->is_signalled)
		expect(pthread_cond_wait(&shared->condition, &shared->of_condition) == 0);
	pthread_mutex_unlock(&shared->of_condition);
	steps->done = 5;
	pthread_barrier_wait(&shared->barrier);
	steps->done = 6;
	expect(sem_wait(named) == 0);
	steps->done = 7;
	expect(sem_wait(&steps->semaphore) == 0);
	steps->done = 8;
	expect(sem_wait(attached) == 0);
}

/* Releases each lock when the child waits for it. The child has the locks at other addresses. */
static void parent_wakes(pid_t child, struct shared *shared, sem_t *named, sem_t *attached)
{
	until_child_waits(child, 1);
	pthread_mutex_unlock(&shared->mutex);
	until_child_waits(child, 2);
	pthread_rwlock_unlock(&shared->rwlock);
	until_child_waits(child, 3);
	sem_post(&shared->semaphore);
	until_child_waits(child, 4);
	pthread_mutex_lock(&shared->of_condition);
	shared->is_signalled = true;
	pthread_mutex_unlock(&shared->of_condition); /* so that the child does not wait for it */
	pthread_cond_signal(&shared->condition);
	until_child_waits(child, 5);
	pthread_barrier_wait(&shared->barrier);
	until_child_waits(child, 6);
	sem_post(named);
	until_child_waits(child, 7);
	sem_post(&steps->semaphore);
	until_child_waits(child, 8);
	sem_post(attached);
}

static void *take_own(void *mutex)
{
	comes_to(1);
	expect(pthread_mutex_lock(mutex) == 0 && pthread_mutex_unlock(mutex) == 0);
	return NULL;
}

/* A thread waits for the mutex, which another one has. */
static void wait_own(pthread_mutex_t *mutex)
{
	pthread_t thread;

	pthread_mutex_lock(mutex);
	thread = thread_begin(take_own, mutex);
	until_asleep(1);
	pthread_mutex_unlock(mutex);
	thread_end(thread);
}

/* The same address: another part of the file, then memory of the process itself. */
static void address_used_again(struct shared *shared)
{
	const int access = PROT_READ | PROT_WRITE;
	struct shared *again;

	expect(munmap(shared, SHARED_BYTES) == 0);
	again = mmap(shared, SHARED_BYTES, access, MAP_SHARED | MAP_FIXED_NOREPLACE, file, SHARED_BYTES);
	expect(again == shared);
	shared_init(again);
	wait_own(&again->mutex);
	expect(mmap(shared, SHARED_BYTES, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == shared);
	pthread_mutex_init(&again->mutex, NULL);
	wait_own(&again->mutex);
}

void scene_shared(void)
{
	char name[32];
	int id = shmget(IPC_PRIVATE, SHARED_BYTES, 0600), status;
	struct shared *shared;
	sem_t *attached, *named;
	pid_t child;

	snprintf(name, sizeof(name), "/rastrum-actor-%d", (int)getpid());
	file = memfd_create("actor", 0);
	expect(file >= 0 && ftruncate(file, 2 * (off_t)SHARED_BYTES) == 0);
	shared = shared_map(file);
	shared_init(shared);
	steps = mmap(NULL, sizeof(*steps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	expect(steps != MAP_FAILED && sem_init(&steps->semaphore, 1, 0) == 0);
	attached = shmat(id, NULL, 0);
	expect(attached != (sem_t *)-1 && sem_init(attached, 1, 0) == 0);
	pthread_mutex_lock(&shared->mutex);
	pthread_rwlock_wrlock(&shared->rwlock);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "child");
		shared_map(file);
		named = sem_open(name, O_CREAT, 0600, 0);
		child_waits(shared_map(file), named, shmat(id, NULL, 0));
		sem_close(named);
		_exit(n_failed != 0);
	}
	named = sem_open(name, O_CREAT, 0600, 0);
	expect(named != SEM_FAILED);
	parent_wakes(child, shared, named, attached);
	expect(waitpid(child, &status, 0) == child && status == 0);
	expect(sem_close(named) == 0 && sem_unlink(name) == 0);
	expect(shmdt(attached) == 0 && shmctl(id, IPC_RMID, NULL) == 0);
	address_used_again(shared);
	close(file);
}
