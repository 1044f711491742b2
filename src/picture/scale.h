/* SPDX-License-Identifier: MIT */
/* The vertical scale of a level's row: from its least to its greatest value. It always includes 0. */
#ifndef PICTURE_SCALE_H
#define PICTURE_SCALE_H

#include "tracks/tree.h"

struct scale {
	double low, high; /* low <= 0 <= high */
};

/* Returns the scale of a whole row, or of its visible part. */
static inline struct scale scale_of(const struct summary *whole)
{
	const double least = whole->has_values ? number_real(whole->least) : 0,
		     most = whole->has_values ? number_real(whole->most) : 0;

	return (struct scale){ least < 0 ? least : 0, most > 0 ? most : 0 };
}

/* Returns 0 at the bottom of the row to 1 at its top. It uses halves so that no range overflows a double. */
static inline double scale_share(const struct scale *scale, double value)
{
	const double range = scale->high / 2 - scale->low / 2;

	return range > 0 ? (value / 2 - scale->low / 2) / range : 0;
}

/* Returns the value that a column shows if it has several: the one that is farthest from 0. */
static inline double scale_value(const struct summary *sum)
{
	const double least = number_real(sum->least), most = number_real(sum->most);

	return least < 0 && -least > most ? least : most;
}

#endif
