/* SPDX-License-Identifier: MIT */
/* The blocks of a store, in front of which each has its checksums. */
#ifndef STORE_BLOCKS_H
#define STORE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "dialect/store/format.h"

/* A header for a payload of block->n_bytes, whose checksum is set. */
void block_put_head(uint8_t to[STORE_BLOCK_BYTES], const struct store_block *block);

/* Bytes of a block with this payload, in the file. */
static inline uint64_t block_whole(uint64_t n_bytes)
{
	return STORE_BLOCK_BYTES + ((n_bytes + 7) & ~(uint64_t)7);
}

/* Whether a header is here that is whole; *ret is set then. The payload may be cut or damaged: block_is_whole(). */
bool block_look(const uint8_t *bytes, size_t n_bytes, struct store_block *ret);

/* Whether all of the payload is there, n_left bytes from its header on, and is what was written. */
bool block_is_whole(const struct store_block *block, size_t n_left);

/* How many bytes there are up to the next header; n_bytes: there is none. */
size_t block_find(const uint8_t *bytes, size_t n_bytes);

#endif
