/* SPDX-License-Identifier: MIT */
/* The dialect: recognises and opens traces, and decides what is read when. */
#include "dialect/compact/compact.h"

#include <string.h>

enum { CERTAIN = 95, LIKELY = 80, CLOCK_BITS = 32 };

static const struct dialect_option options[] = { { NULL, NULL, NULL } };

/*
 * A right checksum is hardly an accident. But with 16 bits it may be one in a large file, so two of them are
 * required to be certain.
 */
static unsigned compact_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	struct compact_image image;
	struct compact_block block;
	struct compact_sums sums = { 0 };
	unsigned n_found = 0;

	(void)is_whole;
	if (compact_is_image(&image, bytes, n_bytes))
		return image.n_blocks > 1 ? CERTAIN : LIKELY;
	compact_sums_begin(&sums);
	for (size_t at = 0; at < n_bytes && n_found < 2;) {
		const uint8_t *mark = memchr(bytes + at, COMPACT_MARK, n_bytes - at);

		if (!mark)
			break;
		at = (size_t)(mark - bytes);
		if (compact_find(&block, mark, n_bytes - at, &sums) == COMPACT_FOUND) {
			n_found += at == 0 ? 2 : 1;
			at += COMPACT_HEAD_BYTES + block.n_payload + COMPACT_CHECKSUM_BYTES;
		} else {
			at++;
		}
	}
	return n_found >= 2 ? CERTAIN : 0;
}

static enum rst_status compact_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct compact *compact = state;

	(void)how, (void)err;
	clock_init(&compact->clock, (uint64_t)1 << CLOCK_BITS, false);
	model->clock_bits = CLOCK_BITS;
	model->objects.is_by_kind = true;
	model->contexts.noun = "task";
	model_count_ids(model, UINT64_MAX);
	return RST_OK;
}

/* Gives the next block of memory or of the stream. Returns false if there is no further block for now. */
static bool next_block(struct compact *compact, struct chunk *chunk, struct compact_block *ret)
{
	bool is_there;

	if (!compact->image.is_one)
		return compact_next_block(compact, chunk, ret) == COMPACT_FOUND;
	if (chunk->n_tail) { /* in memory, no block continues in another chunk */
		compact_skip(compact, chunk->offset, chunk->source, chunk->n_tail);
		chunk->n_used = chunk->n_tail;
		return false;
	}
	is_there = compact_image_next(&compact->image, chunk->bytes, ret);
	ret->source = chunk->source;
	if (!is_there) {
		size_t n_cut = compact_image_cut(&compact->image, chunk->bytes, chunk->n_bytes);

		if (n_cut)
			compact_skip(compact, chunk->n_bytes - n_cut, chunk->source, n_cut);
		compact->image.is_one = false;
		chunk->n_used = chunk->n_bytes;
	}
	return is_there;
}

static bool begin_block(struct compact *compact, struct model *model, const struct compact_block *block)
{
	if (block->kind == COMPACT_NAMES)
		return compact_names(compact, model, block);
	compact_begin(compact, block);
	return true;
}

/* A file is either memory or a stream. */
static enum rst_status compact_look(
	void *state, struct model *model, const struct chunk *whole, struct rst_error *err)
{
	struct compact *compact = state;

	(void)model, (void)err;
	if (whole->n_bytes)
		compact_is_image(&compact->image, whole->bytes, whole->n_bytes);
	return RST_OK;
}

/* Reads all blocks of a chunk. Returns RST_MORE if no more than the possible beginning of a block is left. */
static enum rst_status read_chunk(struct compact *compact, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	struct compact_block block;

	for (;;) {
		if (compact->reading.is_open) {
			enum compact_step step;

			step = batch_is_full(batch) ? COMPACT_NO_ROOM : compact_rows(compact, model, batch);
			if (step == COMPACT_NO_MEMORY)
				return error_nomem(err);
			if (step == COMPACT_NO_ROOM)
				return RST_OK;
		}
		if (batch_is_full(batch))
			return RST_OK;
		if (!next_block(compact, chunk, &block))
			return RST_MORE;
		if (!compact_report_skipped(compact, model, batch) || !begin_block(compact, model, &block))
			return error_nomem(err);
	}
}

static enum rst_status compact_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct compact *compact = state;
	enum rst_status status;

	if (!compact->image.is_one && !compact->reading.is_open && compact_image_waits(compact, chunk))
		return RST_MORE;
	status = read_chunk(compact, model, chunk, batch, err);
	if (status != RST_MORE || chunk->behind != CHUNK_ENDS)
		return status;
	if (batch_is_full(batch))
		return RST_OK;
	return compact_report_skipped(compact, model, batch) ? RST_END : error_nomem(err);
}

const struct dialect dialect_compact = {
	.name = "compact",
	.summary = "Rastrum's own small recorder for targets: streams of blocks, or its memory",
	.options = options,
	.columns = COMPACT_COLUMNS,
	.scratch_bytes = RST_BATCH_EVENTS * 16,
	.state_bytes = sizeof(struct compact),
	.probe = compact_probe,
	.open = compact_open,
	.look = compact_look,
	.read = compact_read,
	.catalogue = compact_catalogue,
};
