/* SPDX-License-Identifier: MIT */
/*
 * Reads only some rows of a store: with the directory, segments without any of these rows are passed over
 * unread, and so are batches within the other segments. The rows that are passed over are counted, so that
 * the counts are those of a reader of all rows.
 */
#ifndef STORE_PASS_H
#define STORE_PASS_H

#include "dialect/dialect.h"
#include "dialect/store/directory.h"

/* Rows from `from` on, up to the row before `to`. */
struct store_range {
	uint64_t from, to;
};

/*
 * The rows to read. A batch with any row of a range is given whole. All pointers are borrowed until
 * rst_trace_free().
 */
struct store_plan {
	const struct directory *directory;
	const struct store_range *ranges; /* in order, apart from each other */
	size_t n_ranges;
	struct segment_source source; /* in an index: the file that payloads are in */
};

struct store;

/* Must be called before the first read(). */
void store_read_only(struct store *store, const struct store_plan *plan);

/* The contract's take_passed(). */
const struct passed *store_take_passed(void *state);

/* --- for the reader ------------------------------------------------------------------------------------- */

struct store_passing {
	struct store_plan plan; /* if directory is NULL, everything is read */
	size_t next_range;	/* the first one that ends behind the present row */
	size_t next_block;
	struct passed passed;
	struct passed_counts contexts; /* by their numbers in the store */
	bool is_taken;		       /* the counts in passed were taken */
};

void store_passing_done(struct store_passing *passing);

/* Whether some of these rows are wanted. Must be called for ascending rows. */
bool store_passing_wants(struct store_passing *passing, uint64_t row, uint64_t n_rows);

/*
 * Whether the block that begins at byte `at` is a segment that is not wanted. If so, sets *ret_zone to its
 * contents and *ret_n_bytes to the block's length.
 */
bool store_passing_skips(struct store_passing *passing, uint64_t at,
	const struct directory_segment **ret_zone, uint64_t *ret_n_bytes);

/* Count a segment, or some rows of a segment that was read. Return false if memory ran out. */
bool store_pass_zone(
	struct store_passing *passing, struct model *model, const struct directory_segment *zone);
bool store_pass_rows(struct store_passing *passing, struct model *model, const struct segment *segment,
	size_t n, size_t n_rows);

#endif
