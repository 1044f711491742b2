/* SPDX-License-Identifier: MIT */
/* Where values of a level lie in its row: between its least and its greatest, and 0 is always among them. */
#ifndef VIEW_SCALE_H
#define VIEW_SCALE_H

#include "store/tree.h"

struct scale {
	double low, high; /* low <= 0 <= high */
};

/* For all of a row, or of what is shown of it. */
static inline struct scale scale_of(const struct summary *whole)
{
	const double least = whole->has_values ? number_real(whole->least) : 0,
		     most = whole->has_values ? number_real(whole->most) : 0;

	return (struct scale){ least < 0 ? least : 0, most > 0 ? most : 0 };
}

/* 0 at the bottom of the row to 1 at its top. Halves, so that no range of doubles is too large. */
static inline double scale_share(const struct scale *scale, double value)
{
	const double range = scale->high / 2 - scale->low / 2;

	return range > 0 ? (value / 2 - scale->low / 2) / range : 0;
}

/* What a column shows of several values: the one that is farthest from 0. */
static inline double scale_value(const struct summary *sum)
{
	const double least = number_real(sum->least), most = number_real(sum->most);

	return least < 0 && -least > most ? least : most;
}

#endif
