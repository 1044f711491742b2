/* SPDX-License-Identifier: MIT */
/* Measures the time of work and waits, by the system's steady clock. */
#ifndef BASE_STEADY_H
#define BASE_STEADY_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since a fixed moment, which stays the same while the system runs. */
static inline uint64_t steady_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static inline uint64_t steady_ms(void)
{
	return steady_ns() / 1000000;
}

#endif
