/* SPDX-License-Identifier: MIT */
/*
 * The rows of a segment, as columns of numbers (column.h), and their payloads.
 *
 * Stamps are kept as what they differ by from the ticks (or, of clocks that count down, as their sum), which mostly stays the same.
 * What is shown may depend on which rows came together, so batches stay what they were.
 * Loss and damage are rows of the two markers, and stand behind the columns in full.
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
	SEGMENT_PAYLOAD, /* bytes of it; of a marker 0 */
	SEGMENT_CORE,
	SEGMENT_INTERRUPTED, /* index of the context + 1; 0: none */
	SEGMENT_DEPTH,
	SEGMENT_PRIORITY,
	SEGMENT_THRESHOLD,
	SEGMENT_OFFSET, /* of an index: of the payload in the source + 1; 0 if it is kept here. Else there is none */
	N_SEGMENT_COLUMNS
};

/* The bytes of the file that payloads of an index are in. */
struct segment_source {
	const uint8_t *bytes; /* NULL if payloads are kept */
	size_t n_bytes;
};

/* Texts of gaps that are compared, so that many gaps of one kind take no memory. */
enum { SEGMENT_TEXTS = 16 };

struct segment {
	size_t n_rows, n_gaps, n_room;
	uint64_t *columns[N_SEGMENT_COLUMNS]; /* of n_room each */
	struct bytes payloads;		      /* writing */
	struct segment_source source;
	const uint8_t *payload; /* reading: of all rows, one behind the other */
	struct packed packed;
	bool is_unpacked;	    /* reading: of a version that does not pack payloads */
	struct bytes batches;	    /* writing: how many rows each batch of the source had */
	struct cursor read_batches; /* reading */
	const char *gap_source;	    /* writing: the name of their input in place of its own; NULL: its own */
	struct bytes gaps;	    /* writing: the records of gaps, one behind the other */
	struct rst_gap *read_gaps;
	size_t read_gaps_room;
	struct arena texts;		 /* reading: of the gaps, before they are kept */
	const char *kept[SEGMENT_TEXTS]; /* texts of gaps that the model has, the last ones */
	unsigned n_kept;
};

/* Makes room for so many rows. Columns that grow lose their content. Returns false if memory ran out. */
bool segment_reserve(struct segment *segment, size_t n_rows);

/* Whether the payload of a row is in the source. */
static inline bool segment_is_borrowed(const struct segment *segment, size_t row)
{
	return segment->source.bytes && segment->columns[SEGMENT_OFFSET][row];
}

void segment_done(struct segment *segment);

/* Adds a row of a batch. Returns false if memory ran out. */
bool segment_add(struct segment *segment, const struct rst_batch *batch, size_t row);

/* Adds all rows of a batch, in a fraction of the time. *ret_gaps, *ret_damages: how many of them are losses and damages. */
bool segment_add_batch(
	struct segment *segment, const struct rst_batch *batch, uint64_t *ret_gaps, uint64_t *ret_damages);

/*
 * The rows that were added since are one batch of the source, and will be one again. Returns false if memory
 * ran out.
 */
bool segment_end_batch(struct segment *segment, size_t n_rows);

/*
 * Appends the segment as bytes, and empties it. is_down: the clock counts down. Returns false if memory ran
 * out.
 */
bool segment_write(struct segment *segment, bool is_down, struct bytes *to);

/*
 * Reads it. Payloads stay in the bytes, or until two more segments were read; the texts of gaps are in the model's arena. What its numbers refer to is not checked
 * here. RST_E_DAMAGED, RST_E_NOMEM.
 */
enum rst_status segment_read(struct segment *segment, struct model *model, const uint8_t *bytes,
	size_t n_bytes, struct rst_error *err);

#endif
