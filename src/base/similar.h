/* SPDX-License-Identifier: MIT */
/* Finds names that are probably the same name, misspelt. */
#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Whether one becomes the other by a few edits: a letter is left out, put in, changed, or exchanged with its
 * neighbour. A fifth of the letters of the longer name may be edited, and one letter of a short name. Case is
 * ignored. A name of more than 63 bytes is never similar.
 */
bool similar_names(const char *one, size_t n_one, const char *other, size_t n_other);

enum { SIMILAR_MAX = 4, SIMILAR_NAME_MAX = 64, SIMILAR_ALL_MAX = 140, SIMILAR_TEXT_MAX = 320 };

/*
 * Collects, from many names, those that were probably meant by a word: names that are similar as above, else
 * names that contain the word (of three bytes or more). Only the nearest names are kept. The caller begins
 * with similar_to(word), or sets the word and clears the rest.
 */
struct similar {
	const char *word;
	size_t n_word;
	const char *prefix; /* shown in front of each name, or NULL */
	char names[SIMILAR_MAX][SIMILAR_NAME_MAX];
	size_t n_names;
	bool has_more;		   /* more names are as near, but had no room */
	unsigned n_far;		   /* the distance of these names */
	char all[SIMILAR_ALL_MAX]; /* all offered names, with commas, up to the size of the array */
	size_t n_all;
};

static inline struct similar similar_to(const char *word)
{
	return (struct similar){ .word = word, .n_word = strlen(word) };
}

/*
 * Offers a name. It is ignored if it was offered before or is empty. If it is too long, its beginning is
 * kept.
 */
void similar_offer(struct similar *similar, const char *name);

/* Writes "did you mean A, B or C?". Returns false if no name is near. */
bool similar_text(const struct similar *similar, char text[SIMILAR_TEXT_MAX]);

/* For a short list: writes the same, or "it is one of A, B, C" if no name is near. Returns text. */
const char *similar_or_all(const struct similar *similar, char text[SIMILAR_TEXT_MAX]);

#endif
