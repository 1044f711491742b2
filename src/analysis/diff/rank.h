/* SPDX-License-Identifier: MIT */
/*
 * Tests whether two sets of numbers differ by more than chance, with the rank sum test of Mann, Whitney and
 * Wilcoxon. It counts how often a number of one set is above a number of the other, and assumes nothing about
 * the distribution of the numbers.
 */
#ifndef ANALYSIS_DIFF_RANK_H
#define ANALYSIS_DIFF_RANK_H

#include "analysis/table/histogram.h"

struct rank {
	/* share of all pairs in which the number of b is the greater one, ties half: 0.5 is no difference */
	double above;
	/* of so much or more by chance, where both are of one kind; 1 where there are too few */
	double probability;
};

struct rank rank_test(const struct histogram *a, const struct histogram *b);

/*
 * Whether the ranges of both, of two numbers or more each, are apart by more than either is wide: then even
 * few numbers show a difference.
 */
bool ranges_are_apart(const struct histogram *a, const struct histogram *b);

#endif
