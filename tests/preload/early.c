/* SPDX-License-Identifier: MIT */
/*
 * A library that the actor is linked with. Its constructor runs before those of preloaded libraries, and does
 * a lot.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile sig_atomic_t n_signals;

static void on_signal(int number)
{
	n_signals += number == SIGUSR1;
}

static void *thread_main(void *argument)
{
	pthread_mutex_lock(&mutex);
	*(int *)argument = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return argument;
}

static void must(int holds)
{
	if (!holds)
		_exit(98);
}

static __attribute__((constructor)) void early(void)
{
	int is_done = 0, status, fd = open("/dev/zero", O_RDONLY);
	pthread_t thread;
	sem_t semaphore;
	char byte = 1;
	pid_t child;

	must(read(fd, &byte, 1) == 1 && byte == 0 && close(fd) == 0);
	must(pthread_mutex_lock(&mutex) == 0);
	must(pthread_create(&thread, NULL, thread_main, &is_done) == 0);
	while (!is_done)
		must(pthread_cond_wait(&condition, &mutex) == 0);
	must(pthread_mutex_unlock(&mutex) == 0 && pthread_join(thread, NULL) == 0);
	must(sem_init(&semaphore, 0, 0) == 0 && sem_post(&semaphore) == 0 && sem_wait(&semaphore) == 0);
	must(signal(SIGUSR1, on_signal) == SIG_DFL && raise(SIGUSR1) == 0 && n_signals == 1);
	must(signal(SIGUSR1, SIG_DFL) == on_signal);
	child = fork();
	if (child == 0)
		_exit(3);
	must(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
}
