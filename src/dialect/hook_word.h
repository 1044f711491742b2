/* SPDX-License-Identifier: MIT */
/*
 * Hook words as AIX has them, for the dialects whose events may be trace entries ("Trace hook words", AIX Performance Tools Guide):
 *
 *	32 bits   hhh t dddd            hook id, type, hook data or length
 *	64 bits   ffff llll hhhh ssss   flags, length, hook id, sub-hook
 *
 * Behind the word come data words, or one data word and variable bytes. An id of 64 bits that ends in 0 is the same as the first
 * three digits of it.
 */
#ifndef DIALECT_HOOK_WORD_H
#define DIALECT_HOOK_WORD_H

#include "base/map.h"
#include "model/model.h"

/* Whose templates say how entries read, whichever dialect has them. */
#define HOOK_DIALECT "aix"

enum { HOOK_WORDS_MAX = 5 }; /* data words of an entry */

struct hook_word {
	uint64_t word;
	uint16_t id;	     /* with four digits, those of 32 bits end in 0 */
	uint16_t data;	     /* hook data or sub-hook; of a generic entry of 32 bits its length */
	uint8_t word_bytes;  /* 4 or 8 */
	uint8_t n_words;     /* data words; of a generic entry one */
	bool is_generic;     /* it has variable bytes */
	bool is_stamped;     /* the word says so */
	bool is_of_aix;	     /* the dialect says so: AIX recorded it, error numbers are AIX's */
	uint32_t n_variable; /* bytes of a generic entry behind its word */
	uint32_t n_view;     /* bytes that templates may see: hook word, data words, variable bytes */
};

/* hook_word.c: what a hook word of 4 or 8 bytes says; false if it is none. */
bool hook_word_see(struct hook_word *ret, uint64_t word, unsigned word_bytes);

/* hook_word.c: what templates may see of an entry at `at`, n_view bytes, the high byte of words first. */
void hook_word_view(uint8_t *to, const struct hook_word *hook, bool is_big, const uint8_t *at);

/* hook_types.c: types and layouts of hooks. All zeros are none. */
enum { HOOK_RECENT_BITS = 8 };

struct hook_types {
	struct map layouts; /* by hook id, shape and size of a word */
	struct hook_recent {
		uint64_t key;
		const struct rst_layout *layout; /* NULL if nothing is kept here */
	} recent[1 << HOOK_RECENT_BITS];	 /* what was found last */
};

/* hook_layout() of one that was not found of late. */
const struct rst_layout *hook_layout_anew(
	struct hook_types *types, struct model *model, const struct hook_word *hook, uint64_t key);

/* The layout of rows of such an entry, whose type is named as the hook id. NULL when memory ran out. */
static inline const struct rst_layout *hook_layout(
	struct hook_types *types, struct model *model, const struct hook_word *hook)
{
	const uint64_t shape = hook->is_generic ? HOOK_WORDS_MAX + 1 : hook->n_words;
	const uint64_t key =
		(shape << 2 | (unsigned)hook->is_of_aix << 1 | (hook->word_bytes == 8)) << 17 | hook->id;
	const struct hook_recent *recent =
		&types->recent[key * 0x9e3779b97f4a7c15U >> (64 - HOOK_RECENT_BITS)];

	return recent->key == key && recent->layout ? recent->layout
						    : hook_layout_anew(types, model, hook, key);
}

void hook_types_done(struct hook_types *types);

#endif
