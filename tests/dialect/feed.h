/* SPDX-License-Identifier: MIT */
/*
 * Gives a dialect's reader its bytes, as src/dialect/trace.c does: as a whole file, or by chunks that are
 * just as long as they claim to be and are gone afterwards, so that a look behind one or back to it shows.
 */
#ifndef TESTS_DIALECT_FEED_H
#define TESTS_DIALECT_FEED_H

#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "trace/carrier.h"

struct feed {
	/* Calls the dialect until it does not go on with this chunk; false: it is at its end. */
	bool (*read)(void *context, struct chunk *chunk);
	void *context;
	struct chunk_carrier carrier; /* zeroed at first, and freed by chunk_carrier_done() */
};

/* A long tail is read where it lies: a copy for each few bytes behind it would take a sanitizer's memory. */
static inline bool feed_copy(struct feed *feed)
{
	enum { COPY_MAX = 8192 };
	struct chunk *chunk = &feed->carrier.chunk, own = *chunk;
	uint8_t *copy;
	bool goes_on;

	if (chunk->n_bytes > COPY_MAX)
		return feed->read(feed->context, chunk);
	copy = malloc(chunk->n_bytes + !chunk->n_bytes);
	goes_on = copy != NULL;
	if (copy) {
		if (chunk->n_bytes)
			memcpy(copy, chunk->bytes, chunk->n_bytes);
		own.bytes = copy;
		goes_on = feed->read(feed->context, &own);
		chunk->n_used = own.n_used;
	}
	free(copy);
	return goes_on;
}

static inline bool feed_news(struct feed *feed, enum chunk_behind behind)
{
	chunk_carrier_set_behind(&feed->carrier, behind);
	return feed_copy(feed);
}

/* Bytes of the input "test". */
static inline bool feed_bytes(struct feed *feed, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	const struct chunk_run run = {
		.bytes = bytes, .n_bytes = n_bytes, .offset = offset, .source = "test"
	};
	bool goes_on = chunk_carrier_add(&feed->carrier, &run, NULL) == RST_OK;

	while (goes_on) {
		goes_on = feed_copy(feed);
		if (chunk_carrier_go_on(&feed->carrier, NULL) != RST_OK)
			break;
	}
	return goes_on && chunk_carrier_keep(&feed->carrier, NULL) == RST_OK;
}

/* All of it, n_chunk bytes at a time, and the end. */
static inline bool feed_stream(struct feed *feed, const uint8_t *bytes, size_t n_bytes, size_t n_chunk)
{
	bool goes_on = true;

	for (size_t at = 0; at < n_bytes && goes_on; at += n_chunk)
		goes_on = feed_bytes(feed, bytes + at, n_bytes - at < n_chunk ? n_bytes - at : n_chunk, at);
	return goes_on && feed_news(feed, CHUNK_INPUT_ENDS) && feed_news(feed, CHUNK_ENDS);
}

/* The same as a file that is there as a whole. */
static inline bool feed_file(struct feed *feed, const struct dialect *dialect, void *state,
	struct model *model, const uint8_t *bytes, size_t n_bytes)
{
	const struct chunk_run run = {
		.bytes = bytes, .n_bytes = n_bytes, .source = "test", .stays = true, .is_last = true
	};
	const struct chunk whole = { .bytes = bytes,
		.n_bytes = n_bytes,
		.source = "test",
		.run_source = "test",
		.behind = CHUNK_INPUT_ENDS };

	if (dialect->look && dialect->look(state, model, &whole, NULL) < 0)
		return false;
	return chunk_carrier_add(&feed->carrier, &run, NULL) == RST_OK &&
	       feed->read(feed->context, &feed->carrier.chunk) && feed_news(feed, CHUNK_ENDS);
}

#endif
