/* SPDX-License-Identifier: MIT */
/* Shared by recording and taking: the head of a block, and the functions that begin and close it. */
#ifndef EMBED_COMPACT_BLOCK_H
#define EMBED_COMPACT_BLOCK_H

#include "embed/compact/compact.h"

/* In line also where compilers optimise for size: a quarter fewer instructions for 270 bytes. */
#ifdef __GNUC__
#define COMPACT_SELDOM __attribute__((noinline))
#define COMPACT_ALWAYS static inline __attribute__((always_inline))
#else
#define COMPACT_SELDOM
#define COMPACT_ALWAYS static inline
#endif

/*
 * Head, four words of low byte first:
 *
 *      mark (0xf5), kind, bytes of records behind the head, core of the first record
 *      number of the first event; those that were lost count
 *      how many of the earlier ones found no block
 *      stamp, to which the first record's time is added
 *
 * In memory the kind is COMPACT_RAW, the bytes are 0 while the block is written, and there is no checksum.
 */
enum { COMPACT_MARK = 0xf5, COMPACT_RAW = 'r', COMPACT_EVENTS = 'e', COMPACT_NAMES = 'n' };

/* Ids that are no events. */
enum { COMPACT_END = 0, COMPACT_CORE = 1 };

static inline uint32_t rastrum_little_endian(uint32_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
#else
	return word;
#endif
}

/* Begins a block of RASTRUM_COMPACT_BLOCK bytes. The caller has the lock. */
void rastrum_compact_begin(struct rastrum_compact *compact, uint32_t *block);

/*
 * Fills in mark, kind, length and checksum of a block that is to be sent, and returns how long all of it is.
 */
uint32_t rastrum_compact_finish(uint8_t *wire, uint8_t kind, uint32_t n_payload);

/* Seven bits a byte, the lowest first; the highest bit is set if more follow. */
COMPACT_ALWAYS uint8_t *rastrum_number_put(uint8_t *at, uint32_t number)
{
	while (number > 127) {
		*at++ = (uint8_t)(number | 128);
		number >>= 7;
	}
	*at++ = (uint8_t)number;
	return at;
}

static inline int rastrum_compact_is_in_bin(const struct rastrum_compact *compact)
{
	return compact->limit == compact->bin;
}

/* The block that is being written. Call it only while there is one. */
static inline uint8_t *rastrum_compact_open_block(const struct rastrum_compact *compact)
{
	const struct rastrum_cells *blocks = &compact->blocks;
	uint32_t slot = (blocks->n_written - 1) & blocks->slot_mask;

	return (uint8_t *)(blocks->words + slot * (RASTRUM_COMPACT_BLOCK / 4));
}

/* Writes its length into its head. Events that come while there is no block are reported later. */
static inline void rastrum_compact_close(struct rastrum_compact *compact)
{
	uint8_t *block = rastrum_compact_open_block(compact);

	block[2] = (uint8_t)(compact->at - block - RASTRUM_COMPACT_HEAD);
	compact->n_told = compact->n_events;
}

#endif
