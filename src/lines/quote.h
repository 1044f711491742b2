/* SPDX-License-Identifier: MIT */
/* Texts as programs read them: quotes for JSON and CSV. */
#ifndef LINES_QUOTE_H
#define LINES_QUOTE_H

#include <string.h>

#include "base/text.h"
#include "trace/value/value.h"

/* How a format quotes texts, and which characters it must escape within the quotes. */
struct quoting {
	uint8_t first, second;					  /* these two … */
	uint8_t below;						  /* … and all less than this */
	char *(*put)(char *p, const char *bytes, size_t n_bytes); /* quotes a text that has some of them */
};

static const struct quoting quoting_json = { '"', '\\', 0x20, text_put_json };

/* Commas and line ends need the quotes only, which are there. */
static const struct quoting quoting_csv = { '"', '"', 0, text_put_csv };

typedef uint8_t quote_16 __attribute__((vector_size(16)));

static inline quote_16 quote_special_16(const char *text, const struct quoting *quoting)
{
	quote_16 bytes;

	memcpy(&bytes, text, sizeof(bytes));
	return (quote_16)((bytes == quoting->first) | (bytes == quoting->second) | (bytes < quoting->below));
}

static inline bool quote_is_special(char c, const struct quoting *quoting)
{
	uint8_t byte = (uint8_t)c;

	return byte == quoting->first || byte == quoting->second || byte < quoting->below;
}

/* Sixteen bytes at a time; the last sixteen may be looked at twice. */
static inline bool quote_has_special(const char *text, size_t n, const struct quoting *quoting)
{
	quote_16 found = { 0 };
	uint64_t halves[2];

	if (n < sizeof(found)) {
		while (n && !quote_is_special(text[n - 1], quoting))
			n--;
		return n > 0;
	}
	for (size_t i = 0; i + sizeof(found) <= n; i += sizeof(found))
		found |= quote_special_16(text + i, quoting);
	found |= quote_special_16(text + n - sizeof(found), quoting);
	memcpy(halves, &found, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
}

/* value_quote() of a text that has special characters. */
char *value_quote_special(
	const struct value_source *from, size_t start, char *end, const struct quoting *quoting);

/*
 * Makes the text that stands in the buffer from an offset to end, behind an opening quote, a quoted text;
 * returns its end. Most texts hold none of the special characters and stay as they are.
 */
static inline char *value_quote(
	const struct value_source *from, size_t start, char *end, const struct quoting *quoting)
{
	const char *text = from->out->start + start;

	if (__builtin_expect(quote_has_special(text, (size_t)(end - text), quoting), 0))
		return value_quote_special(from, start, end, quoting);
	*end++ = '"';
	return end;
}

#endif
