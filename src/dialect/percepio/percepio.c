/* SPDX-License-Identifier: MIT */
/* The contract: what a stream of Percepio's recorder is recognised by, and what the reader keeps. */
#include "dialect/percepio/percepio.h"

enum { CERTAIN = 95, CLOCK_BITS = 32 };

static const struct dialect_option options[] = { { NULL, NULL, NULL } };

static unsigned percepio_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	(void)is_whole;
	return percepio_is_header(bytes, n_bytes) ? CERTAIN : 0;
}

static enum rst_status percepio_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct percepio *percepio = state;

	(void)err;
	model->clock_hz = how->clock_hz;
	clock_init(&percepio->clock, (uint64_t)1 << CLOCK_BITS, false);
	model->clock_bits = CLOCK_BITS;
	model->contexts.noun = NULL;
	return RST_OK;
}

static void percepio_close(void *state)
{
	struct percepio *percepio = state;

	map_done(&percepio->layouts);
	percepio_names_done(percepio);
}

const struct dialect dialect_percepio = {
	.name = "percepio",
	.summary = "streams of Percepio's TraceRecorder (PSF): FreeRTOS and bare metal",
	.options = options,
	.chunks = CHUNKS_AS_THEY_COME,
	.columns = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH,
	.state_bytes = sizeof(struct percepio),
	.has_machine_order = true,
	.probe = percepio_probe,
	.open = percepio_open,
	.read = percepio_read,
	.close = percepio_close,
	.catalogue = percepio_catalogue,
};
