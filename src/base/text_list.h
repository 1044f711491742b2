/* SPDX-License-Identifier: MIT */
/* A list of words that a user gave: names, paths, or pairs of KEY=VALUE. */
#ifndef BASE_TEXT_LIST_H
#define BASE_TEXT_LIST_H

#include <stddef.h>

/*
 * A reader uses items and n_items only. The other members are for what gathers the words; they are 0 if the
 * words are borrowed.
 */
struct text_list {
	const char **items;
	size_t n_items, room;
	char **owned; /* what the items point into */
	size_t n_owned, owned_room;
};

#endif
