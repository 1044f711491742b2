/* SPDX-License-Identifier: MIT */
/*
 * If words are printed as numbers, they do not show which of their bytes is first in memory. If nothing else
 * shows it, the wrapping tries both orders on the front, and takes the one in which a trace is recognised.
 */
#ifndef INPUT_WRAPPING_WORDS_H
#define INPUT_WRAPPING_WORDS_H

#include "input/wrapping/wrapping.h"

/*
 * Makes the first bytes that the text holds, up to n_room, with words in one order or the other, and returns
 * their number. *ret_is_whole: these are all.
 */
typedef size_t (*words_make)(
	const void *context, bool is_reversed, uint8_t *room, size_t n_room, bool *ret_is_whole);

/*
 * Sets *ret_is_reversed to the order for which io->judge, or a wrapping, is surer of the bytes; to usual if
 * both orders are alike or there is no judge. Returns RST_OK or RST_E_NOMEM.
 */
enum rst_status words_choose(const struct wrapping_io *io, bool usual, words_make make, const void *context,
	bool *ret_is_reversed, struct rst_error *err);

/*
 * Returns the number of bytes at the front of a decoder's first input, which the probe saw. *ret_is_whole:
 * these are all.
 */
static inline size_t words_front(const struct wrapping_io *io, bool *ret_is_whole)
{
	*ret_is_whole = io->is_last && io->n_in <= SOURCE_CHUNK_BYTES;
	return io->n_in < SOURCE_CHUNK_BYTES ? io->n_in : SOURCE_CHUNK_BYTES;
}

/*
 * Makes the name that source_about() gives: "xxd-style dump", or "xxd-style dump of little-endian words" for
 * words.
 */
void words_name(const char *name, bool is_words, bool is_reversed, char *ret_text, size_t n_text);

#endif
