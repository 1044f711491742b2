/* SPDX-License-Identifier: MIT */
#include "model/batch.h"

#include <stdlib.h>

#include "base/check.h"

void batch_set_columns(struct batch *batch, unsigned columns)
{
	check(!batch->n_events && !batch->n_gaps);
	batch->columns = columns;
	batch->view.core = columns & BATCH_CORE ? batch->core : NULL;
	batch->view.interrupted = columns & BATCH_INTERRUPTED ? batch->interrupted : NULL;
	batch->view.depth = columns & BATCH_DEPTH ? batch->depth : NULL;
	batch->view.priority = columns & BATCH_PRIORITY ? batch->priority : NULL;
	batch->view.threshold = columns & BATCH_THRESHOLD ? batch->threshold : NULL;
}

bool batch_init(struct batch *batch, unsigned columns, size_t scratch_bytes)
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
		.payload = batch->payload,
		.payload_bytes = batch->payload_bytes,
	};
	batch_set_columns(batch, columns);
	return batch->scratch_bytes == scratch_bytes;
}

void batch_done(struct batch *batch)
{
	free(batch->scratch);
	batch->scratch = NULL;
}
