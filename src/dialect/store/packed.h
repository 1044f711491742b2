/* SPDX-License-Identifier: MIT */
/* The payloads of a segment, packed by zstd (RFC 8878) where that makes them smaller. */
#ifndef STORE_PACKED_H
#define STORE_PACKED_H

#include "dialect/store/codec.h"

/* Of either direction. All zero: none of it is there yet. */
struct packed {
	void *compressor, *decompressor; /* of zstd; made when they are needed */
	uint8_t *rooms[2];		 /* reading: what was unpacked last, and before */
	unsigned n_unpacked;
};

void packed_done(struct packed *packed);

/*
 * Appends the length that payloads have when they are unpacked, and a frame of zstd; or 0 and the payloads as
 * they are. n_block: bytes of the segment in front. Returns false if memory ran out.
 */
bool payloads_write(
	struct packed *packed, const struct bytes *payloads, size_t n_block, bool may_pack, struct bytes *to);

/*
 * Payloads of n_wanted bytes from what payloads_write() wrote, which is the rest of these bytes; n_block: of the segment as a whole.
 * They stay where they are, or are in *packed, until two more have been read. NULL: codec->is_bad, or codec->lacks_memory.
 */
const uint8_t *payloads_read(struct packed *packed, struct codec *codec, uint64_t n_wanted, size_t n_block);

#endif
