/* SPDX-License-Identifier: MIT */
/* Entries judged by their hook words. */
#include "dialect/hook_word.h"

#include <string.h>

enum {
	TYPE_STAMPED = 8,
	TYPE_SHAPE = 7,
	FLAG_STAMPED = 0x8000,
	FLAG_GENERIC = 0x4000,
	FLAG_NARROW = 0x2000, /* "the data are of 32 bits": of no consequence */
	WORD_64 = 8,
	NO_SHAPE = 0xff
};

static bool see_32(struct hook_word *ret, uint32_t word)
{
	/* Data words of the shapes. */
	static const uint8_t n_words[TYPE_SHAPE + 1] = { [0] = 1,
		[1] = 0,
		[2] = 1,
		[3] = NO_SHAPE,
		[4] = NO_SHAPE,
		[5] = NO_SHAPE,
		[6] = 5,
		[7] = NO_SHAPE };
	unsigned type = word >> 16 & 0xf;

	ret->id = (uint16_t)(word >> 20 << 4);
	ret->data = (uint16_t)word;
	ret->is_stamped = type & TYPE_STAMPED;
	ret->is_generic = (type & TYPE_SHAPE) == 0;
	ret->n_words = n_words[type & TYPE_SHAPE];
	ret->n_variable = ret->is_generic ? ret->data : 0;
	return ret->n_words != NO_SHAPE;
}

static bool see_64(struct hook_word *ret, uint64_t word)
{
	unsigned flags = (unsigned)(word >> 48), length = word >> 32 & 0xffff;

	ret->id = (uint16_t)(word >> 16);
	ret->data = (uint16_t)word;
	ret->is_stamped = flags & FLAG_STAMPED;
	ret->is_generic = flags & FLAG_GENERIC;
	ret->n_words = (uint8_t)(ret->is_generic ? 1 : length / WORD_64);
	ret->n_variable = ret->is_generic ? length : 0;
	return (flags & ~(unsigned)(FLAG_STAMPED | FLAG_GENERIC | FLAG_NARROW)) == 0 &&
	       (ret->is_generic || (length % WORD_64 == 0 && length <= HOOK_WORDS_MAX * WORD_64));
}

bool hook_word_see(struct hook_word *ret, uint64_t word, unsigned word_bytes)
{
	*ret = (struct hook_word){ .word = word, .word_bytes = (uint8_t)word_bytes };
	if (!(word_bytes == WORD_64 ? see_64(ret, word) : see_32(ret, (uint32_t)word)))
		return false;
	ret->n_view = word_bytes * (1U + ret->n_words) + ret->n_variable;
	return true;
}

void hook_word_view(uint8_t *to, const struct hook_word *hook, bool is_big, const uint8_t *at)
{
	const size_t n_words = 1U + hook->n_words, word_bytes = hook->word_bytes;

	memcpy(to, at, hook->n_view);
	if (is_big)
		return;
	for (size_t i = 0; i < n_words * word_bytes; i++)
		to[i] = at[i - i % word_bytes + word_bytes - 1 - i % word_bytes];
}
