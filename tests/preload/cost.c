/* SPDX-License-Identifier: MIT */
/*
 * Measures the functions that librastrum-preload.so stands in front of, in nanoseconds: the least of many
 * runs of each. tests/preload/measure.py starts it plainly, with the library, and with a stream as well.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int zero, null;

static void lock_mutex(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void lock_rwlock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void pass_semaphore(void)
{
	sem_post(&semaphore);
	sem_wait(&semaphore);
}

static void signal_condition(void)
{
	pthread_cond_signal(&condition);
}

static void read_byte(void)
{
	char byte;

	if (read(zero, &byte, 1) != 1)
		_exit(1);
}

static void write_byte(void)
{
	if (write(null, "x", 1) != 1)
		_exit(1);
}

static void on_signal(int number)
{
	(void)number;
}

static void get_signal(void)
{
	raise(SIGUSR1);
}

static void *thread_nothing(void *argument)
{
	return argument;
}

static void make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_nothing, NULL) != 0)
		_exit(1);
	pthread_join(thread, NULL);
}

static void make_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static const struct row {
	const char *name;
	void (*function)(void);
	unsigned int n, n_runs;
} rows[] = { { "mutex", lock_mutex, 20000, 100 }, { "rwlock", lock_rwlock, 20000, 100 },
	{ "semaphore", pass_semaphore, 20000, 100 }, { "condition", signal_condition, 20000, 100 },
	{ "read", read_byte, 5000, 100 }, { "write", write_byte, 5000, 100 },
	{ "signal", get_signal, 2000, 50 }, { "thread", make_thread, 100, 20 },
	{ "process", make_process, 20, 10 } };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double least_of(const struct row *row)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int run = 0; run < row->n_runs; run++) {
		uint64_t begin = now_ns();

		for (unsigned int i = 0; i < row->n; i++)
			row->function();
		if (now_ns() - begin < least)
			least = now_ns() - begin;
	}
	return (double)least / row->n;
}

int main(void)
{
	zero = open("/dev/zero", O_RDONLY);
	null = open("/dev/null", O_WRONLY);
	sem_init(&semaphore, 0, 0);
	signal(SIGUSR1, on_signal);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("%s %.1f\n", rows[i].name, least_of(&rows[i]));
	return 0;
}
