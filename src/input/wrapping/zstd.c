/* SPDX-License-Identifier: MIT */
/*
 * zstd (RFC 8878): frames back to back, each made of blocks, with skippable frames anywhere.
 *
 * If a call of ZSTD_decompressStream() fails, it does not return the bytes that it made before the bad block.
 * So each call gets no more input than one step needs: then a call that fails has never made any bytes.
 */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/load.h"
#include "input/wrapping/wrapping.h"

enum {
	ZSTD_STEP_FIRST = 5,  /* these identify a frame's header */
	ZSTD_STEP_HEADER = 3, /* of a block; the library's hint for a block includes the next header */
	ZSTD_SKIPPABLE_BYTES = 8,
	ZSTD_MAGIC_BYTES = 4,
	ZSTD_BLOCK_MAX = 128 * 1024,
};

struct zstd_state {
	ZSTD_DStream *stream;
	size_t n_wanted;  /* input of the next step, perhaps with the block header after it */
	bool is_inside;	  /* a frame has begun and not ended */
	bool is_further;  /* a frame has ended before */
	bool is_draining; /* finished bytes may wait for room; more input would hide which call made them */
};

static bool zstd_is_skippable(uint32_t magic)
{
	return (magic & 0xfffffff0U) == ZSTD_MAGIC_SKIPPABLE_START;
}

/*
 * Returns the bytes of a frame's header after the descriptor, RFC 8878 3.1.1.1. A single segment has no
 * window byte.
 */
static size_t zstd_header_bytes(uint8_t descriptor)
{
	static const uint8_t n_dictionary[] = { 0, 1, 2, 4 }, n_content[] = { 0, 2, 4, 8 };
	const bool is_segment = descriptor & 0x20;
	const unsigned content_code = descriptor >> 6;

	return (size_t)!is_segment + n_dictionary[descriptor & 3] + n_content[content_code] +
	       (is_segment && !content_code);
}

/*
 * Whether the bytes after the magic, as far as they are there, can begin a frame. The reserved bit of the
 * descriptor must be 0 (3.1.1.1.1.4). The first block must have a known type and no more than the largest
 * size (3.1.1.2). A frame that is cut so early still counts.
 */
static bool zstd_is_frame(const uint8_t *bytes, size_t n_bytes)
{
	if (!n_bytes)
		return true;
	const size_t block_at = 1 + zstd_header_bytes(bytes[0]);

	if (bytes[0] & 0x08)
		return false;
	if (n_bytes < block_at + ZSTD_STEP_HEADER)
		return true;
	const uint64_t block = load_uint(bytes + block_at, ZSTD_STEP_HEADER, false);

	return (block >> 1 & 3) != 3 && block >> 3 <= ZSTD_BLOCK_MAX;
}

/* Another format may use a skippable frame, too: a true frame must follow within the front. */
static bool zstd_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	size_t at = 0;

	(void)is_whole;
	while (n_bytes - at >= ZSTD_SKIPPABLE_BYTES && zstd_is_skippable(load_u32(bytes + at, false))) {
		uint32_t n_skipped = load_u32(bytes + at + 4, false);

		at += ZSTD_SKIPPABLE_BYTES;
		if (n_skipped > n_bytes - at)
			return false;
		at += n_skipped;
	}
	if (n_bytes - at < ZSTD_MAGIC_BYTES || load_u32(bytes + at, false) != ZSTD_MAGICNUMBER)
		return false;
	at += ZSTD_MAGIC_BYTES;
	return zstd_is_frame(bytes + at, n_bytes - at);
}

static enum rst_status zstd_open(void *state, struct rst_error *err)
{
	struct zstd_state *zstd = state;

	zstd->stream = ZSTD_createDStream();
	zstd->n_wanted = ZSTD_STEP_FIRST;
	return zstd->stream ? RST_OK : error_nomem(err);
}

static size_t zstd_step(const struct zstd_state *zstd, const struct wrapping_io *io)
{
	size_t n = zstd->n_wanted;

	if (zstd->is_draining)
		return 0;
	if (n > ZSTD_STEP_HEADER)
		n -= ZSTD_STEP_HEADER;
	return n < io->n_in ? n : io->n_in;
}

static enum rst_status zstd_fault(
	const struct zstd_state *zstd, struct wrapping_io *io, size_t result, struct rst_error *err)
{
	const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
	const uint64_t n_rest = wrapping_rest(io, io->offset);

	if (code == ZSTD_error_memory_allocation)
		return error_nomem(err);
	if (code == ZSTD_error_frameParameter_windowTooLarge)
		wrapping_fault(io, io->offset, n_rest,
			"zstd frame needs over 128 MiB to unpack; unpack it with zstd -d --long=31 first");
	else if (code == ZSTD_error_prefix_unknown && zstd->is_further)
		wrapping_fault(
			io, io->offset, n_rest, "what follows the zstd data is no zstd data; it is left out");
	else
		wrapping_fault(io, io->offset, n_rest,
			"zstd data is corrupt here (%s); what came before is given",
			ZSTD_getErrorName(result));
	return RST_END;
}

/* Returns the result when the input is used up. */
static enum rst_status zstd_starve(const struct zstd_state *zstd, struct wrapping_io *io)
{
	if (!io->is_last)
		return RST_OK;
	if (zstd->is_inside)
		wrapping_fault(io, io->offset, 0, "zstd data is cut here; what came before is given");
	return RST_END;
}

static enum rst_status zstd_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct zstd_state *zstd = state;

	while (io->n_out) {
		ZSTD_inBuffer in = { .src = io->in, .size = zstd_step(zstd, io) };
		ZSTD_outBuffer out = { .dst = io->out, .size = io->n_out };

		if (!in.size && !zstd->is_draining)
			return zstd_starve(zstd, io);
		size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);

		if (ZSTD_isError(result))
			return zstd_fault(zstd, io, result, err);
		wrapping_use(io, in.pos);
		wrapping_make(io, out.pos);
		zstd->is_inside = result != 0;
		zstd->is_further |= result == 0;
		zstd->is_draining = result && out.pos == out.size;
		zstd->n_wanted = result ? result : ZSTD_STEP_FIRST;
	}
	return RST_OK;
}

static void zstd_close(void *state)
{
	struct zstd_state *zstd = state;

	ZSTD_freeDStream(zstd->stream);
}

const struct wrapping wrapping_zstd = {
	.name = "zstd",
	.probe = zstd_probe,
	.state_size = sizeof(struct zstd_state),
	.open = zstd_open,
	.decode = zstd_decode,
	.close = zstd_close,
};
