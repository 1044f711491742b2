/* SPDX-License-Identifier: MIT */
/* For tests of packed inputs: makes bytes that do not shrink, and packs them. */
#ifndef INPUT_WRAPPING_PACKED_TEST_H
#define INPUT_WRAPPING_PACKED_TEST_H

#include <zlib.h>
#include <zstd.h>

#include "input/wrapping/wrapping_test.h"

enum { LONG_BYTES = 200000 };

/* Makes bytes without a pattern, so that they do not shrink; always the same ones. */
static inline struct blob blob_noise(size_t n_bytes)
{
	struct blob noise = { malloc(n_bytes), n_bytes };
	uint32_t state = 1;

	for (size_t i = 0; i < n_bytes; i++) {
		state = state * 1664525U + 1013904223U;
		noise.bytes[i] = (uint8_t)(state >> 24);
	}
	return noise;
}

static inline void blob_add_gzip(struct blob *blob, const void *bytes, size_t n_bytes)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)n_bytes };
	uLong room;

	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	room = deflateBound(&z, (uLong)n_bytes);
	uint8_t *packed = malloc(room);

	z.next_out = packed;
	z.avail_out = (uInt)room;
	deflate(&z, Z_FINISH);
	blob_add(blob, packed, z.total_out);
	deflateEnd(&z);
	free(packed);
}

static inline void blob_add_zstd(struct blob *blob, const void *bytes, size_t n_bytes)
{
	const size_t room = ZSTD_compressBound(n_bytes);
	uint8_t *packed = malloc(room);

	blob_add(blob, packed, ZSTD_compress(packed, room, bytes, n_bytes, 3));
	free(packed);
}

#endif
