/* SPDX-License-Identifier: MIT */
/* What the parts of the writer use of one another. */
#ifndef LOG_WRITE_PARTS_H
#define LOG_WRITE_PARTS_H

#include "log/block.h"
#include "log/write.h"

/* write_file.c: system calls, which give error numbers and keep errno; the first error goes to writer->error. */

/* Sets seekable and start, and cuts the file there. */
int log_file_begin(struct log_writer *writer, bool from_here);
/* At an offset; without seeking wherever the descriptor is, and end goes along. */
int log_file_put(struct log_writer *writer, const void *bytes, size_t n, uint64_t offset);
/* Cuts a file that can be cut. */
int log_file_cut(struct log_writer *writer, uint64_t offset);
/* Gives a part of a file that can seek back to the disk; it reads as zeros. False, without error: not here. */
bool log_file_punch(struct log_writer *writer, uint64_t offset, uint64_t n);
/* Of a file that is appended to: cuts what it has behind the offset, if that is all ours, and goes on there. */
bool log_file_take_back(struct log_writer *writer, uint64_t offset);
/* Makes zeros of a part of a file that can seek. */
int log_file_clear(struct log_writer *writer, uint64_t offset, uint64_t n);
void log_file_stand(struct log_writer *writer, uint64_t offset);

/* write_events.c */

/* Writes what is taken and not written. */
int log_events_write(struct log_writer *writer);
/* No event will be added to the block that is there. All its events must have been written. */
void log_events_close(struct log_writer *writer);
/* Forgets events that were not written. */
void log_events_drop(struct log_writer *writer);
/* Writes a block into the area, behind all events so far. If no cell has room for it, it is left out. */
int log_area_put(struct log_writer *writer, enum log_kind kind, const void *body, uint32_t length);

/* write.c */

/* Fills in the head in front of a body, and the zeros behind it. */
void log_block_seal(const struct log_writer *writer, unsigned char *block, enum log_kind kind,
	uint32_t length, uint64_t sequence);
/* A sealed block of events, as a shorter one with a zstd frame (zstd.h) if the log may have those and this is one. */
const unsigned char *log_block_zip(const struct log_writer *writer, const unsigned char *block);
/* Writes a sealed block behind all others. */
int log_block_put(struct log_writer *writer, const unsigned char *block);
/* Writes a block of two parts, which together fit into the scratch, behind all others. */
int log_parts_put(struct log_writer *writer, enum log_kind kind, const void *body, size_t length,
	const void *more, size_t n_more);

/* write_spans.c: which blocks are where, for the end of a log that has no area and whose events are packed. */

/* Room that the table needs in the caller's buffer, a multiple of 8. */
size_t log_spans_bytes(void);
void log_spans_begin(struct log_span_table *table, unsigned char *room);
/* A sealed block was written at the offset. */
void log_spans_add(struct log_span_table *table, const unsigned char *block, uint64_t offset);
/* Back to what is in front of the first block of events, which was written at this offset. */
void log_spans_restart(struct log_span_table *table, uint64_t first_events);
/*
 * Makes the body of the end behind the room of a block's head: its length. Returns 0 if the log is too short
 * for that, or has no table.
 */
uint32_t log_spans_end(struct log_span_table *table, const struct log_end *end);

/* write_shrink.c: the file of a LOOP log whose area was never full. */

/* Keeps a copy of a block that was written behind the area, if there is one: the file need not be readable. */
void log_area_keep(struct log_writer *writer, const unsigned char *block, size_t n);

enum { BEHIND_BYTES_MAX = 1 << 20 }; /* of the copy; if there is more, nothing is moved */
struct log_area {
	uint64_t bytes, cell_bytes;
};

struct log_moved {
	struct log_area area; /* as it will be */
	uint64_t end;	      /* this and the others are what the writer had before */
	size_t n_behind;
	struct log_mark mark, last_mark;
};
/* Has all blocks behind the area, and the next one, down in it. Returns false if nothing was moved. */
bool log_area_move(struct log_writer *writer, struct log_moved *ret_moved);
/* Then: what the next one's error left is taken back; or the area ends there. */
void log_area_move_back(struct log_writer *writer, const struct log_moved *moved);
int log_area_shrink(struct log_writer *writer, const struct log_moved *moved);

/* write_end.c */

/* In front of a block of events: what is written from here on may have to give way. */
void log_mark_cell(struct log_writer *writer);

#endif
