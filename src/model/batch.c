/* SPDX-License-Identifier: MIT */
#include "model/batch.h"

void batch_init(struct batch *batch)
{
	batch_clear(batch);
	batch->view = (struct rst_batch){
		.ticks = batch->ticks,
		.stamp = batch->stamp,
		.place = batch->place,
		.type = batch->type,
		.context = batch->context,
		.over = batch->over,
		.payload = batch->payload,
		.payload_bytes = batch->payload_bytes,
		.core = batch->core,
		.depth = batch->depth,
		.priority = batch->priority,
		.threshold = batch->threshold,
	};
}
