/* SPDX-License-Identifier: MIT */
/*
 * FNV-1a, byte by byte. Do not use it for tables whose keys an input chooses: map.h hashes with random
 * numbers.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

#define HASH_EMPTY 0xcbf29ce484222325U

static inline uint64_t hash_byte(uint64_t hash, uint8_t byte)
{
	return (hash ^ byte) * 0x100000001b3U;
}

#endif
