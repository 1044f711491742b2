/* SPDX-License-Identifier: MIT */
/*
 * Events come in batches: columns of equal length, so that a consumer is a tight loop over the columns it needs.
 * Row i of every column belongs to event i. All of it is borrowed until the next batch of the same trace.
 */
#ifndef RASTRUM_EVENT_H
#define RASTRUM_EVENT_H

#include <rastrum/object.h>

enum { RST_BATCH_EVENTS = 1024 }; /* most events of one batch */

#define RST_NO_CORE	UINT16_MAX
#define RST_NO_PRIORITY ((int16_t)-1)

struct rst_batch {
	size_t n_events;
	const uint64_t *ticks;			  /* time: unwrapped ticks of the trace's clock */
	const uint64_t *stamp;			  /* the raw time stamp as recorded */
	const uint64_t *place;			  /* place in the recorded sequence: what objects hold by */
	const struct rst_type *const *type;	  /* see type->marker first: it may be loss or damage */
	const struct rst_context *const *context; /* who caused it */
	const struct rst_context *const *over;	  /* the context that an interrupt interrupted, or NULL */
	const uint8_t *const *payload;		  /* as recorded; may be NULL when payload_bytes is 0 */
	const uint32_t *payload_bytes;
	const uint16_t *core;	  /* or RST_NO_CORE */
	const uint8_t *depth;	  /* nesting of interrupts: 0 in no interrupt, 1 in one, … */
	const int16_t *priority;  /* at the time of the event, or RST_NO_PRIORITY */
	const int16_t *threshold; /* preemption threshold, or RST_NO_PRIORITY */
};

/* The payload of a loss or damage marker. */
struct rst_gap {
	uint64_t n_events; /* events lost here; 0: how many is not known */
	uint64_t offset;   /* first damaged byte of the input */
	uint64_t n_bytes;  /* damaged bytes; 0 for pure loss */
	const char *what;  /* one clause: the reason */
};

#endif
