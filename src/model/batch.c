/* SPDX-License-Identifier: MIT */
#include "model/batch.h"

#include <stdio.h>

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

void batch_add_gap(struct batch *batch, const struct rst_type *marker, const struct rst_context *context,
	const struct rst_gap *gap, uint64_t ticks, uint64_t place)
{
	size_t row = batch->n_events++, g = batch->n_gaps++;

	snprintf(batch->gap_text[g], BATCH_GAP_TEXT, "%s", gap->what);
	batch->gap[g] = *gap;
	batch->gap[g].what = batch->gap_text[g];
	batch->ticks[row] = ticks;
	batch->stamp[row] = 0;
	batch->place[row] = place;
	batch->type[row] = marker;
	batch->context[row] = context;
	batch->over[row] = NULL;
	batch->payload[row] = (const uint8_t *)&batch->gap[g];
	batch->payload_bytes[row] = sizeof(struct rst_gap);
	batch->core[row] = RST_NO_CORE;
	batch->depth[row] = 0;
	batch->priority[row] = batch->threshold[row] = RST_NO_PRIORITY;
}
