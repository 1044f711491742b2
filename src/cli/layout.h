/* SPDX-License-Identifier: MIT */
/* Help and lists within 80 columns: text broken at blanks, and rows of two columns. */
#ifndef CLI_LAYOUT_H
#define CLI_LAYOUT_H

#include "base/outbuf.h"

enum { LAYOUT_WIDTH = 79 };

/*
 * Words from column `indent` on, in as many lines as they need. The first line goes on where the caller has
 * written so many columns of it already; a line feed in the text begins a new line.
 */
void layout_text(struct outbuf *out, const char *text, unsigned indent, unsigned n_written);

/*
 * A row: what is on the left, and what it means from column `indent` on; below it when the left side leaves
 * no room.
 */
void layout_row(struct outbuf *out, const char *left, unsigned indent, const char *right);

#endif
