/* SPDX-License-Identifier: MIT */
/*
 * Computes the restricted distance of Damerau and Levenshtein (a pair is exchanged at most once). It uses the
 * usual table, of which it keeps three rows.
 */
#include "base/similar.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { NAME_MAX_BYTES = 63, ROW = NAME_MAX_BYTES + 1, SHORTEST = 3, PER_EDIT = 5, EDITS_MAX = 2 };

/* Distances beyond all edits: PART if the word is a part of the name, FAR if the names differ. */
enum { PART = EDITS_MAX + 1, FAR };

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

/* The number of edits from one to the other; FAR if there are more than a typing error has. */
static unsigned edits(const char *one, size_t n_one, const char *other, size_t n_other)
{
	size_t longer = n_one > n_other ? n_one : n_other, n_most = longer / PER_EDIT;
	unsigned n_edits;

	n_most = n_most < 1 ? 1 : n_most > EDITS_MAX ? EDITS_MAX : n_most;
	if (longer > NAME_MAX_BYTES || longer < SHORTEST || longer - (n_one + n_other - longer) > n_most)
		return FAR;
	n_edits = distance(one, n_one, other, n_other);
	return n_edits <= n_most ? n_edits : FAR;
}

bool similar_names(const char *one, size_t n_one, const char *other, size_t n_other)
{
	return edits(one, n_one, other, n_other) != FAR;
}

static bool has_within(const char *name, const char *word, size_t n_word)
{
	for (size_t n_left = strlen(name); n_left >= n_word; name++, n_left--)
		if (text_is_same_fold(word, name, n_word))
			return true;
	return false;
}

static unsigned nearness(const struct similar *similar, const char *name)
{
	unsigned n_edits = edits(similar->word, similar->n_word, name, strlen(name));
	bool is_part = n_edits == FAR && similar->n_word >= SHORTEST && similar->n_word <= NAME_MAX_BYTES &&
		       has_within(name, similar->word, similar->n_word);

	return is_part ? PART : n_edits;
}

void similar_offer(struct similar *similar, const char *name)
{
	unsigned n_far = name[0] ? nearness(similar, name) : FAR;
	size_t n_room = sizeof(similar->all) - similar->n_all;
	int n = snprintf(similar->all + similar->n_all, n_room, "%s%s", similar->n_all ? ", " : "", name);

	similar->n_all += n > 0 && (size_t)n < n_room ? (size_t)n : 0;
	similar->all[similar->n_all] = '\0';
	if (n_far == FAR || (similar->n_names && n_far > similar->n_far))
		return;
	if (n_far < similar->n_far) {
		similar->n_names = 0;
		similar->has_more = false;
	}
	similar->n_far = n_far;
	for (size_t i = 0; i < similar->n_names; i++)
		if (strncmp(similar->names[i], name, SIMILAR_NAME_MAX - 1) == 0)
			return;
	if (similar->n_names < SIMILAR_MAX)
		snprintf(similar->names[similar->n_names++], SIMILAR_NAME_MAX, "%s", name);
	else
		similar->has_more = true;
}

bool similar_text(const struct similar *similar, char text[SIMILAR_TEXT_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < similar->n_names; i++) {
		bool is_last = i + 1 == similar->n_names && !similar->has_more;

		n += (size_t)snprintf(text + n, SIMILAR_TEXT_MAX - n, "%s%s%s",
			i == 0	  ? "did you mean "
			: is_last ? " or "
				  : ", ",
			similar->prefix ? similar->prefix : "", similar->names[i]);
	}
	snprintf(text + n, SIMILAR_TEXT_MAX - n, "%s", similar->has_more ? ", …?" : "?");
	return similar->n_names > 0;
}

const char *similar_or_all(const struct similar *similar, char text[SIMILAR_TEXT_MAX])
{
	if (!similar_text(similar, text))
		snprintf(text, SIMILAR_TEXT_MAX, "it is one of %s", similar->all);
	return text;
}
