/* SPDX-License-Identifier: MIT */
/* The memory behind a batch: dialects add rows to the arrays (row.h), consumers see them read-only through `view`. */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include <rastrum/event.h>

#include "base/check.h"
#include "base/limit.h"

enum { BATCH_GAPS = LIMIT(64, 4) };

/* The columns that not every dialect has. */
enum {
	BATCH_CORE = 1 << 0,
	BATCH_INTERRUPTED = 1 << 1,
	BATCH_DEPTH = 1 << 2,
	BATCH_PRIORITY = 1 << 3,
	BATCH_THRESHOLD = 1 << 4,
};

struct batch {
	struct rst_batch view; /* view.n_events is set by batch_close() */
	unsigned columns;      /* of those above, which the dialect has */
	size_t n_events;
	size_t n_gaps;
	uint64_t ticks[RST_BATCH_EVENTS];
	uint64_t stamp[RST_BATCH_EVENTS];
	uint64_t seq[RST_BATCH_EVENTS];
	const struct rst_type *type[RST_BATCH_EVENTS];
	const struct rst_layout *layout[RST_BATCH_EVENTS];
	const struct rst_context *context[RST_BATCH_EVENTS];
	const struct rst_context *interrupted[RST_BATCH_EVENTS];
	const uint8_t *payload[RST_BATCH_EVENTS];
	uint32_t payload_bytes[RST_BATCH_EVENTS];
	uint16_t core[RST_BATCH_EVENTS];
	uint8_t depth[RST_BATCH_EVENTS];
	int16_t priority[RST_BATCH_EVENTS];
	int16_t threshold[RST_BATCH_EVENTS];
	struct rst_gap gap[BATCH_GAPS];
	uint8_t *
		scratch; /* the dialect's scratch_bytes of it, for payload that is not in the input as it is */
	size_t scratch_bytes, n_scratch;
};

/* Once per batch object: points the view at the columns. false when there is no memory for scratch. */
bool batch_init(struct batch *batch, unsigned columns, size_t scratch_bytes);
void batch_done(struct batch *batch);

/* From now on rows have these of the columns that the batch was made with; it must be empty. */
void batch_set_columns(struct batch *batch, unsigned columns);

static inline void batch_clear(struct batch *batch)
{
	batch->n_events = batch->n_gaps = batch->n_scratch = 0;
}

/*
 * n_bytes of scratch for the payload of a row, aligned for 8 bytes; they hold as long as the rows. Returns
 * NULL if there are not so many left, so the batch must go out first (an empty one has all of scratch_bytes).
 */
static inline uint8_t *batch_scratch(struct batch *batch, size_t n_bytes)
{
	size_t at = (batch->n_scratch + 7) & ~(size_t)7;

	if (at > batch->scratch_bytes || batch->scratch_bytes - at < n_bytes)
		return NULL;
	batch->n_scratch = at + n_bytes;
	return batch->scratch + at;
}

/* To be checked before every row and every marker: none may be added to a batch that is full. */
static inline bool batch_is_full(const struct batch *batch)
{
	return batch->n_events >= RST_BATCH_EVENTS || batch->n_gaps >= BATCH_GAPS;
}

static inline const struct rst_batch *batch_close(struct batch *batch)
{
	check(batch->n_events <= RST_BATCH_EVENTS && batch->n_gaps <= BATCH_GAPS);
	batch->view.n_events = batch->n_events;
	return &batch->view;
}

#endif
