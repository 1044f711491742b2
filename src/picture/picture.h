/* SPDX-License-Identifier: MIT */
/*
 * Draws a window of a timeline as SVG: plain shapes and text, no script, no external files. The same input
 * gives the same bytes. States differ by colour, height and pattern, so that readers can distinguish them
 * without colours.
 */
#ifndef PICTURE_PICTURE_H
#define PICTURE_PICTURE_H

#include "base/outbuf.h"
#include "picture/axis.h"
#include "picture/rows.h"

/* A loss or damage: drawn through all rows. */
struct picture_loss {
	uint64_t at;
};

struct picture {
	const struct tracks *tracks;
	const struct rows *rows;
	struct axis axis; /* picture_put() sets its width */
	unsigned width;	  /* of the whole picture, in pixels */
	const char *title;
	const struct picture_loss *losses;
	size_t n_losses;
	const uint64_t *runs; /* the ticks after which new runs begin */
	size_t n_runs;
};

enum { PICTURE_WIDTH_MIN = 320, PICTURE_WIDTH_MAX = 16384, PICTURE_ROWS_MAX = 500 };

void picture_put(const struct picture *picture, struct outbuf *out);

#endif
