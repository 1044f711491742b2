/* SPDX-License-Identifier: MIT */
/*
 * A window of a timeline as SVG: plain shapes and text, no script, nothing from outside, the same bytes for the same input.
 * States differ by colour, height and pattern, so that they can be told apart without colours.
 */
#ifndef VIEW_PICTURE_H
#define VIEW_PICTURE_H

#include "base/outbuf.h"
#include "view/axis.h"
#include "view/rows.h"

/* A loss or damage: drawn through all rows. */
struct picture_loss {
	uint64_t at;
};

struct picture {
	const struct tracks *tracks;
	const struct rows *rows;
	struct axis axis; /* its width is set by the picture */
	unsigned width;	  /* pixels of the whole */
	const char *title;
	const struct picture_loss *losses;
	size_t n_losses;
	const uint64_t *runs; /* the ticks behind which new runs begin */
	size_t n_runs;
};

enum { PICTURE_WIDTH_MIN = 320, PICTURE_WIDTH_MAX = 16384, PICTURE_ROWS_MAX = 500 };

void picture_put(const struct picture *picture, struct outbuf *out);

#endif
