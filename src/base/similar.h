/* SPDX-License-Identifier: MIT */
/* Names that are probably the same one, misspelt. */
#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Whether one becomes the other by a letter or two left out, put in, changed, or exchanged with its neighbour: as many as a
 * fifth of the longer one, and one of a short one. Case is ignored. Names of more than 63 bytes are similar to none.
 */
bool similar_names(const char *one, size_t n_one, const char *other, size_t n_other);

enum { SIMILAR_MAX = 4, SIMILAR_NAME_MAX = 64, SIMILAR_ALL_MAX = 140, SIMILAR_TEXT_MAX = 320 };

/*
 * Of many names those that a word was probably meant to be: similar as above, else with the word in them (of three bytes or
 * more). Only the nearest are kept. Begins as similar_to(word) gives it, or with the word set and the rest zero.
 */
struct similar {
	const char *word;
	size_t n_word;
	const char *prefix; /* shown in front of each name; NULL: nothing */
	char names[SIMILAR_MAX][SIMILAR_NAME_MAX];
	size_t n_names;
	bool has_more;		   /* names as near that found no room */
	unsigned n_far;		   /* how far those are */
	char all[SIMILAR_ALL_MAX]; /* every name that was offered, with commas, as far as there is room */
	size_t n_all;
};

static inline struct similar similar_to(const char *word)
{
	return (struct similar){ .word = word, .n_word = strlen(word) };
}

/* A name that was offered before, or is empty, changes nothing; of a longer one the beginning is kept. */
void similar_offer(struct similar *similar, const char *name);

/* Writes "did you mean A, B or C?"; false when no name is near. */
bool similar_text(const struct similar *similar, char text[SIMILAR_TEXT_MAX]);

/* Of a short list: the same, or "it is one of A, B, C" when no name is near. Returns text. */
const char *similar_or_all(const struct similar *similar, char text[SIMILAR_TEXT_MAX]);

#endif
