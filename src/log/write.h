/* SPDX-License-Identifier: MIT */
/*
 * Writes a log: whole blocks by write(2) or pwrite(2), from the caller's buffer. Nothing is allocated, locked
 * or formatted with stdio, so that the handler of a fatal signal may write a log; errno is preserved.
 * Functions return 0 or an errno number. The first error of the file is kept and every later call returns it,
 * but log_resume() goes on where whole blocks end. Refusals that are not errors of the file (EINVAL,
 * EMSGSIZE) are not kept.
 *
 * The caller decides about SIGPIPE and SIGXFSZ. If a descriptor is nonblocking, poll(2) waits for it.
 */
#ifndef LOG_WRITE_H
#define LOG_WRITE_H

#include "log/crc32c.h"
#include "log/format.h"
#include "log/pack.h"
#include "log/zstd.h"
#include <stdbool.h>
#include <stddef.h>

/*
 * A place behind the area, in front of a block of events or, with an area, of descriptions; and the counts up
 * to it.
 */
struct log_mark {
	uint64_t offset; /* 0 if the mark is not set */
	uint64_t sequence, n_events, n_lost;
};

/*
 * The spans of the blocks that are written (write_spans.c). In front of them is room for the END block's head
 * and struct log_end.
 */
struct log_span_table {
	unsigned char *block; /* inside the caller's buffer; NULL if the log has no spans */
	struct log_span *spans;
	uint32_t n;
	uint32_t n_first_blocks; /* in front of the first block of events or losses, */
	bool has_first;		 /* which was written */
	uint64_t n_events;
	uint64_t end;  /* of the last span */
	uint64_t unit; /* bytes that a span should not exceed */
};

struct log_writer {
	int fd;
	int error;
	bool seekable;		/* blocks go to offsets that we compute; else one behind the other */
	bool appends;		/* not seekable, but a file: the last bytes written can be cut off again */
	bool until_full, loops; /* the policy */
	/* UNTIL_FULL: the limit was reached, events are refused (ENOSPC is not used for that) */
	bool is_full;
	uint64_t start;	   /* of the header in the file; all other offsets count from here */
	uint64_t end;	   /* where the next block behind the area goes */
	uint64_t sequence; /* of the next block */
	uint64_t limit;	   /* bytes of blocks of events that an UNTIL_FULL log may have */
	uint64_t area_bytes, cell_bytes;
	uint64_t n_cells_used;	/* cells ever begun */
	uint64_t n_cells_given; /* the first of these, which log_give_way() gave back to the disk */
	uint64_t event_bytes;	/* of the blocks of events that were written outside an area */
	uint64_t n_events, n_overwritten;
	uint64_t n_lost;     /* counted by log_loss() */
	uint64_t n_too_long; /* events that do not fit into any cell of a LOOP log */
	/* offset of the first block of events or losses outside an area; 0 before it */
	uint64_t first_events;
	struct log_mark mark, last_mark; /* the blocks that may give way for the end begin at one of them */
	/*
	 * log_give_way() was called: no more events are taken; in a log with an area, no more descriptions.
	 */
	bool has_no_room;
	uint32_t n_may_wait; /* if has_no_room: the most events in the next block */
	crc32c_function *crc;
	struct log_zstd *zstd; /* for blocks outside an area; NULL if they stay as they are */

	/* The block of events being filled; with an area the buffer is the image of one cell. */
	unsigned char *buffer;
	size_t room;	/* for blocks in the buffer */
	size_t block;	/* where the block begins */
	size_t used;	/* its end */
	size_t written; /* up to here the file has it; 0 if the file has nothing of it */
	uint64_t block_sequence;
	struct log_events head;
	struct log_tables tables; /* of the block, if its events are packed */
	bool is_plain;		  /* they are not packed */
	bool in_cell;		  /* the buffer stands for a cell that was begun */
	uint32_t *cell_events;	  /* events in each cell, for n_overwritten; inside the caller's buffer */
	uint32_t *cell_count;	  /* of the cell that was begun last */
	unsigned char *scratch;	  /* all other blocks are put together here; inside the caller's buffer */
	unsigned char *head_copy; /* of a log with an area: its header, */
	unsigned char *behind;	  /* and the blocks behind the area (write_shrink.c) */
	size_t n_behind;
	struct log_span_table table;
};

struct log_start {
	uint32_t content, clock;
	uint64_t clock_hz;
	int64_t start_seconds;
	uint32_t start_nanoseconds;
	uint32_t pid;
	const char *host, *command;
	int policy; /* POSIX_TRACE_LOOP, _UNTIL_FULL, _APPEND of <trace.h> */
	/*
	 * log-max-size: bytes that all blocks of events may have at most; in a LOOP log those of losses, too.
	 */
	uint64_t limit;
	uint32_t data_max; /* the longest data of any event, also of system events; 0: LOG_DATA_MAX */
	bool is_plain;	   /* events are not packed, as in older logs */
	/*
	 * Compresses blocks of events to zstd frames, until log_finish(); NULL if they are not compressed.
	 * Must be NULL for a LOOP log and for a plain log.
	 */
	struct log_zstd *zstd;
};

/*
 * The size of a buffer for log_begin(), which must be aligned to 8: about 150 KiB, of which the log touches
 * 70 KiB while it is short. A LOOP log needs 1100 KiB, and 4 bytes more for each of its cells of 64 KiB; it
 * touches 70 KiB and the size of its descriptions. A longer buffer is not used in full.
 */
size_t log_buffer_bytes(const struct log_start *start);

/*
 * Empties a regular file and writes the header at its beginning. If from_here, the header goes to the
 * descriptor's position, and the rest of the file behind it is cut off. Returns ESPIPE if a LOOP log's
 * descriptor cannot seek: it must be a regular file without O_APPEND. Returns EINVAL for another policy, for
 * zstd where it is not possible, or if the buffer is too small.
 */
int log_begin(struct log_writer *writer, int fd, const struct log_start *start, bool from_here, void *buffer,
	size_t size);

/* Descriptions are valid for later events. A path is cut to LOG_PATH_MAX bytes. */
int log_attributes(struct log_writer *writer, const struct log_attributes *attributes);
int log_type(struct log_writer *writer, const struct log_type *type, const struct log_field *fields);
int log_module(struct log_writer *writer, const struct log_module *module, const char *path);
int log_clock_pair(struct log_writer *writer, const struct log_clock_pair *pair);
/* priority is NULL if it is not known. */
int log_task(struct log_writer *writer, const struct log_task *task, const struct log_priority *priority);
int log_session(struct log_writer *writer, const struct log_session *session);
int log_loss(struct log_writer *writer, const struct log_loss *loss);
#define LOG_PATH_MAX 4096

/*
 * Takes events in order of time. They wait in the buffer until it is full, or until log_flush(), log_loss()
 * or log_finish(). Returns 0 if the event is taken, and also if a full log refuses it (see is_full). Returns
 * EMSGSIZE if no block can hold the event; within data_max this occurs only if the limit of a LOOP log is
 * shorter than the event. After an error, the event is not taken.
 */
int log_event(struct log_writer *writer, const struct log_event *event, const void *data);
/*
 * The same for the events of a run. Events that are not taken stay in the run: after an error, when the log
 * is full, and from the first event on that is damaged, later than `until` or refused by may_take.
 */
int log_event_run(struct log_writer *writer, struct log_run *run);
/* The same as log_event(), but also beyond the limit of UNTIL_FULL: for the STOP that ends a full log. */
int log_event_beyond(struct log_writer *writer, const struct log_event *event, const void *data);
int log_flush(struct log_writer *writer);

/*
 * Tries again from the last whole block, after an error that may have passed (a full disk). Events that were
 * taken are not lost. If a call for another kind of block failed, the caller has to repeat it.
 */
int log_resume(struct log_writer *writer);

/*
 * Returns to a log without events (posix_trace_clear()). Descriptions that were written before the first
 * event stay (in a LOOP log, all of them); the caller must write the others again. A descriptor that cannot
 * seek keeps what it has received. An earlier error is cleared.
 */
int log_restart(struct log_writer *writer);

/*
 * Whether an error means that there is no room: on the disk, in a quota, or within the maximum size of a
 * file.
 */
bool log_lacks_room(int error);

/*
 * Called at the end of a log, if an error means that there is no room for it (log_lacks_room()). Clears the
 * error and makes room by giving up a part of the log. The caller then tries again, until there is no error,
 * or until this returns false because nothing is left to give.
 *
 * A LOOP log gives its oldest cell back to the disk and counts the cell's events as overwritten; it goes on.
 * If that does not help, for example if the file is too long, it gives its last descriptions and takes no
 * more of them. Another log is full from now on (is_full); it gives the events that it could not write, and
 * if that is not enough its last blocks, from a block of events on. Events and losses that are given up are
 * returned, so that the caller can count them as lost. Only files give anything; a file that is appended to
 * does so as long as no other process has appended to it since.
 */
struct log_given {
	uint64_t n_events; /* that had been taken */
	uint64_t n_lost;   /* that log_loss() had counted */
};
bool log_give_way(struct log_writer *writer, struct log_given *ret_given);

/*
 * Writes the last block; n_events and n_overwritten are filled in here. In a long log, it includes the spans
 * if there is room. A regular file is cut behind it, and the descriptor is positioned there. The descriptor
 * stays open.
 */
int log_finish(struct log_writer *writer, const struct log_end *end);

#endif
