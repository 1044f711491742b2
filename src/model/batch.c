/* SPDX-License-Identifier: MIT */
#include "model/batch.h"

#include <stdlib.h>

bool batch_init(struct batch *batch, unsigned columns, size_t scratch_bytes)
{
	batch_clear(batch);
	batch->columns = columns;
	batch->scratch = scratch_bytes ? malloc(scratch_bytes) : NULL;
	batch->scratch_bytes = batch->scratch ? scratch_bytes : 0;
	batch->view = (struct rst_batch){
		.ticks = batch->ticks,
		.stamp = batch->stamp,
		.seq = batch->seq,
		.type = batch->type,
		.layout = batch->layout,
		.context = batch->context,
		.payload = batch->payload,
		.payload_bytes = batch->payload_bytes,
		.core = columns & BATCH_CORE ? batch->core : NULL,
		.interrupted = columns & BATCH_INTERRUPTED ? batch->interrupted : NULL,
		.depth = columns & BATCH_DEPTH ? batch->depth : NULL,
		.priority = columns & BATCH_PRIORITY ? batch->priority : NULL,
		.threshold = columns & BATCH_THRESHOLD ? batch->threshold : NULL,
	};
	return batch->scratch_bytes == scratch_bytes;
}

void batch_done(struct batch *batch)
{
	free(batch->scratch);
	batch->scratch = NULL;
}
