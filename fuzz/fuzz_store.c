/* SPDX-License-Identifier: MIT */
/*
 * The reader of stores and everything behind it, over arbitrary bytes. The first byte chooses how they are shown; its highest
 * bit has all checksums corrected first, so that the inside of blocks is met.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect/store/store.h"
#include "fuzz/bomb.h"
#include "fuzz/show.h"
#include "log/crc32c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_u32(uint8_t *to, uint32_t number)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(number >> (8 * i));
}

/* Wherever the magic of a block is, with the length that the header has. */
static void correct_checksums(uint8_t *bytes, size_t n_bytes)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rst_open how = { .dialect = "store" };
	uint8_t choice, *copy;

	if (!size)
		return 0;
	choice = *data++;
	size--;
	copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (choice & 128)
		correct_checksums(copy, size);
	dialect_store.probe(copy, size, true);
	if (!is_bomb(copy, size))
		show_whole(copy, size, &how, choice & 8 ? SHOW_SUMMARY : choice & 3);
	free(copy);
	return 0;
}
