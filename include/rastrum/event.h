/* SPDX-License-Identifier: MIT */
/*
 * Events come in batches: columns of equal length, so that a consumer is a tight loop over the columns it
 * needs. Row i of every column belongs to event i. All of it is borrowed until the next batch of the same
 * trace.
 */
#ifndef RASTRUM_EVENT_H
#define RASTRUM_EVENT_H

#include <rastrum/object.h>

#ifndef RST_SMALL_LIMITS	  /* which fuzzers have */
enum { RST_BATCH_EVENTS = 1024 }; /* most events of one batch */
#else
enum { RST_BATCH_EVENTS = 16 };
#endif

#define RST_NO_CORE	UINT16_MAX
#define RST_NO_PRIORITY INT16_MIN

/* A column that a dialect never has is NULL; only the last five may be NULL. */
struct rst_batch {
	size_t n_events;
	const uint64_t *ticks;			  /* time: unwrapped ticks of the trace's clock */
	const uint64_t *stamp;			  /* the raw time stamp as recorded */
	const uint64_t *seq;			  /* sequence number: its position in the recording */
	const struct rst_type *const *type;	  /* check type->marker first: the row may not be an event */
	const struct rst_layout *const *layout;	  /* where its fields are; layout->type is the type */
	const struct rst_context *const *context; /* the context that caused it */
	const uint8_t *const *payload;		  /* as recorded; may be NULL when payload_bytes is 0 */
	const uint32_t *payload_bytes;
	const uint16_t *core;			      /* or RST_NO_CORE */
	const struct rst_context *const *interrupted; /* the context that an interrupt interrupted, or NULL */
	const uint8_t *depth;	  /* nesting of interrupts: 0 in no interrupt, 1 in one, … */
	const int16_t *priority;  /* at the time of the event, or RST_NO_PRIORITY */
	const int16_t *threshold; /* preemption threshold, or RST_NO_PRIORITY */
};

/* The value of a row in a column that may be absent. If it is absent, returns RST_NO_CORE, NULL, 0 or
 * RST_NO_PRIORITY. */
static inline uint16_t rst_batch_core(const struct rst_batch *batch, size_t row)
{
	return batch->core ? batch->core[row] : RST_NO_CORE;
}

static inline const struct rst_context *rst_batch_interrupted(const struct rst_batch *batch, size_t row)
{
	return batch->interrupted ? batch->interrupted[row] : NULL;
}

static inline uint8_t rst_batch_depth(const struct rst_batch *batch, size_t row)
{
	return batch->depth ? batch->depth[row] : 0;
}

static inline int16_t rst_batch_priority(const struct rst_batch *batch, size_t row)
{
	return batch->priority ? batch->priority[row] : RST_NO_PRIORITY;
}

static inline int16_t rst_batch_threshold(const struct rst_batch *batch, size_t row)
{
	return batch->threshold ? batch->threshold[row] : RST_NO_PRIORITY;
}

/*
 * The payload of a marker row: a loss (events that the recording does not have), damage (bytes that cannot be
 * read), or a new run (the recording begins again). The time between two runs is not known: the later run
 * directly follows the earlier one. Both texts live as long as the trace.
 */
struct rst_gap {
	enum rst_marker marker; /* RST_LOSS, RST_DAMAGE or RST_RUN */
	uint64_t n_events;  /* loss: lost events, 0 if their number is not known; run: its number, from 2 */
	uint64_t n_packets; /* loss: lost packets, whose events were not counted; 0 if it is not of packets */
	uint64_t offset;    /* damage: the first damaged byte of the input … */
	uint64_t n_bytes;   /* … and how many are damaged; 0 if it is not known */
	const char *what;   /* one clause: the reason */
	const char *source; /* name of the input */
};

/* The gap of a marker row, NULL for an event. Borrowed like the batch. */
static inline const struct rst_gap *rst_batch_gap(const struct rst_batch *batch, size_t row)
{
	if (batch->type[row]->marker == RST_EVENT)
		return NULL;
	return (const struct rst_gap *)(const void *)batch->payload[row];
}

#endif
