/* SPDX-License-Identifier: MIT */
/*
 * The memory of a recorder as a debugger dumps it: a ring of blocks of equal size, one behind the other from
 * the first byte on. Slots that were never used follow the used ones. The oldest block is where the numbers
 * of events step back.
 */
#include <string.h>

#include "base/load.h"
#include "dialect/compact/compact.h"

enum { BLOCK_MIN = 64, BLOCK_STEP = 4, BLOCK_MOST = 256 };

static bool is_used(const uint8_t *at)
{
	return at[0] == COMPACT_MARK && at[1] == COMPACT_RAW;
}

/* The same, for a block of which fewer bytes may exist. */
static bool begins_block(const uint8_t *at, size_t n_bytes)
{
	return n_bytes && at[0] == COMPACT_MARK && (n_bytes == 1 || at[1] == COMPACT_RAW);
}

static uint32_t first_event(const uint8_t *at)
{
	return load_u32(at + 4, false);
}

/* In a ring, the numbers of events step back at most once, where its newest and oldest blocks meet. */
static bool is_ring(struct compact_image *ret, const uint8_t *bytes, size_t n_bytes, size_t block_bytes)
{
	size_t n = 0, n_back = 0;

	*ret = (struct compact_image){ .block_bytes = block_bytes };
	for (; (n + 1) * block_bytes <= n_bytes && is_used(bytes + n * block_bytes); n++) {
		const uint8_t *at = bytes + n * block_bytes;

		if (at[2] > block_bytes - COMPACT_HEAD_BYTES)
			return false;
		if (n && (int32_t)(first_event(at) - first_event(at - block_bytes)) < 0) {
			n_back++;
			ret->first = n;
		}
	}
	ret->n_blocks = n;
	return n > 0 && n_back <= 1;
}

/*
 * If the memory was cut, the beginning of another block may follow a single block, at the first mark behind
 * its payload. Returns false if there is no such mark.
 */
static bool find_cut_block(struct compact_image *one, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t size = BLOCK_MIN; size <= BLOCK_MOST && size < n_bytes; size += BLOCK_STEP) {
		if (bytes[2] > size - COMPACT_HEAD_BYTES || !begins_block(bytes + size, n_bytes - size))
			continue;
		*one = (struct compact_image){ .block_bytes = size, .n_blocks = 1 };
		return true;
	}
	return false;
}

/*
 * Chooses the block size that gives the most blocks. Twice the right size finds half of them, and a mark that
 * is in a record by chance adds one at most. A single block ends with its end mark, or with the bytes.
 */
bool compact_is_image(struct compact_image *ret, const uint8_t *bytes, size_t n_bytes)
{
	struct compact_image one;

	*ret = (struct compact_image){ 0 };
	if (n_bytes < BLOCK_MIN || !is_used(bytes))
		return false;
	for (size_t size = BLOCK_MIN; size <= BLOCK_MOST && size <= n_bytes; size += BLOCK_STEP)
		if (is_ring(&one, bytes, n_bytes, size) &&
			(one.n_blocks > ret->n_blocks || ret->n_blocks == 1))
			*ret = one;
	if (ret->n_blocks == 1 && find_cut_block(&one, bytes, n_bytes))
		*ret = one;
	ret->is_one = ret->n_blocks > 0;
	return ret->is_one;
}

size_t compact_image_cut(const struct compact_image *image, const uint8_t *bytes, size_t n_bytes)
{
	size_t n_used = image->n_blocks * image->block_bytes, n_left = n_bytes - n_used;

	return n_left < image->block_bytes && begins_block(bytes + n_used, n_left) ? n_left : 0;
}

bool compact_image_next(struct compact_image *image, const uint8_t *bytes, struct compact_block *ret)
{
	size_t slot = (image->first + image->n_done) % image->n_blocks;
	const uint8_t *at = bytes + slot * image->block_bytes;

	if (image->n_done == image->n_blocks)
		return false;
	image->n_done++;
	*ret = (struct compact_block){ .kind = COMPACT_RAW,
		.core = at[3],
		.first_event = first_event(at),
		.n_lost = load_u32(at + 8, false),
		.stamp = load_u32(at + 12, false),
		.payload = at + COMPACT_HEAD_BYTES,
		.n_payload = at[2] ? at[2] : image->block_bytes - COMPACT_HEAD_BYTES,
		.offset = slot * image->block_bytes };
	return true;
}

/*
 * --- memory that arrives in chunks
 * --------------------------------------------------------------------------------
 */

bool compact_image_waits(struct compact *compact, struct chunk *chunk)
{
	if (!compact->n_seen &&
		(chunk->offset || chunk->n_used || chunk->n_bytes < 2 || !is_used(chunk->bytes)))
		return false;
	if (chunk->n_bytes > COMPACT_MEMORY_MAX) {
		compact_skip(compact, 0, chunk->source, compact->n_seen);
		chunk->n_used = compact->n_seen;
		compact->n_seen = 0;
		return false;
	}
	if (chunk->behind < CHUNK_INPUT_ENDS) {
		compact->n_seen = chunk->n_bytes;
		return true;
	}
	compact->n_seen = 0;
	compact_is_image(&compact->image, chunk->bytes, chunk->n_bytes);
	return false;
}
