/* SPDX-License-Identifier: MIT */
/*
 * Which events are wanted: one bit for each id, in words that the caller gives (RASTRUM_BITS_WORDS(256) of
 * them for ids 0 to 255). The test is for the very beginning of a record, before the lock; a change is seen
 * by the records that begin after it.
 */
#ifndef EMBED_CORE_BITS_H
#define EMBED_CORE_BITS_H

#include "embed/port/port.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RASTRUM_BITS_WORDS(n_ids) (((n_ids) + 31) / 32)

/* A whole word at once, and not one read earlier. */
static inline uint32_t rastrum_word_load(const uint32_t *word)
{
#ifdef __GNUC__
	return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
	return *(const volatile uint32_t *)word;
#endif
}

static inline void rastrum_word_store(uint32_t *word, uint32_t value)
{
#ifdef __GNUC__
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
#else
	*(volatile uint32_t *)word = value;
#endif
}

/* Returns non-zero if the bit is set. The caller must pass a valid id. */
static inline uint32_t rastrum_bit_test(const uint32_t *bits, uint32_t id)
{
	return rastrum_word_load(&bits[id >> 5]) >> (id & 31) & 1;
}

/* Sets or clears the bits of n_ids ids from first_id on, each word of them at once. */
void rastrum_bits_set(uint32_t *bits, uint32_t first_id, uint32_t n_ids, int is_wanted);

#ifdef __cplusplus
}
#endif

#endif
