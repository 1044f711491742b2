/* SPDX-License-Identifier: MIT */
#include "view/axis.h"

#include <stdio.h>

#include "base/text.h"
#include "model/clock.h"

/* Units of labels, largest first; without a frequency there is one. */
struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };

enum { N_UNITS = sizeof(units) / sizeof(units[0]) };

/* Since the first event: in nanoseconds, or in ticks. */
static double time_of(const struct axis *axis, uint64_t ticks)
{
	const double distance =
		ticks >= axis->first ? (double)(ticks - axis->first) : -(double)(axis->first - ticks);

	return axis->hz ? distance * 1e9 / (double)axis->hz : distance;
}

/* The next of 1, 2, 5, 10, 20, … that is not below least. */
static double round_step(double least)
{
	static const double steps[] = { 1, 2, 5 };
	double power = 1;

	for (;; power *= 10)
		for (unsigned i = 0; i < 3; i++)
			if (steps[i] * power >= least)
				return steps[i] * power;
}

/* As many decimals as the step needs in its unit. */
static unsigned decimals_of(double step)
{
	unsigned n = 0;

	for (; n < 9 && step < 0.999; step *= 10)
		n++;
	return n;
}

/* The largest unit in which the marks have three decimals at most, and the last one a figure in front of them. */
static const struct unit *unit_of(double step, double last)
{
	for (unsigned i = 0; i + 1 < N_UNITS; i++)
		if (last >= (double)units[i].ns && step * 1000 >= (double)units[i].ns)
			return &units[i];
	return &units[N_UNITS - 1];
}

size_t axis_marks(const struct axis *axis, double distance, struct axis_mark marks[AXIS_MARKS_MAX])
{
	const double from = time_of(axis, axis->from), to = time_of(axis, axis->to);
	const double step = round_step((to - from) * distance / axis->width);
	const struct unit *unit = unit_of(step, to);
	const double scale = axis->hz ? (double)unit->ns : 1;
	double at = (double)(int64_t)(from / step) * step;
	size_t n = 0;

	for (; at <= to && n < AXIS_MARKS_MAX; at += step) {
		if (at < from)
			continue;
		marks[n].at = (at - from) / (to - from) * axis->width;
		snprintf(marks[n].label, AXIS_LABEL_MAX, "%.*f%s%s",
			axis->hz ? (int)decimals_of(step / scale) : 0, at / scale, axis->hz ? " " : "",
			axis->hz ? unit->name : "");
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
