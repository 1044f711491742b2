/* SPDX-License-Identifier: MIT */
/*
 * The rows of a segment, as columns of numbers (column.h), and their payloads.
 *
 * A stamp is kept as its difference from the ticks (for a clock that counts down, as their sum), which rarely
 * changes. Reports may depend on which rows came together, so batches keep their rows. Loss and damage are
 * rows of the two markers; their records follow the columns.
 */
#ifndef STORE_SEGMENT_H
#define STORE_SEGMENT_H

#include <rastrum/event.h>

#include "dialect/store/packed.h"
#include "model/model.h"

enum segment_column {
	SEGMENT_TICKS,
	SEGMENT_STAMP,
	SEGMENT_SEQ,
	SEGMENT_LAYOUT,	 /* its index */
	SEGMENT_CONTEXT, /* its index */
	SEGMENT_PAYLOAD, /* its length; 0 for a marker */
	SEGMENT_CORE,
	SEGMENT_INTERRUPTED, /* index of the context + 1; 0: no context */
	SEGMENT_DEPTH,
	SEGMENT_PRIORITY,
	SEGMENT_THRESHOLD,
	SEGMENT_OFFSET, /* only in an index: of the payload in the source + 1; 0 if it is kept here */
	N_SEGMENT_COLUMNS
};

/* The bytes of the file with the payloads of an index. */
struct segment_source {
	const uint8_t *bytes; /* NULL if payloads are kept */
	size_t n_bytes;
};

/* The number of gap texts that are compared, so that many gaps of one kind share their memory. */
enum { SEGMENT_TEXTS = 16 };

struct segment {
	size_t n_rows, n_gaps, n_room;
	uint64_t *columns[N_SEGMENT_COLUMNS]; /* of n_room each */
	struct bytes payloads;		      /* writing */
	struct segment_source source;
	const uint8_t *payload; /* reading: the payloads of all rows, one behind the other */
	struct packed packed;
	bool is_unpacked;	    /* reading: the version does not pack payloads */
	struct bytes batches;	    /* writing: how many rows each batch of the source had */
	struct cursor read_batches; /* reading */
	const char *gap_source;	    /* writing: replaces the gap's source; NULL if it stays */
	struct bytes gaps;	    /* writing: the records of gaps, one behind the other */
	struct rst_gap *read_gaps;
	size_t read_gaps_room;
	struct arena texts;		 /* reading: of the gaps, before they are kept */
	const char *kept[SEGMENT_TEXTS]; /* the last texts of gaps that the model has */
	unsigned n_kept;
};

/* Makes room for n_rows. If columns grow, they lose their content. Returns false if memory ran out. */
bool segment_reserve(struct segment *segment, size_t n_rows);

/* Whether the payload of a row is in the source. */
static inline bool segment_is_borrowed(const struct segment *segment, size_t row)
{
	return segment->source.bytes && segment->columns[SEGMENT_OFFSET][row];
}

void segment_done(struct segment *segment);

/* Adds a row of a batch. Returns false if memory ran out. */
bool segment_add(struct segment *segment, const struct rst_batch *batch, size_t row);

/*
 * Adds all rows of a batch, in a fraction of the time. Sets *ret_gaps and *ret_damages to the numbers of
 * losses and damages among them.
 */
bool segment_add_batch(
	struct segment *segment, const struct rst_batch *batch, uint64_t *ret_gaps, uint64_t *ret_damages);

/*
 * Makes the last n_rows one batch, as they were in the source. Returns false if memory ran out.
 */
bool segment_end_batch(struct segment *segment, size_t n_rows);

/*
 * Appends the segment as bytes, and empties it. is_down means that the clock counts down. Returns false if
 * memory ran out.
 */
bool segment_write(struct segment *segment, bool is_down, struct bytes *to);

/*
 * Reads a segment. Payloads stay in the bytes, or are valid until two more segments were read; the texts of
 * gaps are in the model's arena. The items that its numbers refer to are not checked here. May return
 * RST_E_DAMAGED or RST_E_NOMEM.
 */
enum rst_status segment_read(struct segment *segment, struct model *model, const uint8_t *bytes,
	size_t n_bytes, struct rst_error *err);

#endif
