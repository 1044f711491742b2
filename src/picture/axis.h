/* SPDX-License-Identifier: MIT */
/* The time axis of a picture: marks at round numbers, and their labels. */
#ifndef PICTURE_AXIS_H
#define PICTURE_AXIS_H

#include <stddef.h>
#include <stdint.h>

enum { AXIS_MARKS_MAX = 64, AXIS_LABEL_MAX = 32 };

/* The begin and end of a picture, and the frequency of its ticks. */
struct axis {
	uint64_t from, to; /* ticks; from < to */
	uint64_t first;	   /* ticks of the first event, from which times count */
	uint64_t hz;	   /* 0 if it is unknown: ticks are shown */
	double width;	   /* from `from` to `to`, in the picture's unit */
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

/* Makes marks that are at least `distance` apart; returns their number. */
size_t axis_marks(const struct axis *axis, double distance, struct axis_mark marks[AXIS_MARKS_MAX]);

/* Writes a duration as text: "1.25 ms", "400 ticks". */
char *axis_put_length(const struct axis *axis, char *p, uint64_t ticks);

#endif
