/* SPDX-License-Identifier: MIT */
#include "cli/layout.h"

#include <string.h>

#include "tests/tap.h"

static void check_text(const char *text, unsigned indent, unsigned n_written, const char *expected)
{
	struct outbuf out;

	ok(outbuf_init(&out, OUTBUF_MEMORY), "there is memory");
	layout_text(&out, text, indent, n_written);
	is_text(outbuf_reserve(&out, 1) ? (*out.at = '\0', out.start) : NULL, expected, "text is laid out");
	outbuf_done(&out);
}

static void check_row(const char *left, unsigned indent, const char *right, const char *expected)
{
	struct outbuf out;

	ok(outbuf_init(&out, OUTBUF_MEMORY), "there is memory");
	layout_row(&out, left, indent, right);
	is_text(outbuf_reserve(&out, 1) ? (*out.at = '\0', out.start) : NULL, expected, "a row is laid out");
	outbuf_done(&out);
}

#define TEN	"1234567890"
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

int main(void)
{
	check_text("a few words", 0, 0, "a few words\n");
	check_text("a few words", 4, 0, "    a few words\n");
	check_text("words", 7, 7, "words\n");
	check_text("", 4, 0, "\n");
	check_text("two\nlines", 2, 0, "  two\n  lines\n");
	check_text("many   blanks", 0, 0, "many blanks\n");
	check_text(SEVENTY " 12345678", 0, 0, SEVENTY " 12345678\n");
	check_text(SEVENTY " 123456789", 0, 0, SEVENTY "\n123456789\n");
	check_text(SEVENTY " 12345678", 3, 0, "   " SEVENTY "\n   12345678\n");
	check_text(SEVENTY TEN " 1", 2, 0, "  " SEVENTY TEN "\n  1\n"); /* a long word stays whole */
	check_text(SEVENTY " \xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6", 0, 0,
		SEVENTY
		/* columns, not bytes */
		" \xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\n");
	check_row("  left", 10, "right", "  left    right\n");
	check_row("  left678", 11, "right", "  left678  right\n");
	check_row("  left6789", 11, "right", "  left6789\n           right\n");
	return tap_done();
}
