/* SPDX-License-Identifier: MIT */
/*
 * A dialect's reader by itself, without what stands around it in trace.c, over bytes that come as a whole or
 * in chunks, and into batches that are nearly full already: what adds a row or a marker must have asked for
 * room, each time.
 */
#ifndef FUZZ_CHUNKS_H
#define FUZZ_CHUNKS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "fuzz/grow.h"
#include "tests/dialect/feed.h"
#include "trace/carrier.h"

/* Rows in the batch before the dialect's own, such as markers of trace.c. */
struct front {
	size_t n_events, n_gaps; /* n_gaps of the n_events are markers */
};

/* How the input comes. */
struct coming {
	size_t n_chunk; /* bytes of a chunk; 0: one chunk that is all of the input */
	struct front front;
};

struct reading {
	const struct dialect *dialect;
	void *state;
	struct model model;
	struct batch *batch;
	struct front front;
	const char *fault; /* a promise of dialect.h that was broken, or NULL */
};

/* Nearly full batches, by a fuzzer's or test's number; 0 is an empty one. */
enum { CHUNKS_FRONTS = 6 };
static inline struct front chunks_front(unsigned n)
{
	static const struct front fronts[CHUNKS_FRONTS] = { { 0, 0 }, { BATCH_GAPS - 1, BATCH_GAPS - 1 },
		{ RST_BATCH_EVENTS - 1, 0 }, { BATCH_GAPS - 2, BATCH_GAPS - 2 }, { RST_BATCH_EVENTS - 2, 0 },
		{ RST_BATCH_EVENTS - 1, BATCH_GAPS - 2 } };

	return fronts[n % CHUNKS_FRONTS];
}

/* Reads each byte that rows from the first one on point to: all must be readable. */
static inline uint64_t chunks_touch(const struct batch *batch, size_t first)
{
	uint64_t sum = 0;

	for (size_t row = first; row < batch->n_events; row++) {
		if (!batch->layout[row] || batch->type[row] != batch->layout[row]->type ||
			!batch->context[row])
			abort();
		for (uint32_t i = 0; i < batch->payload_bytes[row]; i++)
			sum += batch->payload[row][i];
	}
	return sum;
}

static inline void chunks_fill(struct reading *reading)
{
	static const struct rst_gap gap = { .marker = RST_LOSS, .what = "in front" };
	struct batch *batch = reading->batch;

	for (size_t row = 0; row < reading->front.n_events; row++) {
		if (!model_put_gap(&reading->model, batch, &gap))
			abort();
		if (row >= reading->front.n_gaps) /* as good as an event, which needs no room for a marker */
			batch->n_gaps--;
	}
}

static inline void chunks_check(
	struct reading *reading, enum rst_status status, const struct front *front, bool is_retry)
{
	const struct batch *batch = reading->batch;

	if (batch->n_events > RST_BATCH_EVENTS || batch->n_gaps > BATCH_GAPS)
		reading->fault = "more rows than a batch holds";
	else if (batch->n_events < front->n_events)
		reading->fault = "rows of a batch are gone";
	else if (status == RST_OK && batch->n_events == front->n_events && (is_retry || !front->n_events))
		reading->fault = "it does not go on";
}

/* Reads a chunk as far as it goes, as trace.c does. false: nothing more can be read. */
static inline bool chunks_read_one(void *context, struct chunk *chunk)
{
	struct reading *reading = context;
	static const struct front nothing;
	static volatile uint64_t sum;
	struct rst_error err;
	enum rst_status status;
	bool is_retry = false;

	do {
		const struct front *front = is_retry ? &nothing : &reading->front;

		batch_clear(reading->batch);
		if (!is_retry)
			chunks_fill(reading);
		status = reading->dialect->read(reading->state, &reading->model, chunk, reading->batch, &err);
		chunks_check(reading, status, front, is_retry);
		if (reading->fault)
			return false;
		/* If the next rows do not fit, the dialect gives out the batch, and is called again. */
		is_retry = reading->batch->n_events == front->n_events;
		sum += chunks_touch(reading->batch, front->n_events); /* those in front were there before */
	} while (status == RST_OK);
	return status == RST_MORE;
}

/* Reads everything. Returns the promise that was broken, or NULL. budget: NULL for none. */
static inline const char *chunks_try(const struct dialect *dialect, const struct rst_open *how,
	const uint8_t *bytes, size_t n_bytes, const struct coming *coming, struct budget *budget)
{
	static struct batch batch;
	struct reading reading = { .dialect = dialect,
		.state = calloc(1, dialect->state_bytes),
		.batch = &batch,
		.front = coming->front };
	struct feed feed = { .read = chunks_read_one, .context = &reading };
	struct rst_error err;
	bool is_good = model_init(&reading.model) && reading.state &&
		       batch_init(&batch, dialect->columns, dialect->scratch_bytes) &&
		       dialect->open(reading.state, &reading.model, how, &err) == RST_OK;

	if (is_good && coming->n_chunk)
		feed_stream(&feed, bytes, n_bytes, coming->n_chunk);
	else if (is_good)
		feed_file(&feed, dialect, reading.state, &reading.model, bytes, n_bytes);
	if (budget)
		budget_look(budget);
	if (reading.state && dialect->close)
		dialect->close(reading.state);
	free(reading.state);
	chunk_carrier_done(&feed.carrier);
	batch_done(&batch);
	model_done(&reading.model);
	return reading.fault;
}

/* The same for fuzzers: a broken promise is a find. How full batches are is what the last byte says. */
static inline void chunks_read(const struct dialect *dialect, const struct rst_open *how,
	const uint8_t *bytes, size_t n_bytes, size_t n_chunk)
{
	const struct coming coming = { n_chunk, chunks_front(n_bytes ? bytes[n_bytes - 1] : 0) };
	for (unsigned n = 0; n < 3; n++) {
		struct budget budget = budget_begin(n_bytes);
		const char *fault = chunks_try(dialect, how, bytes, n_bytes, &coming, &budget);

		if (n_chunk) /* what comes by chunks is not kept, however long it is */
			budget.n_kept_bytes = 0;
		if (fault) {
			fprintf(stderr, "%s: %s\n", dialect->name, fault);
			abort();
		}
		if (budget_check(&budget, n_bytes))
			return;
	}
	abort();
}

#endif
