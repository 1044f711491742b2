/* SPDX-License-Identifier: MIT */
#include "embed/core/bits.h"

/* A lock for each word, not for all of them: it may be a long list, and interrupts wait. */
static void word_change(uint32_t *word, uint32_t mask, int is_wanted)
{
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	rastrum_word_store(word, is_wanted ? *word | mask : *word & ~mask);
	RASTRUM_UNLOCK(state);
}

void rastrum_bits_set(uint32_t *bits, uint32_t first_id, uint32_t n_ids, int is_wanted)
{
	uint32_t id = first_id, n_left = n_ids;

	while (n_left) {
		uint32_t at = id & 31, n = 32 - at < n_left ? 32 - at : n_left;
		uint32_t mask = UINT32_C(0xffffffff) >> (32 - n) << at;

		word_change(&bits[id >> 5], mask, is_wanted);
		id += n;
		n_left -= n;
	}
}
