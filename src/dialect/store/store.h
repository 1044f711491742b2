/* SPDX-License-Identifier: MIT */
/* The store as a dialect: it gives the same trace as its source, whatever the source's dialect. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "dialect/dialect.h"
#include "dialect/store/blocks.h"
#include "dialect/store/carried.h"
#include "dialect/store/definitions.h"
#include "dialect/store/pass.h"
#include "dialect/store/segment.h"

extern const struct dialect dialect_store;

/* Definitions of a block that are not yet due. Each has a row, a length, and the items. */
struct store_due {
	struct cursor from;
	bool has_next;
	uint64_t row;
	const uint8_t *items;
	size_t n_items_bytes;
};

struct store {
	struct definitions definitions;
	struct segment segment;
	bool has_begun;	  /* the head has been seen */
	bool has_all;	  /* definitions were taken from END, because others are damaged */
	bool is_ended;	  /* END has been read */
	bool is_cut_told; /* it was reported that END is missing */
	size_t at;	  /* of the next block in the chunk */
	size_t n_given;	  /* rows of the segment that were given out */
	uint64_t n_left;  /* rows of the present batch that are not given yet */
	size_t n_payload; /* bytes of their payloads */
	size_t n_gaps;
	uint64_t row; /* number of the next row */
	struct store_due due;
	struct store_passing passing;
	struct carried_reader carried; /* used if the model is a part */
	struct rst_error failure;      /* how reading the source ended */
};

/* --- store.c -------------------------------------------------------------------------------------------- */

enum rst_status store_put_damage(struct model *model, struct batch *batch, const struct chunk *chunk,
	size_t at, size_t n_bytes, const char *what, struct rst_error *err);

/* Gives the model the definitions that are due before the next row. */
enum rst_status store_take_due(struct store *store, const struct chunk *chunk, struct rst_error *err);

/* --- rows.c --------------------------------------------------------------------------------------------- */

/*
 * Returns RST_OK if the batch is full, or if a batch of the source ends, because definitions may be due
 * behind it. Returns RST_END at the end of the segment.
 */
enum rst_status store_put_rows(struct store *store, struct model *model, const struct chunk *chunk,
	struct batch *batch, struct rst_error *err);

/* --- end.c ---------------------------------------------------------------------------------------------- */

/* The contents of END, about the store as a whole. */
struct store_end {
	struct rst_error failure; /* status RST_OK if the source was read to its end */
	uint64_t n_rows;
	uint64_t n_gaps, n_damages; /* counted by the source, but without rows */
	const uint8_t *definitions; /* all of them, once more */
	size_t n_definitions;
	uint64_t directory_at; /* offset of the block DIRECTORY; 0 without it */
};

/* Returns false if the block is not valid. */
bool store_end_read(const struct store_block *block, struct store_end *ret);

/* Writes it. Returns false if memory ran out. */
bool store_end_write(const struct store_end *end, struct bytes *to);

/* Finds the block END of a store that is available as a whole. Returns false if END is missing or damaged. */
bool store_end_find(const uint8_t *bytes, size_t n_bytes, struct store_block *ret);

#endif
