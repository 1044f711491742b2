/* SPDX-License-Identifier: MIT */
/*
 * Plain events (embed/core/event.h), sent as blocks of the compact encoder: recorded as cheaply as can be,
 * packed when they are taken, read by the same dialect. Their ids are those of the compact encoder, with up
 * to two values.
 *
 *      rastrum_event(&events, RASTRUM_COMPACT_ID(RASTRUM_SEMAPHORE_TAKE, 2), semaphore, count);
 *
 *      while ((n = rastrum_plain_take(&sender, &events, wire, 0)) != 0)
 *              uart_send(wire, n);
 */
#ifndef EMBED_COMPACT_PLAIN_H
#define EMBED_COMPACT_PLAIN_H

#include "embed/compact/compact.h"
#include "embed/core/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The progress of sending. All zero at first. */
struct rastrum_plain {
	uint32_t n_sent, n_lost, stamp;
	uint32_t has_next; /* a cell that was taken, and did not go into the last block */
	uint32_t next[RASTRUM_EVENT_WORDS];
	struct rastrum_cells_told told; /* of it */
};

/*
 * Takes the oldest events as one block into `wire`, which has room for RASTRUM_COMPACT_WIRE bytes. Returns
 * the block's size in bytes, or 0 if there is nothing to send. The next block reports the losses; with
 * wants_all, if no more events come, a block without events reports them. One reader at a time.
 */
uint32_t rastrum_plain_take(
	struct rastrum_plain *plain, struct rastrum_events *events, uint8_t *wire, int wants_all);

#ifdef __cplusplus
}
#endif

#endif
