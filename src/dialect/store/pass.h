/* SPDX-License-Identifier: MIT */
/*
 * Reading only some rows of a store: by its directory, segments without any of them are passed over unread, and so are batches
 * within the others. What a reader of all rows would know of those that are passed over is counted.
 */
#ifndef STORE_PASS_H
#define STORE_PASS_H

#include "dialect/dialect.h"
#include "dialect/store/directory.h"

/* Rows from one on, and before another. */
struct store_range {
	uint64_t from, to;
};

/* What is to be read. Batches that have any row of a range are given whole; all of it is borrowed until rst_trace_free(). */
struct store_plan {
	const struct directory *directory;
	const struct store_range *ranges; /* in order, apart from each other */
	size_t n_ranges;
	struct segment_source source; /* of an index: the file that payloads are in */
};

/* Before the first rst_trace_next() of a trace that is read as a store. */
void store_read_only(struct rst_trace *trace, const struct store_plan *plan);

/* As model/passed.h has it. */
const struct passed *store_take_passed(struct rst_trace *trace);

/* --- for the reader ---------------------------------------------------------------------------------------------------- */

struct store_passing {
	struct store_plan plan; /* directory NULL: everything is read */
	size_t next_range;	/* the first one that ends behind the present row */
	size_t next_block;
	struct passed passed;
	struct passed_counts contexts; /* by their numbers in the store */
	bool is_taken;		       /* what was passed over */
};

void store_passing_done(struct store_passing *passing);

/* Whether some of these rows are wanted; asked for ascending rows. */
bool store_passing_wants(struct store_passing *passing, uint64_t row, uint64_t n_rows);

/*
 * Whether the block that begins at byte `at` is a segment that is not wanted: then *ret_zone is what it has, and *ret_n_bytes how long
 * the block is.
 */
bool store_passing_skips(struct store_passing *passing, uint64_t at,
	const struct directory_segment **ret_zone, uint64_t *ret_n_bytes);

/* Counts a segment, or some rows of one that was read. Returns false if memory ran out. */
bool store_pass_zone(
	struct store_passing *passing, struct model *model, const struct directory_segment *zone);
bool store_pass_rows(struct store_passing *passing, struct model *model, const struct segment *segment,
	size_t n, size_t n_rows);

#endif
