/* SPDX-License-Identifier: MIT */
#include "model/batch.h"

#include <stdlib.h>

bool batch_init(struct batch *batch, size_t scratch_bytes)
{
	batch_clear(batch);
	batch->scratch = scratch_bytes ? malloc(scratch_bytes) : NULL;
	batch->scratch_bytes = batch->scratch ? scratch_bytes : 0;
	batch->view = (struct rst_batch){
		.ticks = batch->ticks,
		.stamp = batch->stamp,
		.seq = batch->seq,
		.type = batch->type,
		.layout = batch->layout,
		.context = batch->context,
		.interrupted = batch->interrupted,
		.payload = batch->payload,
		.payload_bytes = batch->payload_bytes,
		.core = batch->core,
		.depth = batch->depth,
		.priority = batch->priority,
		.threshold = batch->threshold,
	};
	return batch->scratch_bytes == scratch_bytes;
}

void batch_done(struct batch *batch)
{
	free(batch->scratch);
	batch->scratch = NULL;
}
