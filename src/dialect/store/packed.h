/* SPDX-License-Identifier: MIT */
/* The payloads of a segment, packed by zstd (RFC 8878) where that makes them smaller. */
#ifndef STORE_PACKED_H
#define STORE_PACKED_H

#include "dialect/store/codec.h"

/* The state for both directions. All zero at first. */
struct packed {
	void *compressor, *decompressor; /* zstd's contexts; made when they are needed */
	uint8_t *rooms[2];		 /* reading: the two payloads that were unpacked last */
	unsigned n_unpacked;
};

void packed_done(struct packed *packed);

/*
 * Appends the unpacked length of the payloads and a zstd frame, or 0 and the payloads as they are. n_block is
 * the number of the segment's bytes in front. Returns false if memory ran out.
 */
bool payloads_write(
	struct packed *packed, const struct bytes *payloads, size_t n_block, bool may_pack, struct bytes *to);

/*
 * Reads payloads of n_wanted bytes, which payloads_write() wrote, from the rest of these bytes; n_block is
 * the length of the whole segment. The payloads stay where they are, or in *packed until two more have been
 * read. Returns NULL with codec->is_bad or codec->lacks_memory.
 */
const uint8_t *payloads_read(struct packed *packed, struct codec *codec, uint64_t n_wanted, size_t n_block);

#endif
