/* SPDX-License-Identifier: MIT */
#include "analysis/diff/rank.h"

#include <math.h>

enum { APART_MIN = 2 };

/* Walks over both sets, range by range, in rising order: all histograms have the same ranges. */
struct walk {
	const struct histogram *of[2];
	size_t positions[2];
	struct histogram_range next[2];
	bool has_next[2];
};

static void walk_take(struct walk *walk, unsigned i)
{
	walk->has_next[i] = histogram_next(walk->of[i], &walk->positions[i], &walk->next[i]);
}

/* Counts the numbers of both sets in the next range. Returns false after the last range. */
static bool walk_next(struct walk *walk, double ret_n[2])
{
	uint64_t least = UINT64_MAX;

	if (!walk->has_next[0] && !walk->has_next[1])
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (walk->has_next[i] && walk->next[i].from < least)
			least = walk->next[i].from;
	for (unsigned i = 0; i < 2; i++) {
		const bool is_in = walk->has_next[i] && walk->next[i].from == least;

		ret_n[i] = is_in ? (double)walk->next[i].n : 0;
		if (is_in)
			walk_take(walk, i);
	}
	return true;
}

struct rank rank_test(const struct histogram *a, const struct histogram *b)
{
	struct walk walk = { .of = { a, b } };
	const double n_a = (double)a->n, n_b = (double)b->n, n = n_a + n_b, n_pairs = n_a * n_b;
	double n_in[2], n_a_below = 0, above = 0, ties = 0;

	if (n_pairs <= 0)
		return (struct rank){ 0.5, 1 };
	walk_take(&walk, 0);
	walk_take(&walk, 1);
	while (walk_next(&walk, n_in)) {
		const double n_tied = n_in[0] + n_in[1];

		above += n_in[1] * (n_a_below + n_in[0] / 2);
		ties += n_tied * n_tied * n_tied - n_tied;
		n_a_below += n_in[0];
	}
	/* The normal approximation, with the correction for ties. */
	const double variance = n > 1 ? n_pairs / 12 * (n + 1 - ties / (n * (n - 1))) : 0;
	const double distance = fabs(above - n_pairs / 2) - 0.5;

	return (struct rank){ .above = above / n_pairs,
		.probability = variance > 0 && distance > 0 ? erfc(distance / sqrt(2 * variance)) : 1 };
}

bool ranges_are_apart(const struct histogram *a, const struct histogram *b)
{
	const uint64_t width_a = a->most - a->least, width_b = b->most - b->least;
	const uint64_t width = width_a > width_b ? width_a : width_b;

	if (a->n < APART_MIN || b->n < APART_MIN)
		return false;
	return (b->least > a->most && b->least - a->most > width) ||
	       (a->least > b->most && a->least - b->most > width);
}
