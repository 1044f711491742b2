/* SPDX-License-Identifier: MIT */
/* Functions that the parts of the writer share. */
#ifndef LOG_WRITE_PARTS_H
#define LOG_WRITE_PARTS_H

#include "log/block.h"
#include "log/write.h"

/*
 * write_file.c: system calls, which return error numbers and preserve errno; the first error goes to
 * writer->error.
 */

/* Sets seekable and start, and cuts the file at start. */
int log_file_begin(struct log_writer *writer, bool from_here);
/* Writes at an offset. If the file cannot seek, writes at the descriptor's position, and end moves along. */
int log_file_put(struct log_writer *writer, const void *bytes, size_t n, uint64_t offset);
/* Cuts a file that can be cut. */
int log_file_cut(struct log_writer *writer, uint64_t offset);
/*
 * Gives a part of a file that can seek back to the disk; it then reads as zeros. Returns false, without an
 * error, if that is not possible here.
 */
bool log_file_punch(struct log_writer *writer, uint64_t offset, uint64_t n);
/*
 * In a file that is appended to: cuts off the bytes behind the offset, if all of them are ours, and goes on
 * there.
 */
bool log_file_take_back(struct log_writer *writer, uint64_t offset);
/* Fills a part of a file that can seek with zeros. */
int log_file_clear(struct log_writer *writer, uint64_t offset, uint64_t n);
void log_file_stand(struct log_writer *writer, uint64_t offset);

/* write_events.c */

/* Writes the events that are taken but not yet written. */
int log_events_write(struct log_writer *writer);
/* Closes the current block: no event will be added to it. All its events must have been written. */
void log_events_close(struct log_writer *writer);
/* Drops events that were not written. */
void log_events_drop(struct log_writer *writer);
/* Writes a block into the area, behind all events so far. If no cell has room for it, it is left out. */
int log_area_put(struct log_writer *writer, enum log_kind kind, const void *body, uint32_t length);

/* write.c */

/* Fills in the head in front of a body, and the zeros behind it. */
void log_block_seal(const struct log_writer *writer, unsigned char *block, enum log_kind kind,
	uint32_t length, uint64_t sequence);
/*
 * Compresses a sealed block of events to a shorter one with a zstd frame (zstd.h), if the log may have frames
 * and the block becomes shorter.
 */
const unsigned char *log_block_zip(const struct log_writer *writer, const unsigned char *block);
/* Writes a sealed block behind all others. */
int log_block_put(struct log_writer *writer, const unsigned char *block);
/* Writes a block of two parts behind all others. The parts together must fit into the scratch. */
int log_parts_put(struct log_writer *writer, enum log_kind kind, const void *body, size_t length,
	const void *more, size_t n_more);

/*
 * write_spans.c: the table of blocks and their places, for the end of a log that has no area and whose events
 * are packed.
 */

/* The room that the table needs in the caller's buffer, a multiple of 8. */
size_t log_spans_bytes(void);
void log_spans_begin(struct log_span_table *table, unsigned char *room);
/* Adds a sealed block that was written at the offset. */
void log_spans_add(struct log_span_table *table, const unsigned char *block, uint64_t offset);
/* Removes all blocks from the first block of events on, which was written at this offset. */
void log_spans_restart(struct log_span_table *table, uint64_t first_events);
/*
 * Makes the body of the end behind the room of a block's head. Returns its length, or 0 if the log is too
 * short for spans, or has no table.
 */
uint32_t log_spans_end(struct log_span_table *table, const struct log_end *end);

/* write_shrink.c: the file of a LOOP log whose area was never full. */

/*
 * Keeps a copy of a block that was written behind the area, if the log has an area, because the file may not
 * be readable.
 */
void log_area_keep(struct log_writer *writer, const unsigned char *block, size_t n);

enum { BEHIND_BYTES_MAX = 1 << 20 }; /* of the copy; if the blocks are longer, they are not moved */
struct log_area {
	uint64_t bytes, cell_bytes;
};

struct log_moved {
	struct log_area area; /* after the move */
	uint64_t end;	      /* this and the members below: the writer's values before */
	size_t n_behind;
	struct log_mark mark, last_mark;
};
/*
 * Moves all blocks behind the area down into it; the next block follows them. Returns false if nothing was
 * moved.
 */
bool log_area_move(struct log_writer *writer, struct log_moved *ret_moved);
/*
 * Called after log_area_move(): log_area_move_back() undoes it if the next block could not be written; else
 * log_area_shrink() makes the area end there.
 */
void log_area_move_back(struct log_writer *writer, const struct log_moved *moved);
int log_area_shrink(struct log_writer *writer, const struct log_moved *moved);

/* write_end.c */

/* Called in front of a block of events: marks that blocks from here on may have to give way. */
void log_mark_cell(struct log_writer *writer);

#endif
