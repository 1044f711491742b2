/* SPDX-License-Identifier: MIT */
#include "input/wrapping/words.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned words_score(const struct wrapping_io *io, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	if (n_bytes && wrapping_find(bytes, n_bytes, is_whole))
		return UINT32_MAX;
	return io->judge && io->judge->score ? io->judge->score(io->judge->context, bytes, n_bytes, is_whole)
					     : 0;
}

enum rst_status words_choose(const struct wrapping_io *io, bool usual, words_make make, const void *context,
	bool *ret_is_reversed, struct rst_error *err)
{
	uint8_t *room = malloc(SOURCE_CHUNK_BYTES);
	unsigned scores[2];

	if (!room)
		return error_nomem(err);
	for (unsigned i = 0; i < 2; i++) {
		bool is_whole = false;
		const size_t n = make(context, i, room, SOURCE_CHUNK_BYTES, &is_whole);

		scores[i] = words_score(io, room, n, is_whole);
	}
	free(room);
	*ret_is_reversed = scores[usual] >= scores[!usual] ? usual : !usual;
	return RST_OK;
}

void words_name(const char *name, bool is_words, bool is_reversed, char *ret_text, size_t n_text)
{
	snprintf(ret_text, n_text, "%s%s", name,
		!is_words     ? ""
		: is_reversed ? " of little-endian words"
			      : " of big-endian words");
}
