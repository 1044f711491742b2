/* SPDX-License-Identifier: MIT */
/*
 * Divides chunks into blocks. Blocks follow each other without a gap. If no block begins where one should,
 * the next place with a whole block is searched, and the bytes between are damage. The possible beginning of
 * a block is left for the next chunk.
 */
#include <string.h>

#include "dialect/compact/compact.h"

bool compact_report_skipped(struct compact *compact, struct model *model, struct batch *batch)
{
	struct compact_skipped *skipped = &compact->skipped;
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = skipped->offset,
		.n_bytes = skipped->n_bytes,
		.what = "bytes that are no block, or of a damaged one",
		.source = skipped->source };

	if (skipped->n_bytes == 0)
		return true;
	skipped->n_bytes = 0;
	return model_put_gap(model, batch, &gap);
}

void compact_skip(struct compact *compact, uint64_t offset, const char *source, size_t n_bytes)
{
	struct compact_skipped *skipped = &compact->skipped;

	if (skipped->n_bytes == 0) {
		skipped->offset = offset;
		skipped->source = source;
	}
	skipped->n_bytes += n_bytes;
}

/*
 * A cut block at the end of the input is not a block. If its length is false, there may be a block inside it.
 */
static enum compact_find block_check(struct compact_block *ret, const uint8_t *at, size_t n_bytes,
	const struct chunk *chunk, struct compact_sums *sums)
{
	enum compact_find found = compact_find(ret, at, n_bytes, sums);

	return found == COMPACT_CUT && chunk->behind == CHUNK_ENDS ? COMPACT_NONE : found;
}

enum compact_find compact_next_block(struct compact *compact, struct chunk *chunk, struct compact_block *ret)
{
	struct compact_sums *sums = NULL; /* a block usually begins where the one before it has ended */

	while (chunk->n_used < chunk->n_bytes) {
		const uint8_t *at = chunk->bytes + chunk->n_used, *mark;
		size_t n_left = chunk->n_bytes - chunk->n_used, n_skipped;
		enum compact_find found = block_check(ret, at, n_left, chunk, sums);
		const char *source;
		uint64_t offset = chunk_offset(chunk, chunk->n_used, &source);

		if (found != COMPACT_NONE) {
			ret->offset = offset;
			ret->source = source;
			if (found == COMPACT_FOUND)
				chunk->n_used += COMPACT_HEAD_BYTES + ret->n_payload + COMPACT_CHECKSUM_BYTES;
			return found;
		}
		if (!sums)
			compact_sums_begin(sums = &compact->sums);
		mark = n_left > 1 ? memchr(at + 1, COMPACT_MARK, n_left - 1) : NULL;
		n_skipped = mark ? (size_t)(mark - at) : n_left;
		compact_skip(compact, offset, source, n_skipped);
		chunk->n_used += n_skipped;
	}
	return COMPACT_NONE;
}
