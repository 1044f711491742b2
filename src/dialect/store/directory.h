/* SPDX-License-Identifier: MIT */
/*
 * The directory of a store: where each block is, and what each segment has, so that a reader opens the store at any row, and
 * passes over segments that have nothing it wants. A writer adds to it while it writes the blocks.
 *
 * Beside the zone maps there are the rows at which something is met that was not met before: a layout, a shorter payload of it, a
 * core, a context as it is shown (over what, how deep), a loss or damage. A report that passes over rows, but not over these, ends like one of all rows.
 */
#ifndef STORE_DIRECTORY_H
#define STORE_DIRECTORY_H

#include "base/map.h"
#include "dialect/store/segment.h"
#include "model/passed.h"

/* Rows of the first so many losses and damages are kept, which is as many as a model keeps. */
enum { DIRECTORY_GAPS_MAX = MODEL_GAPS_MAX, DIRECTORY_EXTENTS_MAX = 8 };

/* How many rows of a segment have this layout, context or core. */
struct directory_count {
	uint64_t index, n_rows;
};

/* Bytes of the source that payloads of a segment are in, with what is between them. */
struct directory_extent {
	uint64_t offset, n_bytes;
};

struct directory_segment {
	uint64_t row, n_rows;
	uint64_t least_ticks, greatest_ticks, last_ticks, last_seq;
	size_t counts[N_PASSED_TALLIES +
		      1];  /* of each tally, from this one in all counts on, up to the next */
	size_t extents[2]; /* likewise */
};

struct directory_block {
	uint64_t at, n_bytes; /* in the file; of the payload */
	uint32_t crc;	      /* of the payload */
	bool is_segment;      /* or definitions */
	size_t segment;	      /* its number, or that of the next one */
};

#define DIRECTORY_LIST(type, name) \
	type *name;                \
	size_t n_##name, name##_room

struct directory {
	DIRECTORY_LIST(struct directory_block, blocks);
	DIRECTORY_LIST(struct directory_segment, segments);
	DIRECTORY_LIST(struct directory_count, counts);
	DIRECTORY_LIST(struct directory_extent, extents);
	DIRECTORY_LIST(uint64_t, firsts); /* rows */
	DIRECTORY_LIST(uint64_t, gaps);	  /* rows of the first DIRECTORY_GAPS_MAX losses and damages */
	uint64_t has_first_ticks, first_ticks, clock_hz; /* as they were when there was a first event */
	uint64_t has_late_names;			 /* some context got another name after it had one */

	/* Writing. */
	struct passed_counts tallies[N_PASSED_TALLIES]; /* of the present segment */
	DIRECTORY_LIST(
		uint64_t, payloads); /* by index of a layout: the shortest of its payloads + 1; 0: none yet */
	DIRECTORY_LIST(uint8_t, known_cores);
	DIRECTORY_LIST(uint64_t, shown); /* by index of a context: as it was shown last */
	struct map known;		 /* contexts as they are shown */
};

void directory_done(struct directory *directory);

/* Writing: what is known when rows are added; it is kept from the first event on. */
void directory_start(struct directory *directory, const struct model *model);

/* Writing: before the segment is written, which changes its columns. Returns false if memory ran out. */
bool directory_add_segment(struct directory *directory, const struct segment *segment, uint64_t row);

/*
 * Writing: a block of definitions or a segment, which was added before it, is written. Returns false if
 * memory ran out.
 */
bool directory_add_block(struct directory *directory, bool is_segment, uint64_t n_bytes, uint32_t crc);

/* Where the block behind the last one of these is. */
uint64_t directory_end(const struct directory *directory);

bool directory_write(struct directory *directory, struct bytes *to);

/* Returns false if it is not what it must be, or memory ran out; directory_done() is due in any case. */
bool directory_read(struct directory *ret, const uint8_t *bytes, size_t n_bytes);

#endif
