/* SPDX-License-Identifier: MIT */
/*
 * Words that are printed as numbers do not show which of their bytes is first in memory. Where nothing else does, both orders
 * are tried on the front, and the one is taken in which a trace is recognised.
 */
#ifndef INPUT_WRAPPING_WORDS_H
#define INPUT_WRAPPING_WORDS_H

#include "input/wrapping/wrapping.h"

/*
 * Makes the beginning of what the text holds, with words in one order or the other, up to n_room bytes; returns how many.
 * *ret_is_whole: there is no more.
 */
typedef size_t (*words_make)(
	const void *context, bool is_reversed, uint8_t *room, size_t n_room, bool *ret_is_whole);

/*
 * Sets *ret_is_reversed to the order in which io->judge, or a wrapping, is surer of what comes; to usual where both are alike
 * or there is no judge. RST_E_NOMEM.
 */
enum rst_status words_choose(const struct wrapping_io *io, bool usual, words_make make, const void *context,
	bool *ret_is_reversed, struct rst_error *err);

/* The bytes at the front of what a decoder gets first: those that it was recognised by. *ret_is_whole: there are no more. */
static inline size_t words_front(const struct wrapping_io *io, bool *ret_is_whole)
{
	*ret_is_whole = io->is_last && io->n_in <= SOURCE_CHUNK_BYTES;
	return io->n_in < SOURCE_CHUNK_BYTES ? io->n_in : SOURCE_CHUNK_BYTES;
}

/* "xxd-style dump", or "xxd-style dump of little-endian words" where there are words: what source_wrappings() shows. */
void words_name(const char *name, bool is_words, bool is_reversed, char *ret_text, size_t n_text);

#endif
