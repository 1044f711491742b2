/* SPDX-License-Identifier: MIT */
/* Lines for a terminal: broken at blanks, with a hanging indent. */
#include "base/text.h"
#include "lines/format.h"

enum { TEXT_MIN = 24, INDENT = 4 };

/* The next character as it stands on a terminal: a code point, or a colour, which takes no column. */
static size_t character_bytes(const char *at, const char *end, bool *ret_is_color)
{
	size_t n = 1, n_left = (size_t)(end - at);

	*ret_is_color = *at == '\033';
	if (*ret_is_color)
		while (n < n_left && at[n - 1] != 'm')
			n++;
	else
		while (n < n_left && ((unsigned char)at[n] & 0xc0) == 0x80)
			n++;
	return n;
}

/* Where a line of so many columns ends; *ret_next is where the next one begins, behind blanks. */
static const char *wrap_line_end(const char *at, const char *end, unsigned n_columns, const char **ret_next)
{
	const char *start = at, *blank = NULL;
	unsigned column = 0;

	while (at < end && *at != '\n') {
		bool is_color;
		size_t n = character_bytes(at, end, &is_color), width = text_columns(at, n);

		if (column > 0 && column + width > n_columns && *at != ' ' && !is_color)
			break;
		if (column < n_columns)
			column += (unsigned)width;
		if (*at == ' ')
			blank = at;
		at += n;
	}
	if (at == end || *at == '\n') {
		*ret_next = at;
		return at;
	}
	if (!blank) {
		*ret_next = at;
		return at;
	}
	*ret_next = blank + 1;
	while (blank > start && blank[-1] == ' ')
		blank--;
	return blank;
}

char *wrap_text(struct report *report, size_t start, char *end, unsigned column, size_t room)
{
	struct outbuf *out = report->out;
	unsigned indent = column + TEXT_MIN <= report->options.n_columns ? column : INDENT,
		 n_columns = report->options.n_columns > column + 1 ? report->options.n_columns - column : 1;
	size_t n_text = (size_t)(end - out->start) - start;

	if (text_columns(out->start + start, n_text) <= n_columns)
		return end;
	out->at = end;
	/* Each character on a line of its own would be the worst. */
	if (!outbuf_extend(out, n_text * (indent + 2) + n_text + room))
		return out->at;
	const char *from = memmove(out->start + start + n_text * (indent + 2), out->start + start, n_text);
	const char *from_end = from + n_text;
	char *p = out->start + start;

	while (from < from_end) {
		const char *next, *stop = wrap_line_end(from, from_end, n_columns, &next);

		p = text_put(p, from, (size_t)(stop - from));
		from = next;
		if (from == from_end)
			break;
		*p++ = '\n';
		if (*from == '\n') { /* its margin stands behind it */
			from++;
			n_columns = report->options.n_columns;
			continue;
		}
		p = text_put_fill(p, ' ', indent);
		n_columns = report->options.n_columns - indent;
	}
	return p;
}
