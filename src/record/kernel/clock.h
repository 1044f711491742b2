/* SPDX-License-Identifier: MIT */
/*
 * The clock of stamps: the CPU's time stamp counter if it is invariant and the kernel uses it, else
 * CLOCK_MONOTONIC. Stamps become time when they are read, not when they are taken: a call of the kernel's
 * clock alone would cost more than the whole event.
 */
#ifndef KERNEL_CLOCK_H
#define KERNEL_CLOCK_H

#include "log/format.h"
#include <stdint.h>
#include <time.h>

/* The clock that this machine allows; determined anew at each call (a file is read). */
enum log_clock clock_choose(void);

/* Async-signal-safe. */
static inline uint64_t clock_ticks(enum log_clock clock)
{
#if defined(__x86_64__)
	if (clock == LOG_CLOCK_TSC)
		return __builtin_ia32_rdtsc();
#else
	(void)clock;
#endif
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* All clocks at one instant, as near as a few tries get. Async-signal-safe. */
struct log_clock_pair clock_pair(enum log_clock clock);

/* Ticks to nanoseconds of CLOCK_MONOTONIC: a line through two pairs. */
struct clock_scale {
	uint64_t ticks;
	int64_t nanoseconds;
	double per_tick; /* nanoseconds */
};
/* The pairs should be 2 ms or more apart; nearer ones give a rough line. */
struct clock_scale clock_scale(
	enum log_clock clock, const struct log_clock_pair *first, const struct log_clock_pair *second);
int64_t clock_nanoseconds(const struct clock_scale *scale, uint64_t ticks);

/* Resolution of the stamps in nanoseconds, never less than 1. */
uint32_t clock_resolution(enum log_clock clock);

#endif
