/* SPDX-License-Identifier: MIT */
#include "dialect/store/packed.h"

#include <stdlib.h>
#include <zstd.h>

#include "dialect/store/format.h"

/* The fastest level of zstd; higher ones make payloads of events hardly smaller. */
enum { PACKED_LEVEL = 1 };

void packed_done(struct packed *packed)
{
	ZSTD_freeCCtx(packed->compressor);
	ZSTD_freeDCtx(packed->decompressor);
	free(packed->rooms[0]);
	free(packed->rooms[1]);
	*packed = (struct packed){ 0 };
}

/* Limits how much a few bytes may unpack to. */
static bool may_be_packed(uint64_t n_bytes, uint64_t n_block)
{
	return n_bytes && n_bytes <= STORE_PACKED_BYTES && n_bytes / STORE_PACKED_RATIO <= n_block;
}

/* Writes the length and the frame. Returns false if packing does not help, or memory ran out. */
static bool frame_write(struct packed *packed, const struct bytes *payloads, size_t n_block, struct bytes *to)
{
	const size_t room = ZSTD_compressBound(payloads->n);
	size_t n_frame;

	if (!packed->compressor)
		packed->compressor = ZSTD_createCCtx();
	if (!packed->compressor || !bytes_put_number(to, payloads->n) || !bytes_reserve(to, room))
		return false;
	n_frame = ZSTD_compressCCtx(
		packed->compressor, to->at + to->n, room, payloads->at, payloads->n, PACKED_LEVEL);
	if (ZSTD_isError(n_frame) || n_frame >= payloads->n || !may_be_packed(payloads->n, n_block + n_frame))
		return false;
	to->n += n_frame;
	return true;
}

bool payloads_write(
	struct packed *packed, const struct bytes *payloads, size_t n_block, bool may_pack, struct bytes *to)
{
	const size_t n_before = to->n;

	if (may_pack && payloads->n && payloads->n <= STORE_PACKED_BYTES &&
		frame_write(packed, payloads, n_block, to))
		return true;
	to->n = n_before;
	return bytes_put_number(to, 0) && bytes_put(to, payloads->at, payloads->n);
}

/* Returns NULL with the reason in the codec. */
static const uint8_t *frame_read(
	struct packed *packed, struct codec *codec, const uint8_t *frame, size_t n_frame, size_t n_bytes)
{
	uint8_t **room = &packed->rooms[packed->n_unpacked++ % 2];

	free(*room);
	*room = malloc(n_bytes);
	if (!packed->decompressor)
		packed->decompressor = ZSTD_createDCtx();
	codec->lacks_memory |= !*room || !packed->decompressor;
	if (codec->lacks_memory)
		return NULL;
	codec->is_bad |= ZSTD_decompressDCtx(packed->decompressor, *room, n_bytes, frame, n_frame) != n_bytes;
	return codec->is_bad ? NULL : *room;
}

const uint8_t *payloads_read(struct packed *packed, struct codec *codec, uint64_t n_wanted, size_t n_block)
{
	uint64_t n_bytes = 0;
	const uint8_t *rest;

	codec_number(codec, &n_bytes, 0);
	rest = codec->from.at;
	codec->is_bad |= n_bytes ? n_bytes != n_wanted || !may_be_packed(n_bytes, n_block)
				 : n_wanted != cursor_left(&codec->from);
	if (!codec_is_good(codec))
		return NULL;
	return n_bytes ? frame_read(packed, codec, rest, cursor_left(&codec->from), (size_t)n_bytes) : rest;
}
