/* SPDX-License-Identifier: MIT */
/* Bytes of a store get the checksums that they must have, so that fuzzers meet what is behind these. */
#ifndef FUZZ_CHECKSUMS_H
#define FUZZ_CHECKSUMS_H

#include "dialect/store/store.h"
#include "log/crc32c.h"

static inline void put_u32(uint8_t *to, uint32_t number)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(number >> (8 * i));
}

/* Wherever the magic of a block is, with the length that the header has. */
static inline void store_correct(uint8_t *bytes, size_t n_bytes)
{
	for (size_t at = 0; at + STORE_BLOCK_BYTES <= n_bytes; at++) {
		const size_t n_left = n_bytes - at - STORE_BLOCK_BYTES;
		struct store_block block;

		if (load_u32(bytes + at, false) != STORE_BLOCK_MAGIC)
			continue;
		block = (struct store_block){ .kind = load_u32(bytes + at + 4, false),
			.n_bytes = load_u64(bytes + at + 8, false),
			.row = load_u64(bytes + at + 16, false) };
		if (block.n_bytes <= n_left)
			block.crc = crc32c_by_table(0, bytes + at + STORE_BLOCK_BYTES, (size_t)block.n_bytes);
		block_put_head(bytes + at, &block);
	}
	if (n_bytes >= STORE_HEAD_BYTES)
		put_u32(bytes + STORE_HEAD_CRC_AT, crc32c_by_table(0, bytes, STORE_HEAD_CRC_AT));
}

#endif
