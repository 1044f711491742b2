/* SPDX-License-Identifier: MIT */
/* Compiled with the declarations of POSIX 2008: -std=gnu99, or -std=c99 -D_POSIX_C_SOURCE=200809L. */
#include "embed/port/port_pthread.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

typedef char rastrum_port_signals_fit[sizeof(sigset_t) <= sizeof(rastrum_lock_t) ? 1 : -1];

static pthread_mutex_t port_mutex;
static pthread_once_t port_once = PTHREAD_ONCE_INIT;

/* Recursive: locks nest. */
static void mutex_init(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&port_mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

void rastrum_port_lock(rastrum_lock_t *ret_state)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	memcpy(ret_state, &before, sizeof(before));
	pthread_once(&port_once, mutex_init);
	pthread_mutex_lock(&port_mutex);
}

void rastrum_port_unlock(const rastrum_lock_t *state)
{
	sigset_t before;

	pthread_mutex_unlock(&port_mutex);
	memcpy(&before, state, sizeof(before));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

uint32_t rastrum_port_stamp(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint32_t)now.tv_sec * 1000000u + (uint32_t)now.tv_nsec / 1000u;
}
