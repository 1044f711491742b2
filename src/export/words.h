/* SPDX-License-Identifier: MIT */
/* Texts that occur often, as numbers from 0 on. */
#ifndef EXPORT_WORDS_H
#define EXPORT_WORDS_H

#include "base/arena.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/text.h"

enum { WORDS_MAX = LIMIT(262144, 64) }; /* those beyond share the number of "(others)" */

struct word {
	struct text text;
	uint32_t number;
	struct word *same; /* another text of the same key */
	uint64_t sum;	   /* the format's */
};

/* All zero is an empty table. */
struct words {
	struct arena arena;
	struct map map;
	struct word **all;
	size_t n, room;
};

/* The word of a text, which is copied. Returns NULL if memory ran out. */
struct word *word_of(struct words *words, struct text text);
void words_done(struct words *words);

#endif
