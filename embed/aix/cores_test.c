/* SPDX-License-Identifier: MIT */
/*
 * Two cores by C11 atomics, in words of 32 bits: a thread is a core, its signals are that core's interrupts.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static uint32_t test_core(void);
static uint32_t test_stamp(void);
static unsigned long test_mask(void);
static void test_unmask(unsigned long mask);

#define RASTRUM_PORT_C11
#define RASTRUM_N_CORES	       2
#define RASTRUM_CORE()	       test_core()
#define RASTRUM_STAMP()	       test_stamp()
#define RASTRUM_MASK(state)    ((state) = test_mask())
#define RASTRUM_UNMASK(state)  test_unmask(state)
#define RASTRUM_AIX_WORD_BYTES 4

#include "embed/aix/stress.inc"

/* The reader is a third one. */
static uint32_t test_core(void)
{
	return stress_works ? stress_source % N_WORKERS : N_WORKERS;
}

static uint32_t test_stamp(void)
{
	static atomic_uint stamp;

	return atomic_fetch_add_explicit(&stamp, 1, memory_order_relaxed);
}

/* The first word of a signal set has all signals there are. */
static unsigned long test_mask(void)
{
	sigset_t all, before;
	unsigned long word;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	memcpy(&word, &before, sizeof(word));
	return word;
}

static void test_unmask(unsigned long mask)
{
	sigset_t before;

	sigemptyset(&before);
	memcpy(&before, &mask, sizeof(mask));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	return stress_main();
}
