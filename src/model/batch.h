/* SPDX-License-Identifier: MIT */
/*
 * The memory of a batch. Dialects add rows to the arrays (row.h); consumers see them read-only through
 * `view`.
 */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include <rastrum/event.h>

#include "base/check.h"
#include "base/limit.h"

enum { BATCH_GAPS = LIMIT(64, 4) };

/* The optional columns. */
enum {
	BATCH_CORE = 1 << 0,
	BATCH_INTERRUPTED = 1 << 1,
	BATCH_DEPTH = 1 << 2,
	BATCH_PRIORITY = 1 << 3,
	BATCH_THRESHOLD = 1 << 4,
};

struct batch {
	struct rst_batch view; /* view.n_events is set by batch_close() */
	unsigned columns;      /* the optional columns of the dialect */
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
	/* scratch_bytes bytes for the dialect, for payloads that are not in the input as they are. */
	uint8_t *scratch;
	size_t scratch_bytes, n_scratch;
};

/*
 * The caller calls this once per batch. It points the view at the columns. Returns false if memory for
 * scratch ran out.
 */
bool batch_init(struct batch *batch, unsigned columns, size_t scratch_bytes);
void batch_done(struct batch *batch);

/* From now on, rows have only these columns, a subset of those of batch_init(). The batch must be empty. */
void batch_set_columns(struct batch *batch, unsigned columns);

static inline void batch_clear(struct batch *batch)
{
	batch->n_events = batch->n_gaps = batch->n_scratch = 0;
}

/*
 * Takes n_bytes of scratch for the payload of a row, aligned for 8 bytes; they are valid as long as the rows.
 * Returns NULL if too few bytes are left. Then the caller must first deliver the batch (an empty batch has
 * all scratch_bytes).
 */
static inline uint8_t *batch_scratch(struct batch *batch, size_t n_bytes)
{
	size_t at = (batch->n_scratch + 7) & ~(size_t)7;

	if (at > batch->scratch_bytes || batch->scratch_bytes - at < n_bytes)
		return NULL;
	batch->n_scratch = at + n_bytes;
	return batch->scratch + at;
}

/* The caller checks this before every row and every marker, because a full batch must not get more. */
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
