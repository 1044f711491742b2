/* SPDX-License-Identifier: MIT */
/*
 * The width of text on a terminal. Most characters take one column. Characters of East Asian writing and
 * pictures take two (Unicode Standard Annex 11, classes W and F). Marks that combine with the previous
 * character take no column.
 */
#include "base/text.h"

struct width {
	uint32_t first, last;
	uint8_t n_columns;
};

/* Sorted by code point. */
static const struct width widths[] = {
	{ 0x300, 0x36f, 0 },				  /* combining marks */
	{ 0x1100, 0x115f, 2 },				  /* Hangul Jamo */
	{ 0x200b, 0x200f, 0 },				  /* without width: separators, marks of direction */
	{ 0x2e80, 0x303e, 2 },				  /* radicals, punctuation */
	{ 0x3041, 0xa4cf, 2 },				  /* Kana, ideographs, Yi */
	{ 0xac00, 0xd7a3, 2 },				  /* Hangul */
	{ 0xf900, 0xfaff, 2 },				  /* compatibility ideographs */
	{ 0xfe00, 0xfe0f, 0 },				  /* variation selectors */
	{ 0xfe30, 0xfe6f, 2 },				  /* forms for compatibility */
	{ 0xff00, 0xff60, 2 },				  /* full width */
	{ 0xffe0, 0xffe6, 2 }, { 0x1f300, 0x1f64f, 2 },	  /* pictures */
	{ 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 }, /* more ideographs */
};

static unsigned character_columns(uint32_t character)
{
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]) && widths[i].first <= character; i++)
		if (character <= widths[i].last)
			return widths[i].n_columns;
	return 1;
}

/* The character at bytes, and the number of its bytes. If it is cut, only the bytes that are there count. */
static uint32_t character_take(const uint8_t *bytes, size_t n_bytes, size_t *ret_n)
{
	uint32_t character = bytes[0] < 0xe0   ? bytes[0] & 0x1f
			     : bytes[0] < 0xf0 ? bytes[0] & 0x0f
					       : bytes[0] & 0x07;
	size_t n = 1;

	for (; n < n_bytes && (bytes[n] & 0xc0) == 0x80; n++)
		character = character << 6 | (bytes[n] & 0x3f);
	*ret_n = n;
	return character;
}

size_t text_columns(const char *bytes, size_t n_bytes)
{
	size_t n_columns = 0, n;

	for (size_t i = 0; i < n_bytes; i += n) {
		n = 1;
		if ((unsigned char)bytes[i] >= 0x80)
			n_columns += character_columns(
				character_take((const uint8_t *)bytes + i, n_bytes - i, &n));
		else if (bytes[i] != '\033')
			n_columns++;
		else
			while (i + n < n_bytes && bytes[i + n - 1] != 'm')
				n++;
	}
	return n_columns;
}

size_t text_fitting_bytes(const char *bytes, size_t n_bytes, size_t n_columns)
{
	size_t n = 0;

	while (n < n_bytes) {
		size_t n_next = n + 1;

		while (n_next < n_bytes && ((unsigned char)bytes[n_next] & 0xc0) == 0x80)
			n_next++;
		if (text_columns(bytes, n_next) > n_columns)
			break;
		n = n_next;
	}
	return n;
}
