/* SPDX-License-Identifier: MIT */
/*
 * An open log: its metadata is kept, of its blocks of events only where they are. Other processes may
 * truncate or overwrite the file at any time; so it is never mapped, and a block is checked whenever it is
 * read.
 */
#ifndef POSIX_RECORDED_H
#define POSIX_RECORDED_H

#include "log/scan.h"
#include "log/zstd.h"
#include "record/posix/stream.h"

struct recorded_block {
	uint64_t offset;	/* in the file */
	uint64_t log_sequence;	/* of the block in the log */
	uint64_t n_before;	/* events before its first one, lost and overwritten ones included */
	uint64_t n_lost_before; /* in LOSS blocks since the last block of events */
	uint32_t bytes;		/* with its head */
	uint32_t n_events;
};

struct recorded {
	/* our own, of this file: the program may have closed it and use its number for another file */
	int fd;
	dev_t device;
	ino_t inode;
	struct log_scan scan;

	struct log_attributes attributes;
	struct log_end end;
	struct log_clock_pair pairs[2]; /* the first one and the last one */
	uint32_t n_pairs;		/* up to 2 */
	bool has_attributes, has_end;
	uint64_t n_lost; /* in LOSS blocks */
	struct clock_scale scale;
	char (*names)[TRACE_EVENT_NAME_MAX + 1]; /* by identifier, NAMES_END of them */
	bool *has_name;

	/* In the order written. A loss is an entry without events until all is known. */
	struct recorded_block *blocks;
	size_t n_blocks, blocks_room;
	uint32_t bytes_max; /* of the longest block */

	/* The cursor. */
	size_t next_block;
	unsigned char *buffer;
	struct log_zstd *zstd; /* for a compressed log; NULL if no block was compressed yet */
	struct log_events_cursor events;
	struct log_event event;
	const unsigned char *data;
	bool has_event;
	uint64_t sequence; /* of the event */
};

/*
 * Reads the whole log and checks it. Returns 0; EINVAL if the file is no log, or is incomplete and
 * allow_incomplete is false; EBADF, ENOMEM, or the error of reading.
 */
int recorded_open(int fd, bool allow_incomplete, struct recorded **ret_recorded);
void recorded_close(struct recorded *recorded);
/* Whether the descriptor is still that of the log. */
bool recorded_has_file(const struct recorded *recorded);

/* Begins with the events of a block. 0, EINVAL, or what log_unzip() returns. */
int recorded_events(struct recorded *recorded, const struct log_item *item, struct log_events_cursor *cursor,
	struct log_events *ret_head);

/* Reads n bytes from an offset, fewer only at the end. 0, or an errno number. */
int recorded_read(int fd, uint64_t offset, void *bytes, size_t n, size_t *ret_n);

#endif
