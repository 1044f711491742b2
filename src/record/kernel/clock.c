/* SPDX-License-Identifier: MIT */
#include "record/kernel/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { PAIR_TRIES = 8 };

#define SECOND_NS 1000000000

#if defined(__x86_64__)
/* Counts at one rate in all power states (power management leaf, EDX bit 8). */
static bool counter_is_invariant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

/*
 * The kernel stops using the counter when the counters of CPUs disagree. Raw calls are no cancellation
 * points, which posix_trace_attr_init() must not be.
 */
static bool kernel_trusts_counter(void)
{
	static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char source[8] = { 0 };
	int kept = errno;
	long fd = syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC));
	long n = -1;

	if (fd >= 0) {
		n = syscall(SYS_read, fd, source, sizeof(source) - 1);
		syscall(SYS_close, fd);
	}
	errno = kept;
	return n > 0 && strcmp(source, "tsc\n") == 0;
}

enum log_clock clock_choose(void)
{
	return counter_is_invariant() && kernel_trusts_counter() ? LOG_CLOCK_TSC : LOG_CLOCK_MONOTONIC;
}
#else
enum log_clock clock_choose(void)
{
	return LOG_CLOCK_MONOTONIC;
}
#endif

uint32_t clock_resolution(enum log_clock clock)
{
	struct timespec resolution;

	/* a tick of the counter is a nanosecond or less, and times have nanoseconds */
	if (clock == LOG_CLOCK_TSC || clock_getres(CLOCK_MONOTONIC, &resolution) < 0)
		return 1;
	if (resolution.tv_sec > 0)
		return SECOND_NS;
	return resolution.tv_nsec > 1 ? (uint32_t)resolution.tv_nsec : 1;
}

static int64_t clock_read(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

/*
 * Every clock is read twice around the one in the middle, so that the middles are the same instant, to half
 * of what the outermost readings are apart. Those are of CLOCK_MONOTONIC, whose unit is known.
 */
struct clock_bracket {
	int64_t monotonic[2];
	uint64_t ticks[2];
	int64_t realtime;
};

static struct clock_bracket bracket_take(enum log_clock clock)
{
	struct clock_bracket bracket;

	bracket.monotonic[0] = clock_read(CLOCK_MONOTONIC);
	bracket.ticks[0] = clock_ticks(clock);
	bracket.realtime = clock_read(CLOCK_REALTIME);
	bracket.ticks[1] = clock_ticks(clock);
	bracket.monotonic[1] = clock_read(CLOCK_MONOTONIC);
	return bracket;
}

static uint64_t bracket_width(const struct clock_bracket *bracket)
{
	return (uint64_t)(bracket->monotonic[1] - bracket->monotonic[0]);
}

struct log_clock_pair clock_pair(enum log_clock clock)
{
	struct clock_bracket best = bracket_take(clock);
	struct log_clock_pair pair;

	for (int i = 1; i < PAIR_TRIES; i++) {
		struct clock_bracket next = bracket_take(clock);

		if (bracket_width(&next) < bracket_width(&best))
			best = next;
	}
	pair.monotonic = best.monotonic[0] + (best.monotonic[1] - best.monotonic[0]) / 2;
	pair.realtime = best.realtime;
	pair.ticks = clock == LOG_CLOCK_MONOTONIC ? (uint64_t)pair.monotonic
						  : best.ticks[0] + (best.ticks[1] - best.ticks[0]) / 2;
	/* Halves are rounded, and clocks show what they have counted in full. */
	pair.error = bracket_width(&best) / 2 + 1 + clock_resolution(LOG_CLOCK_MONOTONIC);
	return pair;
}

/* Pairs may come from a damaged log; the line is finite in any case. */
struct clock_scale clock_scale(
	enum log_clock clock, const struct log_clock_pair *first, const struct log_clock_pair *second)
{
	struct clock_scale scale = { .ticks = 0, .nanoseconds = 0, .per_tick = 1 };
	uint64_t ticks = second->ticks - first->ticks;
	double nanoseconds = (double)second->monotonic - (double)first->monotonic;

	if (clock == LOG_CLOCK_MONOTONIC)
		return scale;
	scale.ticks = first->ticks;
	scale.nanoseconds = first->monotonic;
	if (second->ticks > first->ticks && nanoseconds > 0)
		scale.per_tick = nanoseconds / (double)ticks;
	return scale;
}

/* Limits that doubles represent exactly and a sum of two values cannot exceed. */
static int64_t nanoseconds_within(double value)
{
	const double limit = (double)(1ll << 62);

	if (value >= limit)
		return 1ll << 62;
	return value <= -limit ? -(1ll << 62) : (int64_t)value;
}

int64_t clock_nanoseconds(const struct clock_scale *scale, uint64_t ticks)
{
	bool is_before = ticks < scale->ticks;
	uint64_t distance = is_before ? scale->ticks - ticks : ticks - scale->ticks;
	int64_t way, nanoseconds;

	/* the identity: every nanosecond counts, also those that a double would round away */
	if (scale->ticks == 0 && scale->nanoseconds == 0 && scale->per_tick == 1.0)
		return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
	way = nanoseconds_within((double)distance * scale->per_tick);
	if (__builtin_add_overflow(scale->nanoseconds, is_before ? -way : way, &nanoseconds))
		return is_before ? INT64_MIN : INT64_MAX;
	return nanoseconds;
}
