/* SPDX-License-Identifier: MIT */
/*
 * How a dialect adds a row: it calls batch_row() once all mandatory members are known. Then it sets the
 * optional columns that it has:
 *
 *	size_t row = batch_row(batch, BEAT_COLUMNS, &(struct batch_row){ .ticks = ticks, … });
 *	batch->core[row] = 1;
 *
 * A row counts from batch_row() on, so nothing may fail between the two. model_take_rows() takes the ticks of
 * the first event from the rows.
 */
#ifndef MODEL_ROW_H
#define MODEL_ROW_H

#include "base/check.h"
#include "model/batch.h"

struct batch_row {
	uint64_t ticks, stamp, seq;
	const struct rst_layout *layout;
	const struct rst_context *context;
	const uint8_t *payload;
	size_t n_payload;
};

/*
 * `columns` is a constant of the dialect, so that columns that it lacks cost nothing. The batch must not be
 * full.
 */
static inline size_t batch_row(struct batch *batch, unsigned columns, const struct batch_row *row)
{
	check(!batch_is_full(batch));
	check(row->layout && row->layout->type && row->context);
	check(row->payload || !row->n_payload);
	check(row->n_payload <= UINT32_MAX);
	size_t n = batch->n_events++;

	batch->ticks[n] = row->ticks;
	batch->stamp[n] = row->stamp;
	batch->seq[n] = row->seq;
	batch->layout[n] = row->layout;
	batch->type[n] = row->layout->type;
	batch->context[n] = row->context;
	batch->payload[n] = row->payload;
	batch->payload_bytes[n] = (uint32_t)row->n_payload;
	if (columns & BATCH_CORE)
		batch->core[n] = RST_NO_CORE;
	if (columns & BATCH_INTERRUPTED)
		batch->interrupted[n] = NULL;
	if (columns & BATCH_DEPTH)
		batch->depth[n] = 0;
	if (columns & BATCH_PRIORITY)
		batch->priority[n] = RST_NO_PRIORITY;
	if (columns & BATCH_THRESHOLD)
		batch->threshold[n] = RST_NO_PRIORITY;
	return n;
}

#endif
