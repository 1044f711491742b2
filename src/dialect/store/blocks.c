/* SPDX-License-Identifier: MIT */
#include "dialect/store/blocks.h"

#include <string.h>

#include "base/load.h"
#include "log/crc32c.h"

/* The offset of each number in a header. */
enum { AT_MAGIC = 0, AT_KIND = 4, AT_BYTES = 8, AT_ROW = 16, AT_CRC = 24, AT_HEAD_CRC = 28 };

static void blocks_put_number(uint8_t *at, uint64_t number, unsigned n_bytes)
{
	for (unsigned i = 0; i < n_bytes; i++)
		at[i] = (uint8_t)(number >> (8 * i));
}

void block_put_head(uint8_t to[STORE_BLOCK_BYTES], const struct store_block *block)
{
	blocks_put_number(to + AT_MAGIC, STORE_BLOCK_MAGIC, 4);
	blocks_put_number(to + AT_KIND, block->kind, 4);
	blocks_put_number(to + AT_BYTES, block->n_bytes, 8);
	blocks_put_number(to + AT_ROW, block->row, 8);
	blocks_put_number(to + AT_CRC, block->crc, 4);
	blocks_put_number(to + AT_HEAD_CRC, crc32c_choose()(0, to, AT_HEAD_CRC), 4);
}

bool block_look(const uint8_t *bytes, size_t n_bytes, struct store_block *ret)
{
	if (n_bytes < STORE_BLOCK_BYTES || load_u32(bytes + AT_MAGIC, false) != STORE_BLOCK_MAGIC ||
		load_u32(bytes + AT_HEAD_CRC, false) != crc32c_choose()(0, bytes, AT_HEAD_CRC))
		return false;
	*ret = (struct store_block){
		.kind = load_u32(bytes + AT_KIND, false),
		.n_bytes = load_u64(bytes + AT_BYTES, false),
		.row = load_u64(bytes + AT_ROW, false),
		.crc = load_u32(bytes + AT_CRC, false),
		.at = bytes + STORE_BLOCK_BYTES,
	};
	return ret->n_bytes < SIZE_MAX / 2;
}

bool block_is_whole(const struct store_block *block, size_t n_left)
{
	return n_left >= STORE_BLOCK_BYTES && block_whole(block->n_bytes) <= n_left &&
	       crc32c_choose()(0, block->at, (size_t)block->n_bytes) == block->crc;
}

size_t block_find(const uint8_t *bytes, size_t n_bytes)
{
	static const uint8_t magic[] = { 'R', 'S', 'B', 'K' };
	struct store_block block;
	size_t at = 0;

	while (n_bytes - at >= STORE_BLOCK_BYTES) {
		const uint8_t *found = memmem(bytes + at, n_bytes - at, magic, sizeof(magic));

		if (!found)
			break;
		at = (size_t)(found - bytes);
		if (block_look(found, n_bytes - at, &block))
			return at;
		at++;
	}
	return n_bytes;
}
