/* SPDX-License-Identifier: MIT */
/*
 * Entries as they lie in a ring. No word lies across the end of the ring:
 *
 *      hook word    data words | one word and the variable bytes, up to the next word    trailer
 *
 * With 32 bits the trailer is the words thread and stamp; with 64 bits it is one word of both, thread first.
 * If there are several cores, the core's word is in front of it. For the files of this folder, inside the
 * lock.
 */
#ifndef EMBED_AIX_ENTRY_H
#define EMBED_AIX_ENTRY_H

#include "embed/aix/trace.h"

enum {
	AIX_WORD = RASTRUM_AIX_WORD_BYTES,
	AIX_TRAILER = 8 + (RASTRUM_N_CORES > 1 ? AIX_WORD : 0),
	AIX_LOSS = 2 * AIX_WORD + AIX_TRAILER /* bytes of an entry that reports losses */
};

extern struct rastrum_aix *rastrum_aix_channels[RASTRUM_AIX_CHANNELS];

/* The trace of a channel; NULL if it is not open. */
static inline struct rastrum_aix *rastrum_aix_of(uint32_t channel)
{
	return channel < RASTRUM_AIX_CHANNELS ? rastrum_aix_channels[channel] : NULL;
}

/* Writes a trailer, and returns its end. */
static inline rastrum_aix_word_t *rastrum_aix_trailer(rastrum_aix_word_t *at, uint32_t thread, uint32_t stamp)
{
	if (RASTRUM_N_CORES > 1)
		*at++ = RASTRUM_CORE();
#if RASTRUM_AIX_WORD_BYTES == 8
	*at++ = (uint64_t)thread << 32 | stamp;
#else
	*at++ = thread;
	*at++ = stamp;
#endif
	return at;
}

/* Bytes of the entry at a place of the ring. */
uint32_t rastrum_aix_entry_bytes(const struct rastrum_aix *aix, uint32_t at);

/*
 * Writes an entry that reports the refused ones behind the others, and resets their number. There must be
 * room.
 */
void rastrum_aix_tell_refused(struct rastrum_aix *aix, uint32_t stamp);

static inline rastrum_aix_word_t *rastrum_aix_at(const struct rastrum_aix *aix, uint32_t at)
{
	return (rastrum_aix_word_t *)(void *)(aix->ring.bytes + (at & aix->ring.place_mask));
}

#endif
