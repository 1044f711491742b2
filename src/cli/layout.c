/* SPDX-License-Identifier: MIT */
#include "cli/layout.h"

#include <string.h>

#include "base/text.h"

enum { BETWEEN = 2 }; /* blanks between two columns, at least */

static unsigned layout_columns_of(const char *text, size_t n)
{
	return (unsigned)text_columns(text, n);
}

void layout_text(struct outbuf *out, const char *text, unsigned indent, unsigned n_written)
{
	unsigned column = n_written;
	bool is_begun = false; /* the line has a word */

	for (size_t n; *text; text += n) {
		n = strcspn(text, " \n");

		unsigned width = layout_columns_of(text, n);

		if (*text == '\n' || (n && is_begun && column + 1 + width > LAYOUT_WIDTH)) {
			outbuf_puts(out, "\n");
			column = 0;
			is_begun = false;
		}
		if (n) {
			unsigned n_blanks = is_begun ? 1 : indent > column ? indent - column : 0;

			outbuf_printf(out, "%*s%.*s", (int)n_blanks, "", (int)n, text);
			column += n_blanks + width;
			is_begun = true;
		} else {
			n = 1;
		}
	}
	outbuf_puts(out, "\n");
}

void layout_row(struct outbuf *out, const char *left, unsigned indent, const char *right)
{
	unsigned width = layout_columns_of(left, strlen(left));

	outbuf_puts(out, left);
	if (width + BETWEEN > indent) {
		outbuf_puts(out, "\n");
		width = 0;
	}
	layout_text(out, right, indent, width);
}
