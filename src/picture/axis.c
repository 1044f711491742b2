/* SPDX-License-Identifier: MIT */
#include "picture/axis.h"

#include <stdio.h>

#include "base/text.h"
#include "model/clock.h"

/* Units of labels, largest first. Without a frequency, labels are in ticks. */
struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };

enum { N_UNITS = sizeof(units) / sizeof(units[0]) };

/*
 * Times are integers: far from the first event a double cannot distinguish two marks. A time is in parts: a
 * nanosecond has hz parts; without a frequency, a tick is one part. A step is in nanoseconds, or in ticks.
 */
static __int128_t parts_of(const struct axis *axis, uint64_t ticks)
{
	return ((__int128_t)ticks - axis->first) * (axis->hz ? 1000000000 : 1);
}

static uint64_t parts_in_one(const struct axis *axis)
{
	return axis->hz ? axis->hz : 1;
}

/* Returns the smallest number of 1, 2, 5, 10, 20, … that is at least `least`. */
static __int128_t round_step(double least)
{
	static const unsigned steps[] = { 1, 2, 5 };
	__int128_t power = 1;

	for (;; power *= 10)
		for (unsigned i = 0; i < 3; i++)
			if ((double)(steps[i] * power) >= least)
				return steps[i] * power;
}

/* Returns the first multiple of step at or after `from`. */
static __int128_t multiple_from(__int128_t from, __int128_t step)
{
	const __int128_t n = from / step; /* towards 0 */

	return (n * step < from ? n + 1 : n) * step;
}

/* Returns how many decimals the step needs in its unit. */
static unsigned decimals_of(double step)
{
	unsigned n = 0;

	for (; n < 9 && step < 0.999; step *= 10)
		n++;
	return n;
}

/* Finds the largest unit in which the marks need at most three decimals and the last mark is at least 1. */
static const struct unit *unit_of(double step, double last)
{
	for (unsigned i = 0; i + 1 < N_UNITS; i++)
		if (last >= (double)units[i].ns && step * 1000 >= (double)units[i].ns)
			return &units[i];
	return &units[N_UNITS - 1];
}

/* Writes at / scale with n_decimals decimals, at most nine, and the unit. */
static void label_put(
	char label[AXIS_LABEL_MAX], __int128_t at, uint64_t scale, unsigned n_decimals, const char *unit)
{
	char digits[AXIS_LABEL_MAX], *p = digits + sizeof(digits);
	__uint128_t rest = (__uint128_t)(at < 0 ? -at : at);
	unsigned n = 0;

	for (; scale > 1 && n < n_decimals; scale /= 10)
		n++;
	rest /= scale;
	*--p = '\0';
	for (unsigned i = 0; i <= n || rest; i++, rest /= 10) {
		if (i == n && n)
			*--p = '.';
		*--p = (char)('0' + rest % 10);
	}
	snprintf(label, AXIS_LABEL_MAX, "%s%s%s%s", at < 0 ? "-" : "", p, *unit ? " " : "", unit);
}

size_t axis_marks(const struct axis *axis, double distance, struct axis_mark marks[AXIS_MARKS_MAX])
{
	const uint64_t one = parts_in_one(axis);
	const __int128_t from = parts_of(axis, axis->from), to = parts_of(axis, axis->to);
	const double length = (double)(to - from);
	const __int128_t step = round_step(length / (double)one * distance / axis->width);
	const struct unit *unit = unit_of((double)step, (double)to / (double)one);
	const uint64_t scale = axis->hz ? unit->ns : 1;
	const unsigned n_decimals = axis->hz ? decimals_of((double)step / (double)scale) : 0;
	size_t n = 0;

	for (__int128_t at = multiple_from(from, step * one); at <= to && n < AXIS_MARKS_MAX;
		at += step * one) {
		marks[n].at = (double)(at - from) / length * axis->width;
		label_put(marks[n].label, at / one, scale, n_decimals, axis->hz ? unit->name : "");
		n++;
	}
	return n;
}

char *axis_put_length(const struct axis *axis, char *p, uint64_t ticks)
{
	if (axis->hz)
		return text_put_duration(p, clock_ns(ticks, axis->hz));
	return text_put_literal(text_put_dec(p, ticks), " ticks");
}
