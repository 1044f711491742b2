/* SPDX-License-Identifier: MIT */
/* The dialect: recognises and opens traces, and decides what is read when. */
#include "dialect/aix/aix.h"

enum { CERTAIN = 95, CLOCK_BITS = 32 };

static const struct dialect_option options[] = { { NULL, NULL, NULL } };

static unsigned aix_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	struct aix_header header;

	(void)is_whole;
	return aix_header_load(&header, bytes, n_bytes) ? CERTAIN : 0;
}

static enum rst_status aix_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct aix *aix = state;

	(void)how, (void)err;
	model_count_ids(model, 1U << RST_OBJECT_THREAD);
	clock_init(&aix->clock, (uint64_t)1 << CLOCK_BITS, false);
	model->clock_bits = CLOCK_BITS;
	model->contexts.noun = "thread";
	return RST_OK;
}

static enum rst_status aix_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct aix *aix = state;
	struct aix_header header;

	if (chunk->behind != CHUNK_ENDS && chunk->n_used == 0 &&
		!aix_header_load(&header, chunk->bytes, chunk->n_bytes))
		return error_set(err, RST_E_DAMAGED, chunk->offset,
			"there is no header of a trace with hook words at the beginning");
	if (!aix_rows(aix, model, batch, chunk))
		return error_nomem(err);
	if (chunk->n_used < chunk->n_bytes || batch_is_full(batch))
		return RST_OK;
	return chunk->behind == CHUNK_ENDS ? RST_END : RST_MORE;
}

static void aix_close(void *state)
{
	struct aix *aix = state;

	hook_types_done(&aix->types);
}

const struct dialect dialect_aix = {
	.name = "aix",
	.summary = "trace entries with hook words, as embed/aix records them: 32 and 64 bits",
	.options = options,
	.chunks = CHUNKS_WHOLE,
	.columns = AIX_COLUMNS,
	.scratch_bytes = RST_BATCH_EVENTS * 48 + AIX_ENTRY_MAX,
	.state_bytes = sizeof(struct aix),
	.probe = aix_probe,
	.has_machine_order = true,
	.open = aix_open,
	.read = aix_read,
	.close = aix_close,
};
