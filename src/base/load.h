/* SPDX-License-Identifier: MIT */
/*
 * Loads of recorded integers. Recorded bytes have no alignment and their own byte order, so they are never
 * cast. These functions compile to one load (and one byte swap). The caller has checked the bounds, once for
 * a run of fields.
 */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t load_u16(const uint8_t *at, bool is_big)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap16(v);
}

static inline uint32_t load_u32(const uint8_t *at, bool is_big)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

static inline uint64_t load_u64(const uint8_t *at, bool is_big)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap64(v);
}

/* Loads a target's native word of 4 or 8 bytes. */
static inline uint64_t load_word(const uint8_t *at, unsigned word_bytes, bool is_big)
{
	return word_bytes == 8 ? load_u64(at, is_big) : load_u32(at, is_big);
}

/* Loads an integer of 1 to 8 bytes; odd sizes occur in packed payloads. */
static inline uint64_t load_uint(const uint8_t *at, unsigned n_bytes, bool is_big)
{
	switch (n_bytes) {
	case 1:
		return *at;
	case 2:
		return load_u16(at, is_big);
	case 4:
		return load_u32(at, is_big);
	case 8:
		return load_u64(at, is_big);
	default:
		break;
	}
	uint64_t v = 0;

	for (unsigned i = 0; i < n_bytes && i < 8; i++)
		v |= (uint64_t)at[is_big ? n_bytes - 1 - i : i] << (8 * i);
	return v;
}

#endif
