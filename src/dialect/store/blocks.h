/* SPDX-License-Identifier: MIT */
/* The blocks of a store. Each has a header in front with its checksums. */
#ifndef STORE_BLOCKS_H
#define STORE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "dialect/store/format.h"

/* Writes a header for a payload of block->n_bytes. The payload's checksum must be set. */
void block_put_head(uint8_t to[STORE_BLOCK_BYTES], const struct store_block *block);

/* The length in the file of a block with this payload. */
static inline uint64_t block_whole(uint64_t n_bytes)
{
	return STORE_BLOCK_BYTES + ((n_bytes + 7) & ~(uint64_t)7);
}

/*
 * Whether a whole header is here; if so, sets *ret. The payload may be cut or damaged: see block_is_whole().
 */
bool block_look(const uint8_t *bytes, size_t n_bytes, struct store_block *ret);

/* Whether the payload is complete and undamaged; n_left is the number of bytes from its header on. */
bool block_is_whole(const struct store_block *block, size_t n_left);

/* The number of bytes up to the next header; n_bytes if there is no further header. */
size_t block_find(const uint8_t *bytes, size_t n_bytes);

#endif
