/* SPDX-License-Identifier: MIT */
#include "input/text_mode.h"

#include <string.h>

enum { CR = '\r', LF = '\n' };

size_t text_mode_pairs(const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *end = bytes + n_bytes, *at = bytes;
	size_t n_pairs = 0;

	if (!n_bytes || !memchr(bytes, 0, n_bytes))
		return 0;
	while ((at = memchr(at, LF, (size_t)(end - at)))) {
		if (at == bytes || at[-1] != CR)
			return 0;
		n_pairs++;
		at++;
	}
	return n_pairs;
}

void text_mode_undo(struct text_mode *state, const uint8_t **in, size_t *n_in, uint8_t **out, size_t *n_out)
{
	while (*n_in && *n_out) {
		const uint8_t byte = **in;

		/* A CR waits for the next byte. If that is not LF, the original bytes had the CR. */
		if (state->has_cr && byte != LF) {
			*(*out)++ = CR;
			--*n_out;
			state->has_cr = false;
			continue;
		}
		state->has_cr = byte == CR;
		++*in;
		--*n_in;
		if (byte == CR)
			continue;
		*(*out)++ = byte;
		--*n_out;
	}
}
