/* SPDX-License-Identifier: MIT */
/*
 * Hook words as AIX has them, for the dialects whose events may be trace entries ("Trace hook words", AIX
 * Performance Tools Guide):
 *
 *	32 bits   hhh t dddd            hook id, type, hook data or length
 *	64 bits   ffff llll hhhh ssss   flags, length, hook id, sub-hook
 *
 * Behind the word come data words, or one data word and variable bytes. An id in a 64-bit hook word that ends
 * in 0 is the same as its first three digits.
 */
#ifndef DIALECT_HOOK_WORD_H
#define DIALECT_HOOK_WORD_H

#include "base/map.h"
#include "model/model.h"

/* The dialect whose templates describe such entries, whichever dialect recorded them. */
#define HOOK_DIALECT "aix"

enum { HOOK_WORDS_MAX = 5 }; /* data words of an entry */

struct hook_word {
	uint64_t word;
	uint16_t id;	     /* four digits; in 32-bit words the last is 0 */
	uint16_t data;	     /* hook data or sub-hook; in a generic 32-bit entry its length */
	uint8_t word_bytes;  /* 4 or 8 */
	uint8_t n_words;     /* data words; 1 in a generic entry */
	bool is_generic;     /* it has variable bytes */
	bool is_stamped;     /* the word says so */
	bool is_of_aix;	     /* set by the dialect: AIX recorded it, error numbers are AIX's */
	uint32_t n_variable; /* bytes behind the word of a generic entry */
	uint32_t n_view;     /* bytes that templates may see: hook word, data words, variable bytes */
};

/* hook_word.c: decodes a hook word of 4 or 8 bytes. Returns false if the word is not a hook word. */
bool hook_word_see(struct hook_word *ret, uint64_t word, unsigned word_bytes);

/* hook_word.c: copies the n_view bytes that templates may see of the entry at `at`, words high byte first. */
void hook_word_view(uint8_t *to, const struct hook_word *hook, bool is_big, const uint8_t *at);

/* hook_types.c: types and layouts of hooks. A zeroed struct holds none yet. */
enum { HOOK_RECENT_BITS = 8 };

struct hook_types {
	struct map layouts; /* by hook id, shape and size of a word */
	struct hook_recent {
		uint64_t key;
		const struct rst_layout *layout; /* NULL if nothing is kept here */
	} recent[1 << HOOK_RECENT_BITS];	 /* the latest finds */
};

/* Does the work of hook_layout() if recent[] does not hold the layout. */
const struct rst_layout *hook_layout_anew(
	struct hook_types *types, struct model *model, const struct hook_word *hook, uint64_t key);

/*
 * Returns the layout for rows of such an entry; its type has the hook id as its name. Returns NULL if memory
 * ran out.
 */
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
