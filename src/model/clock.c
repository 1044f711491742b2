/* SPDX-License-Identifier: MIT */
#include "model/clock.h"

enum {
	JITTER_SHARE = 256,
};

/* A smaller counter wraps so often that a step back always means a wrap. */
#define JITTER_MODULUS_MIN ((uint64_t)1 << 24)

void clock_init(struct clock *clock, uint64_t modulus, bool is_down)
{
	uint64_t largest = modulus - 1; /* 2^64 - 1 for modulus 0 */

	*clock = (struct clock){ .modulus = modulus, .is_down = is_down };
	if (largest >= JITTER_MODULUS_MIN - 1)
		clock->jitter = largest / JITTER_SHARE;
}

uint64_t run_clock_shifted(struct run_clock *clock, uint64_t stamp)
{
	uint64_t ticks;

	if (clock->is_due)
		clock->stamp = stamp;
	clock->is_due = false;
	if (stamp < clock->stamp)
		return clock->ticks -
		       (clock->stamp - stamp < clock->ticks ? clock->stamp - stamp : clock->ticks);
	return __builtin_add_overflow(clock->ticks, stamp - clock->stamp, &ticks) ? UINT64_MAX : ticks;
}

__extension__ typedef unsigned __int128 wide;

static uint64_t ticks_scale(uint64_t value, uint64_t by, uint64_t per)
{
	wide product = (wide)value * by / per;

	return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

uint64_t clock_ns(uint64_t ticks, uint64_t hz)
{
	return hz == 1000000000U ? ticks : ticks_scale(ticks, 1000000000U, hz);
}

uint64_t clock_ticks_of_ns(uint64_t ns, uint64_t hz)
{
	return hz == 1000000000U ? ns : ticks_scale(ns, hz, 1000000000U);
}
