/* SPDX-License-Identifier: MIT */
/*
 * The directory of a store: the place of each block and the contents of each segment. With it, a reader can
 * open the store at any row and pass over segments without wanted rows. A writer adds to it while it writes
 * the blocks.
 *
 * Besides the zone maps, the directory has the rows where something occurs for the first time: a layout, a
 * shorter payload of a layout, a core, a context as it is shown (which one it interrupts, how deep), a loss
 * or damage. If a report passes over rows, but not over these, its end is like that of a report of all rows.
 */
#ifndef STORE_DIRECTORY_H
#define STORE_DIRECTORY_H

#include "base/map.h"
#include "dialect/store/segment.h"
#include "model/passed.h"

/* The number of losses and damages whose rows are kept, as many as a model keeps. */
enum { DIRECTORY_GAPS_MAX = MODEL_GAPS_MAX, DIRECTORY_EXTENTS_MAX = 8 };

/* The number of rows of a segment with this layout, context or core. */
struct directory_count {
	uint64_t index, n_rows;
};

/* A range of the source's bytes with payloads of a segment, and the bytes between them. */
struct directory_extent {
	uint64_t offset, n_bytes;
};

struct directory_segment {
	uint64_t row, n_rows;
	uint64_t least_ticks, greatest_ticks, last_ticks, last_seq;
	size_t counts[N_PASSED_TALLIES + 1]; /* each tally's index in counts, up to the next one's */
	size_t extents[2];		     /* likewise */
};

struct directory_block {
	uint64_t at, n_bytes; /* in the file; of the payload */
	uint32_t crc;	      /* of the payload */
	bool is_segment;      /* or definitions, or what is carried */
	size_t segment;	      /* its number, or that of the next segment */
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
	uint64_t has_first_ticks, first_ticks, clock_hz; /* as they were at the first event */
	uint64_t has_late_names;			 /* a context got another name after it had one */

	/* Writing. */
	struct passed_counts tallies[N_PASSED_TALLIES]; /* of the present segment */
	DIRECTORY_LIST(
		uint64_t, payloads); /* by index of a layout: its shortest payload + 1; 0 before the first */
	DIRECTORY_LIST(uint8_t, known_cores);
	DIRECTORY_LIST(uint64_t, shown); /* by index of a context: how it was shown last */
	struct map known;		 /* contexts in the ways they are shown */
};

void directory_done(struct directory *directory);

/* Writing: takes the present facts when rows are added. They are kept from the first event on. */
void directory_start(struct directory *directory, const struct model *model);

/*
 * Writing: adds a segment. Must be called before the segment is written, which changes its columns. Returns
 * false if memory ran out.
 */
bool directory_add_segment(struct directory *directory, const struct segment *segment, uint64_t row);

/*
 * Writing: adds a block that was written, with definitions or with the segment that was added before. Returns
 * false if memory ran out.
 */
bool directory_add_block(struct directory *directory, bool is_segment, uint64_t n_bytes, uint32_t crc);

/* The offset of the block behind the last one in the directory. */
uint64_t directory_end(const struct directory *directory);

bool directory_write(struct directory *directory, struct bytes *to);

/*
 * Returns false if the bytes are not valid, or memory ran out. In any case, the caller must call
 * directory_done().
 */
bool directory_read(struct directory *ret, const uint8_t *bytes, size_t n_bytes);

#endif
