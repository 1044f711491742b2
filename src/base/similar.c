/* SPDX-License-Identifier: MIT */
/*
 * The distance of Damerau and Levenshtein, restricted (a pair is exchanged once), by the usual table of which three rows are
 * kept.
 */
#include "base/similar.h"

#include <string.h>

enum { NAME_MAX_BYTES = 63, ROW = NAME_MAX_BYTES + 1, PER_EDIT = 5, EDITS_MAX = 2 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static unsigned distance(const char *one, size_t n_one, const char *other, size_t n_other)
{
	unsigned rows[3][ROW], *before = rows[0], *above = rows[1], *row = rows[2];

	for (unsigned j = 0; j <= n_other; j++)
		above[j] = j;
	for (unsigned i = 1; i <= n_one; i++) {
		unsigned *rest = before;

		row[0] = i;
		for (unsigned j = 1; j <= n_other; j++) {
			char a = small(one[i - 1]), b = small(other[j - 1]);

			row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + (a != b));
			if (i > 1 && j > 1 && a == small(other[j - 2]) && b == small(one[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = rest;
	}
	return above[n_other];
}

bool similar_names(const char *one, size_t n_one, const char *other, size_t n_other)
{
	size_t longer = n_one > n_other ? n_one : n_other, n_edits = longer / PER_EDIT;

	n_edits = n_edits < 1 ? 1 : n_edits > EDITS_MAX ? EDITS_MAX : n_edits;
	if (longer > NAME_MAX_BYTES || longer < 3 || longer - (n_one + n_other - longer) > n_edits)
		return false;
	return distance(one, n_one, other, n_other) <= n_edits;
}
