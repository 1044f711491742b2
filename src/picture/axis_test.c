/* SPDX-License-Identifier: MIT */
/* Marks of an axis: they are at round numbers, and as dense near 2^64 as near 0. */
#include <stdio.h>
#include <string.h>

#include "picture/axis.h"
#include "tests/tap.h"

/* Joins the labels, with | between them. */
static const char *labels_of(const struct axis *axis, double distance)
{
	static char text[AXIS_MARKS_MAX * (AXIS_LABEL_MAX + 1)];
	struct axis_mark marks[AXIS_MARKS_MAX];
	const size_t n = axis_marks(axis, distance, marks);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		strcat(text, i ? "|" : "");
		strcat(text, marks[i].label);
	}
	return text;
}

static void test_near(void)
{
	is_text(labels_of(&(struct axis){ .from = 100, .to = 200, .first = 100, .width = 80 }, 14),
		"0|20|40|60|80|100", "ticks since the first event");
	is_text(labels_of(&(struct axis){ .from = 150, .to = 250, .first = 200, .width = 80 }, 14),
		"-40|-20|0|20|40", "before it they are below 0");
	is_text(labels_of(
			&(struct axis){ .from = 0, .to = 2500, .first = 0, .hz = 1000000, .width = 80 }, 14),
		"0.0 ms|0.5 ms|1.0 ms|1.5 ms|2.0 ms|2.5 ms",
		"with a frequency they are times, with the decimals that they need");
	is_text(labels_of(&(struct axis){ .from = 1, .to = 9, .first = 0, .hz = 3, .width = 80 }, 14),
		"0.5 s|1.0 s|1.5 s|2.0 s|2.5 s|3.0 s", "a tick may be no whole number of nanoseconds");
}

static void test_far(void)
{
	const struct axis axis = { .from = UINT64_MAX - 100, .to = UINT64_MAX, .first = 0, .width = 80 };
	struct axis slow = axis;
	struct axis_mark marks[AXIS_MARKS_MAX];

	slow.hz = 1;
	is_text(labels_of(&axis, 14),
		"18446744073709551520|18446744073709551540|18446744073709551560|18446744073709551580|"
		"18446744073709551600",
		"near 2^64 marks are as near to each other as near 0");
	is_text(labels_of(&slow, 30), "18446744073709551550 s|18446744073709551600 s",
		"with a frequency, too");
	ok(axis_marks(&axis, 14, marks) == 5 && marks[0].at == 4 && marks[4].at == 68,
		"and they stand where they belong");
	slow.from = 0;
	ok(axis_marks(&slow, 14, marks) == 4 && strcmp(marks[0].label, "0 s") == 0,
		"the whole range has marks, too");
}

int main(void)
{
	test_near();
	test_far();
	return tap_done();
}
