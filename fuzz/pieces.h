/* SPDX-License-Identifier: MIT */
/* A dialect's reader by itself, without what stands around it in trace.c, over bytes that come as a whole or in pieces. */
#ifndef FUZZ_PIECES_H
#define FUZZ_PIECES_H

#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"

struct reading {
	const struct dialect *dialect;
	void *state;
	struct model model;
	struct batch *batch;
};

/* What rows point to must be there: each byte is looked at. */
static inline uint64_t pieces_touch(const struct batch *batch)
{
	uint64_t sum = 0;

	for (size_t row = 0; row < batch->n_events; row++) {
		if (!batch->type[row] || !batch->context[row])
			abort();
		for (uint32_t i = 0; i < batch->payload_bytes[row]; i++)
			sum += batch->payload[row][i];
	}
	return sum;
}

/* Reads a piece to its end, as trace.c does. false: nothing more can be read. */
static inline bool pieces_read_one(struct reading *reading, struct piece *piece)
{
	static volatile uint64_t sum;
	struct rst_error err;
	enum rst_status status;

	do {
		batch_clear(reading->batch);
		status = reading->dialect->read(reading->state, &reading->model, piece, reading->batch, &err);
		sum += pieces_touch(reading->batch);
	} while (status == RST_OK);
	return status == RST_MORE;
}

/* In memory of its own, just as long and gone afterwards, so that a look behind it or back to it shows. */
static inline bool pieces_read_copy(struct reading *reading, const struct piece *piece)
{
	struct piece own = *piece;
	uint8_t *copy = malloc(piece->n_bytes);
	bool is_good = copy != NULL;

	if (is_good) {
		own.bytes = memcpy(copy, piece->bytes, piece->n_bytes);
		is_good = pieces_read_one(reading, &own);
	}
	free(copy);
	return is_good;
}

/* Reads everything; n_piece is how long a piece is, 0: one piece that is all of the input. */
static inline void pieces_read(const struct dialect *dialect, const struct rst_open *how,
	const uint8_t *bytes, size_t n_bytes, size_t n_piece)
{
	const size_t n_each = n_piece ? n_piece : n_bytes;
	static struct batch batch;
	struct reading reading = {
		.dialect = dialect, .state = calloc(1, dialect->state_bytes), .batch = &batch
	};
	struct rst_error err;
	bool is_good = model_init(&reading.model) && reading.state &&
		       batch_init(&batch, dialect->scratch_bytes) &&
		       dialect->open(reading.state, &reading.model, how, &err) == RST_OK;

	for (size_t at = 0; is_good && at < n_bytes; at += n_each) {
		struct piece piece = { .bytes = bytes + at,
			.n_bytes = n_bytes - at < n_each ? n_bytes - at : n_each,
			.offset = at,
			.source = "fuzz",
			.is_whole = n_piece == 0 };

		is_good = n_piece ? pieces_read_copy(&reading, &piece) : pieces_read_one(&reading, &piece);
	}
	if (is_good)
		pieces_read_one(&reading, &(struct piece){ .source = "fuzz", .is_end = true });
	if (reading.state)
		dialect->close(reading.state);
	free(reading.state);
	batch_done(&batch);
	model_done(&reading.model);
}

#endif
