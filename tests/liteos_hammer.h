/* SPDX-License-Identifier: MIT */
/*
 * Threads record into the LiteOS voice while signals interrupt them, and signals these signals. Each source, a thread and
 * how deep in signals, counts its records, and all of a record follows from its source and number.
 */
#ifndef TESTS_LITEOS_HAMMER_H
#define TESTS_LITEOS_HAMMER_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#define RASTRUM_PORT_PTHREAD
#define RASTRUM_LITEOS_A
#define LOSCFG_TRACE_FRAME_CORE_MSG
#define LOSCFG_TRACE_FRAME_EVENT_COUNT
#define RASTRUM_LITEOS_HWI_ACTIVE() (hammer_level > 0)
#define RASTRUM_LITEOS_PROCESS()    hammer_inside()

enum {
	N_THREADS = 2,
	N_LEVELS = 3,
	N_SOURCES = N_THREADS * N_LEVELS,
	N_STEPS = 20000,
	N_BETWEEN_SIGNALS = 50,
	N_IN_SIGNALS_MIN = 300
};

static _Thread_local unsigned hammer_thread, hammer_level;
static atomic_uint hammer_made[N_SOURCES], hammer_running;

/* Called inside of a record, from time to time: a signal that must wait for its end, and a chance for other threads. */
static unsigned hammer_inside(void)
{
	static _Thread_local unsigned n_calls;

	if (++n_calls % N_BETWEEN_SIGNALS == 0) {
		raise(hammer_level == 0 ? SIGUSR1 : SIGUSR2);
		sched_yield();
	}
	return 7;
}

#include "tests/liteos_kit.h"

static UINTPTR hammer_proof(UINTPTR source, UINTPTR number)
{
	return (number * 2654435761U) ^ source << 7;
}

static void hammer_record(void)
{
	unsigned source = hammer_thread * N_LEVELS + hammer_level;
	unsigned number = atomic_fetch_add(&hammer_made[source], 1);

	LOS_TRACE_EASY(1, source, number, hammer_proof(source, number));
}

static void hammer_signal(int signal)
{
	(void)signal;
	if (hammer_level == N_LEVELS - 1)
		return;
	hammer_level++;
	hammer_record();
	hammer_level--;
}

static void *hammer_work(void *thread)
{
	hammer_thread = (unsigned)(uintptr_t)thread;
	for (unsigned i = 0; i < N_STEPS; i++)
		hammer_record();
	atomic_fetch_sub(&hammer_running, 1);
	/* Signals may come until all have ended; they find this thread here. */
	while (atomic_load(&hammer_running))
		sched_yield();
	return NULL;
}

static void *hammer_interrupt(void *threads)
{
	const pthread_t *workers = threads;

	while (atomic_load(&hammer_running)) {
		for (unsigned i = 0; i < N_THREADS; i++) {
			pthread_kill(workers[i], SIGUSR1);
			pthread_kill(workers[i], SIGUSR2);
		}
		sched_yield();
	}
	return NULL;
}

/* Until all have ended; `meanwhile` is called again and again. */
static void hammer_run(void (*meanwhile)(void))
{
	const struct sigaction action = { .sa_handler = hammer_signal };
	pthread_t workers[N_THREADS], interrupter;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	atomic_store(&hammer_running, N_THREADS);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_create(&workers[i], NULL, hammer_work, (void *)(uintptr_t)i);
	pthread_create(&interrupter, NULL, hammer_interrupt, workers);
	while (atomic_load(&hammer_running)) {
		meanwhile();
		sched_yield();
	}
	pthread_join(interrupter, NULL);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(workers[i], NULL);
}

/* How many records all sources made; and that signals came. */
static unsigned hammer_n_made(void)
{
	unsigned n_made = 0, n_in_signals = 0;

	for (unsigned i = 0; i < N_SOURCES; i++) {
		n_made += atomic_load(&hammer_made[i]);
		n_in_signals += i % N_LEVELS ? atomic_load(&hammer_made[i]) : 0;
	}
	ok(n_in_signals >= N_THREADS * N_IN_SIGNALS_MIN, "signals recorded, %u times of %u", n_in_signals,
		n_made);
	return n_made;
}

#endif
