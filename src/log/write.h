/* SPDX-License-Identifier: MIT */
/*
 * Writing a log: whole blocks by write(2) or pwrite(2), from a buffer of the caller's. Nothing is allocated, locked
 * or formatted with stdio, so that the handler of a fatal signal may write one; errno is kept. Functions return 0 or
 * an errno number; the first error of the file is kept and every later call returns it, but log_resume() goes on where
 * whole blocks end. Refusals that are no error of the file (EINVAL, EMSGSIZE) are not kept.
 *
 * The caller decides about SIGPIPE and SIGXFSZ. A descriptor that does not block is waited for with poll(2).
 */
#ifndef LOG_WRITE_H
#define LOG_WRITE_H

#include "log/crc32c.h"
#include "log/format.h"
#include "log/pack.h"
#include "log/zstd.h"
#include <stdbool.h>
#include <stddef.h>

/* A cell behind the area, in front of a block of events or, with an area, of descriptions; and what is before it. */
struct log_mark {
	uint64_t offset; /* 0 if there is none */
	uint64_t sequence, n_events, n_lost;
};

/* The spans of what is written (write_spans.c), in front of them room for the head of the end, and that. */
struct log_span_table {
	unsigned char *block; /* inside the caller's buffer; NULL if there are none */
	struct log_span *spans;
	uint32_t n;
	uint32_t n_first_blocks; /* in front of the first one of events or losses, */
	bool has_first;		 /* which is there */
	uint64_t n_events;
	uint64_t end;  /* of the last span */
	uint64_t unit; /* bytes that a span should not exceed */
};

struct log_writer {
	int fd;
	int error;
	bool seekable;		/* blocks go to cells we compute; else one behind the other */
	bool appends;		/* not seekable, but a file: what was written last can be taken back */
	bool until_full, loops; /* the policy */
	bool is_full; /* UNTIL_FULL: the limit was reached, events are refused (ENOSPC is not used for that) */
	uint64_t start;	   /* of the header in the file; all other offsets count from here */
	uint64_t end;	   /* where the next block behind the area goes */
	uint64_t sequence; /* of the next block */
	uint64_t limit;	   /* bytes of blocks of events that an UNTIL_FULL log may have */
	uint64_t area_bytes, cell_bytes;
	uint64_t n_cells_used;	/* cells ever begun */
	uint64_t n_cells_given; /* of these, up to which log_give_way() made holes */
	uint64_t event_bytes;	/* of the blocks of events that were written outside an area */
	uint64_t n_events, n_overwritten;
	uint64_t n_lost;     /* counted by log_loss() */
	uint64_t n_too_long; /* events for which a LOOP log has no room at all */
	uint64_t
		first_events; /* offset of the first block of events or losses outside an area; 0: none yet */
	struct log_mark mark, last_mark; /* what may give way for the end begins at one of them */
	/* log_give_way() was called: nothing is taken any more; with an area, no descriptions. */
	bool has_no_room;
	uint32_t n_may_wait; /* then: so many events may be in the next block */
	crc32c_function *crc;
	struct log_zstd *zstd; /* for blocks outside an area; NULL if they stay as they are */

	/* The block of events being filled; with an area the buffer is the image of one cell. */
	unsigned char *buffer;
	size_t room;	/* for blocks in the buffer */
	size_t block;	/* where the block begins */
	size_t used;	/* its end */
	size_t written; /* how far the file has it; 0: not at all */
	uint64_t block_sequence;
	struct log_events head;
	struct log_tables tables; /* of the block, if its events are packed */
	bool is_plain;		  /* they are not */
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
	/* log-max-size: bytes that all blocks of events may have at most; in a LOOP log those of losses, too. */
	uint64_t limit;
	uint32_t data_max; /* no event's data will be longer, system events included; 0: LOG_DATA_MAX */
	bool is_plain;	   /* events are not packed, as in logs of before */
	/* For blocks of events as zstd frames, until log_finish(); NULL: none. Neither in a LOOP log nor in a plain one. */
	struct log_zstd *zstd;
};

/*
 * What a buffer must have for log_begin(), aligned to 8: about 150 KiB, of which the log touches 70 while it is short; for a LOOP log
 * 1100 KiB, and 4 bytes more for each of its cells of 64 KiB; it touches 70 KiB and what its descriptions have. More is not used.
 */
size_t log_buffer_bytes(const struct log_start *start);

/*
 * Writes the header at the descriptor's beginning (a regular file is emptied first, unless from_here: then where it
 * stands, and what the file has behind is cut off). A LOOP log needs a descriptor that can seek: ESPIPE; that is a
 * regular file without O_APPEND. EINVAL: another policy, zstd where it cannot be, or the buffer is too small.
 */
int log_begin(struct log_writer *writer, int fd, const struct log_start *start, bool from_here, void *buffer,
	size_t size);

/* Descriptions hold for events that are given later. A path is cut to LOG_PATH_MAX bytes. */
int log_attributes(struct log_writer *writer, const struct log_attributes *attributes);
int log_type(struct log_writer *writer, const struct log_type *type, const struct log_field *fields);
int log_module(struct log_writer *writer, const struct log_module *module, const char *path);
int log_clock_pair(struct log_writer *writer, const struct log_clock_pair *pair);
/* priority: NULL if it is not known. */
int log_task(struct log_writer *writer, const struct log_task *task, const struct log_priority *priority);
int log_session(struct log_writer *writer, const struct log_session *session);
int log_loss(struct log_writer *writer, const struct log_loss *loss);
#define LOG_PATH_MAX 4096

/*
 * Events in order of time. They wait in the buffer until it is full, log_flush(), log_loss() or log_finish(). 0 also
 * for an event that a full log refuses: see is_full. EMSGSIZE: no block can hold it; within data_max only a LOOP log whose
 * limit is shorter than the event says so.
 * An event is taken when 0 comes; after an error it is not.
 */
int log_event(struct log_writer *writer, const struct log_event *event, const void *data);
/*
 * The same for the events of a run, which is left with those that were not taken: after an error, when the log is full, and from the
 * first one on that is damaged, later than `until` or refused by may_take.
 */
int log_event_run(struct log_writer *writer, struct log_run *run);
/* As log_event(), beyond the limit of UNTIL_FULL: for the STOP that ends a full log. */
int log_event_beyond(struct log_writer *writer, const struct log_event *event, const void *data);
int log_flush(struct log_writer *writer);

/* After an error that may have passed (a full disk): tries again from the last whole block. Nothing that was taken is
 * lost; a block other than of events whose call failed has to be written anew. */
int log_resume(struct log_writer *writer);

/*
 * Back to a log that has no events yet (posix_trace_clear()). Descriptions that were written before the first event
 * stay, in a LOOP log all: say the others again. A descriptor that cannot seek keeps what it has got. An error of
 * before is forgotten.
 */
int log_restart(struct log_writer *writer);

/* Whether an error means that there is no room: on the disk, in a quota, within the greatest size of a file. */
bool log_lacks_room(int error);

/*
 * At the end of a log, when an error means that there is no room for it (log_lacks_room()): takes the error back and makes
 * room out of what the log has. Then try again, until there is no error, or this is false: nothing is left to be given.
 *
 * A LOOP log gives its oldest cell, to the disk, and counts its events as overwritten; it goes on. Where that
 * does not help, as when the file is too long, it gives its last descriptions and takes no more of them. Another log is full
 * from now on (is_full); it gives what it could not write, and if that is not enough its last blocks, from one of events
 * on. What is gone is returned, so that it can be counted as lost. Only files give anything; one that is appended to as long
 * as no other process has appended to it since.
 */
struct log_given {
	uint64_t n_events; /* that had been taken */
	uint64_t n_lost;   /* that log_loss() had counted */
};
bool log_give_way(struct log_writer *writer, struct log_given *ret_given);

/*
 * The last block; n_events and n_overwritten are filled in here. That of a long log has its spans, if there is room. A regular file is cut behind it and the descriptor
 * stands there. It stays open.
 */
int log_finish(struct log_writer *writer, const struct log_end *end);

#endif
