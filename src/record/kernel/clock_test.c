/* SPDX-License-Identifier: MIT */
#include "record/kernel/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "tests/tap.h"

static int64_t now_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void check_choice(void)
{
	enum log_clock clock;

	errno = 77;
	clock = clock_choose();
	ok(clock == LOG_CLOCK_TSC || clock == LOG_CLOCK_MONOTONIC, "one of the two clocks is chosen");
	ok(clock_choose() == clock, "the second call gives the same one");
	ok(errno == 77, "errno stays as it was");
	ok(clock_resolution(clock) >= 1 && clock_resolution(LOG_CLOCK_MONOTONIC) >= 1,
		"a resolution is never less than a nanosecond");
}

/* Whether the line through two pairs gives a time between two readings of the kernel's clock. */
static bool tells_now(enum log_clock clock, const struct clock_scale *scale, int64_t slack)
{
	int64_t before = now_monotonic();
	int64_t between = clock_nanoseconds(scale, clock_ticks(clock));
	int64_t after = now_monotonic();

	return between >= before - slack && between <= after + slack;
}

static void check_pairs(enum log_clock clock)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	struct log_clock_pair first = clock_pair(clock), second;
	struct clock_scale scale;
	int n_right = 0;

	nanosleep(&nap, NULL);
	second = clock_pair(clock);
	ok(second.ticks > first.ticks && second.monotonic > first.monotonic, "pairs go on");
	ok(first.realtime / 1000000000 >= time(NULL) - 2 && first.realtime / 1000000000 <= time(NULL),
		"a pair has the time of day");
	ok(first.error > 0 && first.error < 1000000 && second.error > 0,
		"a pair has its error: its readings are from one instant to %llu ns",
		(unsigned long long)first.error);
	scale = clock_scale(clock, &first, &second);
	for (int i = 0; i < 100; i++)
		n_right += tells_now(clock, &scale, 20000);
	ok(n_right >= 90, "the line through two pairs gives the kernel's time (%d of 100)", n_right);
	ok(llabs(clock_nanoseconds(&scale, first.ticks) - first.monotonic) <= 1 &&
			llabs(clock_nanoseconds(&scale, second.ticks) - second.monotonic) <= 1,
		"and goes through both");
}

static void check_identity(void)
{
	const struct log_clock_pair first = { .ticks = 5, .monotonic = 700 }, second = { .ticks = 9 };
	struct clock_scale scale = clock_scale(LOG_CLOCK_MONOTONIC, &first, &second);

	ok(clock_nanoseconds(&scale, 0x7654321076543211) == 0x7654321076543211,
		"ticks of CLOCK_MONOTONIC are its nanoseconds, whatever the pairs are");
	ok(clock_nanoseconds(&scale, UINT64_MAX) == INT64_MAX, "too many of them are the largest time");
}

static void check_lies(void)
{
	const struct log_clock_pair zero = { 0 }, one = { .ticks = 1, .monotonic = INT64_MAX };
	const struct log_clock_pair late = { .ticks = UINT64_MAX, .monotonic = INT64_MIN };
	const struct log_clock_pair five = { .ticks = 0, .monotonic = 5 };
	struct clock_scale scale = clock_scale(LOG_CLOCK_TSC, &zero, &zero);

	ok(clock_nanoseconds(&scale, 10) == 10, "one pair alone makes a tick a nanosecond");
	scale = clock_scale(LOG_CLOCK_TSC, &five, &five);
	ok(clock_nanoseconds(&scale, 10) == 15, "from that pair on");
	scale = clock_scale(LOG_CLOCK_TSC, &zero, &one);
	ok(clock_nanoseconds(&scale, UINT64_MAX) >= 1ll << 62, "a line that is too steep ends at a limit");
	scale = clock_scale(LOG_CLOCK_TSC, &one, &late);
	ok(clock_nanoseconds(&scale, UINT64_MAX) == INT64_MAX, "and one that begins there, too");
	scale = clock_scale(LOG_CLOCK_TSC, &late, &late);
	ok(clock_nanoseconds(&scale, 0) == INT64_MIN, "the same holds backwards");
}

static void check_before(void)
{
	const struct log_clock_pair first = { .ticks = 1000, .monotonic = 5000 };
	const struct log_clock_pair second = { .ticks = 2000, .monotonic = 5500 };
	struct clock_scale scale = clock_scale(LOG_CLOCK_TSC, &first, &second);

	ok(clock_nanoseconds(&scale, 3000) == 6000 && clock_nanoseconds(&scale, 200) == 4600,
		"times behind and in front of the pairs lie on the line");
}

int main(void)
{
	check_choice();
	check_pairs(clock_choose());
	check_pairs(LOG_CLOCK_MONOTONIC);
	check_identity();
	check_before();
	check_lies();
	return tap_done();
}
