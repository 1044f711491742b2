/* SPDX-License-Identifier: MIT */
/* The axis of time of a picture: marks at round figures, and what they are called. */
#ifndef VIEW_AXIS_H
#define VIEW_AXIS_H

#include <stddef.h>
#include <stdint.h>

enum { AXIS_MARKS_MAX = 64, AXIS_LABEL_MAX = 32 };

/* Where a picture begins and ends, and what its ticks are worth. */
struct axis {
	uint64_t from, to; /* ticks; from < to */
	uint64_t first;	   /* ticks of the first event, from which times count */
	uint64_t hz;	   /* 0 if it is not known: ticks are shown */
	double width;	   /* from `from` to `to`, in whatever the picture is measured in */
};

struct axis_mark {
	double at; /* 0 to width */
	char label[AXIS_LABEL_MAX];
};

static inline double axis_at(const struct axis *axis, uint64_t ticks)
{
	const uint64_t cut = ticks < axis->from ? axis->from : ticks > axis->to ? axis->to : ticks;

	return (double)(cut - axis->from) / (double)(axis->to - axis->from) * axis->width;
}

/* Marks that are at least so far apart; returns how many there are. */
size_t axis_marks(const struct axis *axis, double distance, struct axis_mark marks[AXIS_MARKS_MAX]);

/* A length of time in words: "1.25 ms", "400 ticks". */
char *axis_put_length(const struct axis *axis, char *p, uint64_t ticks);

#endif
