/* SPDX-License-Identifier: MIT */
/*
 * Chunks to blocks. Blocks follow each other without a gap; where there is none, the next place is looked for at
 * which one is whole, and what lies between is damage. A block that goes on in the next chunk is held and joined with it.
 */
#include <string.h>

#include "dialect/compact/compact.h"

bool compact_tell_skipped(struct compact *compact, struct model *model, struct batch *batch)
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
	if (!model_gap(model, &gap))
		return false;
	model_add_gap_row(model, batch, &gap);
	return true;
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

/* What is cut at the end of the input is no block; there may be one inside it, if its length is a lie. */
static enum compact_find block_check(struct compact_block *ret, const uint8_t *at, size_t n_bytes,
	const struct chunk *chunk, struct compact_sums *sums)
{
	enum compact_find found = compact_find(ret, at, n_bytes, sums);

	return found == COMPACT_CUT && chunk->is_end ? COMPACT_NONE : found;
}

/* A run of bytes in which a block is looked for from `at` on. */
struct run {
	const uint8_t *bytes;
	size_t n_bytes, at;
	uint64_t offset;
	const char *source;
};

/* Moves behind what is of no use. COMPACT_NONE: to the end. */
static enum compact_find block_search(
	struct compact *compact, const struct chunk *chunk, struct run *run, struct compact_block *ret)
{
	struct compact_sums *sums = NULL; /* a block mostly begins where the one before it has ended */

	while (run->at < run->n_bytes) {
		const uint8_t *at = run->bytes + run->at, *mark;
		size_t n_left = run->n_bytes - run->at, n_skipped;
		enum compact_find found = block_check(ret, at, n_left, chunk, sums);

		if (found != COMPACT_NONE) {
			ret->offset = run->offset + run->at;
			ret->source = run->source;
			return found;
		}
		if (!sums)
			compact_sums_begin(sums = &compact->sums);
		mark = n_left > 1 ? memchr(at + 1, COMPACT_MARK, n_left - 1) : NULL;
		n_skipped = mark ? (size_t)(mark - at) : n_left;
		compact_skip(compact, run->offset + run->at, run->source, n_skipped);
		run->at += n_skipped;
	}
	return COMPACT_NONE;
}

/* As much of the chunk behind what is held as a block may need. */
static void chunk_join(struct compact *compact, const struct chunk *chunk)
{
	size_t n = chunk->n_bytes - chunk->n_used, room = sizeof(compact->joined) - compact->n_held;

	if (n > room)
		n = room;
	if (n)
		memcpy(compact->joined + compact->n_held, chunk->bytes + chunk->n_used, n);
	compact->n_joined = compact->n_held + n;
}

/* Takes n_bytes off the front of the joined bytes: first what is held, then the chunk itself. */
static void joined_take(struct compact *compact, struct chunk *chunk, size_t n_bytes)
{
	if (n_bytes < compact->n_held) {
		compact->n_held -= n_bytes;
		compact->held_offset += n_bytes;
		memmove(compact->joined, compact->joined + n_bytes, compact->n_held);
		return;
	}
	chunk->n_used += n_bytes - compact->n_held;
	compact->n_held = 0;
}

/* What cannot be judged waits for the next chunk. It is less than a block. */
static void rest_hold(struct compact *compact, struct chunk *chunk)
{
	size_t n = chunk->n_bytes - chunk->n_used;

	if (!compact->n_held) {
		compact->held_offset = chunk->offset + chunk->n_used;
		compact->held_source = chunk->source;
	}
	if (n)
		memcpy(compact->joined + compact->n_held, chunk->bytes + chunk->n_used, n);
	compact->n_held += n;
	chunk->n_used = chunk->n_bytes;
}

/* The payload stays, whatever becomes of the bytes that it came in. Returns how long the whole block is. */
static size_t keep_payload(struct compact *compact, struct compact_block *block)
{
	memcpy(compact->payload, block->payload, block->n_payload);
	block->payload = compact->payload;
	return COMPACT_HEAD_BYTES + block->n_payload + COMPACT_CHECKSUM_BYTES;
}

/* The block that begins in what is held and ends in the chunk. NONE: nothing is held any longer. */
static enum compact_find next_joined(struct compact *compact, struct chunk *chunk, struct compact_block *ret)
{
	struct run held = {
		.bytes = compact->joined, .offset = compact->held_offset, .source = compact->held_source
	};
	enum compact_find found;

	if (!compact->n_held)
		return COMPACT_NONE;
	chunk_join(compact, chunk);
	held.n_bytes = compact->n_joined;
	found = block_search(compact, chunk, &held, ret);
	/* One that begins behind what is held is found once more in the chunk, which may have all of it. */
	if (held.at >= compact->n_held)
		found = COMPACT_NONE;
	joined_take(compact, chunk, held.at + (found == COMPACT_FOUND ? keep_payload(compact, ret) : 0));
	return found;
}

enum compact_find compact_next_block(struct compact *compact, struct chunk *chunk, struct compact_block *ret)
{
	enum compact_find found = next_joined(compact, chunk, ret);
	struct run run = { chunk->bytes, chunk->n_bytes, chunk->n_used, chunk->offset, chunk->source };

	if (found == COMPACT_NONE) {
		found = block_search(compact, chunk, &run, ret);
		chunk->n_used = run.at;
		if (found == COMPACT_FOUND)
			chunk->n_used += keep_payload(compact, ret);
	}
	if (found == COMPACT_CUT)
		rest_hold(compact, chunk);
	return found;
}
