/* SPDX-License-Identifier: MIT */
/*
 * What a transfer in text mode does to binary bytes: it puts a CR (0d) in front of each LF (0a). Terminal programs,
 * FTP in ASCII mode, a printf() on a board and a stdout in Windows' text mode do so. Taking these CRs out again gives the
 * bytes as they were.
 */
#ifndef INPUT_TEXT_MODE_H
#define INPUT_TEXT_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many LFs have a CR in front; 0 if one has none, or if the bytes are text, where such line ends are usual. In 64 KiB of
 * other bytes there are some 256 LFs, so that more than a few are hardly ever chance.
 */
size_t text_mode_pairs(const uint8_t *bytes, size_t n_bytes);

struct text_mode {
	bool has_cr; /* the last byte was a CR, which has not been given yet */
};

/*
 * Takes the CR out of each CR LF, from `in` to `out`, as far as both go, and moves them. At the end of all bytes
 * text_mode_end() says whether a last CR is still to be given.
 */
void text_mode_undo(struct text_mode *state, const uint8_t **in, size_t *n_in, uint8_t **out, size_t *n_out);

static inline bool text_mode_end(const struct text_mode *state)
{
	return state->has_cr;
}

#endif
