/* SPDX-License-Identifier: MIT */
/*
 * A program that contains no tracing, for tests of librastrum-preload.so: actor SCENE runs its scene and
 * checks that the C library's functions do what they always do. Status 0: they did.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/preload/actor.h"

int n_failed;

void expect_at(bool holds, const char *what, int line)
{
	if (holds)
		return;
	fprintf(stderr, "actor:%d: not so: %s\n", line, what);
	n_failed++;
}

void sleep_ms(unsigned int milliseconds)
{
	usleep(milliseconds * 1000);
}

struct timespec time_soon(clockid_t clock, long milliseconds)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += milliseconds * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static volatile pid_t near_tid;
static volatile int near_step;

void comes_to(int step)
{
	near_tid = gettid();
	near_step = step;
}

bool is_asleep(pid_t pid, pid_t tid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (file)
		fclose(file);
	return state == 'S';
}

void until_asleep(int step)
{
	while (near_step != step || !is_asleep(getpid(), near_tid))
		sleep_ms(2);
	near_step = 0;
}

pthread_t thread_begin(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	expect(pthread_create(&thread, NULL, function, argument) == 0);
	return thread;
}

void *thread_end(pthread_t thread)
{
	void *value;

	expect(pthread_join(thread, &value) == 0);
	return value;
}

void *thread_return(void *argument)
{
	return argument;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t wanted;

static void on_signal(int signal)
{
	(void)signal;
}

/* --- errno ---------------------------------------------------------------------------------------------- */

static void scene_errno(void)
{
	const struct timespec little = { 0, 1000000 };
	int fds[2];
	char byte;

	expect(pipe(fds) == 0);
	sem_init(&wanted, 0, 1);
	errno = 77;
	expect(write(fds[1], "x", 1) == 1 && errno == 77);
	expect(read(fds[0], &byte, 1) == 1 && errno == 77);
	expect(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0 && errno == 77);
	expect(sem_wait(&wanted) == 0 && errno == 77);
	expect(nanosleep(&little, NULL) == 0 && errno == 77);
	expect(poll(NULL, 0, 1) == 0 && errno == 77);
	expect(signal(SIGUSR1, on_signal) == SIG_DFL && raise(SIGUSR1) == 0 && errno == 77);
	thread_end(thread_begin(thread_return, NULL));
	expect(errno == 77);
	expect(read(-1, &byte, 1) == -1 && errno == EBADF);
	expect(sem_trywait(&wanted) == -1 && errno == EAGAIN);
	expect(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
	expect(clock_nanosleep(CLOCK_MONOTONIC, 0, &(const struct timespec){ 0, -1 }, NULL) == EINVAL);
}

/* --- all at once ---------------------------------------------------------------------------------------- */

enum { STORM_THREADS = 8, STORM_ROUNDS = 4000 };
static uint64_t n_rounds, n_storm_signals;
static volatile bool is_over;

static void storm_signal(int signal)
{
	int error = errno;

	(void)signal;
	__atomic_fetch_add(&n_storm_signals, 1, __ATOMIC_RELAXED);
	if (write(-1, "", 1) >= 0)
		abort();
	errno = error;
}

static void *storm_thread(void *argument)
{
	for (int i = 0; i < STORM_ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		n_rounds++;
		pthread_mutex_unlock(&mutex);
		if (i % 64 == 0)
			pthread_cond_broadcast(&condition);
		if (i % 128 == 0)
			thread_end(thread_begin(thread_return, NULL));
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		if (i % 32 == 0) {
			pthread_rwlock_wrlock(&rwlock);
			pthread_rwlock_unlock(&rwlock);
		}
		if (i % 256 == 0)
			raise(SIGUSR1);
		if (i % 1024 == 0) {
			pid_t child = fork();

			if (child == 0)
				_exit(pthread_mutex_trylock(&mutex) == EINVAL);
			waitpid(child, NULL, 0);
		}
	}
	return argument;
}

static void scene_storm(void)
{
	pthread_t threads[STORM_THREADS];

	signal(SIGUSR1, storm_signal);
	for (int i = 0; i < STORM_THREADS; i++)
		threads[i] = thread_begin(storm_thread, NULL);
	for (int i = 0; i < STORM_THREADS; i++)
		thread_end(threads[i]);
	expect(n_rounds == STORM_THREADS * STORM_ROUNDS);
	expect(n_storm_signals == (uint64_t)STORM_THREADS * ((STORM_ROUNDS + 255) / 256));
}

static const struct scene {
	const char *name;
	void (*play)(void);
} scenes[] = { { "locks", scene_locks }, { "robust", scene_robust }, { "shared", scene_shared },
	{ "free", scene_free }, { "conditions", scene_conditions }, { "threads", scene_threads },
	{ "cancel", scene_cancel }, { "signals", scene_signals }, { "processes", scene_processes },
	{ "files", scene_files }, { "libraries", scene_libraries }, { "errno", scene_errno },
	{ "storm", scene_storm } };

int main(int n_arguments, char **arguments)
{
	alarm(60);
	for (size_t i = 0; n_arguments > 1 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (strcmp(scenes[i].name, arguments[1]) == 0) {
			scenes[i].play();
			return n_failed ? 1 : 0;
		}
	fprintf(stderr, "actor: scenes are those of the table\n");
	return 2;
}
