/* SPDX-License-Identifier: MIT */
/*
 * Undoes a transfer of binary bytes in text mode. Such a transfer puts a CR (0d) in front of each LF (0a).
 * Terminal programs, FTP in ASCII mode, a printf() on a board and a stdout in Windows' text mode do so.
 * Taking these CRs out restores the original bytes.
 */
#ifndef INPUT_TEXT_MODE_H
#define INPUT_TEXT_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the number of LFs, each with a CR in front. Returns 0 if an LF lacks its CR, or if the bytes are
 * text, where such line ends are usual. 64 KiB of other bytes have some 256 LFs, so more than a few such
 * pairs are hardly ever chance.
 */
size_t text_mode_pairs(const uint8_t *bytes, size_t n_bytes);

struct text_mode {
	bool has_cr; /* the last byte was a CR, and it has not been given yet */
};

/*
 * Copies from `in` to `out`, as far as both go, without the CR of each CR LF, and moves both. At the end of
 * all bytes, text_mode_end() returns whether a last CR is still due.
 */
void text_mode_undo(struct text_mode *state, const uint8_t **in, size_t *n_in, uint8_t **out, size_t *n_out);

static inline bool text_mode_end(const struct text_mode *state)
{
	return state->has_cr;
}

#endif
