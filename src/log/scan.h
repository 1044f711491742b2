/* SPDX-License-Identifier: MIT */
/*
 * Reads a log from bytes, without trust: finds every whole block, in the order of the file, and reports every
 * range that is not a block. It is incremental: it reads as much of a pipe or a growing file as has arrived.
 * Time is linear in the input, and the caller never has to keep more than one block, LOG_BLOCK_MAX bytes.
 */
#ifndef LOG_SCAN_H
#define LOG_SCAN_H

#include "log/crc32c.h"
#include "log/events.h"
#include <stdbool.h>
#include <stddef.h>

enum log_found {
	LOG_FOUND_BLOCK,
	LOG_FOUND_DAMAGE, /* bytes that are not a block: torn, overwritten, foreign */
	LOG_FOUND_MORE,	  /* more bytes are needed, or missing if the input has ended */
	LOG_FOUND_END,	  /* the end of the input */
};

struct log_item {
	struct log_block block;	   /* a copy of the head */
	const unsigned char *body; /* block.length bytes, borrowed from the input */
	uint64_t offset;	   /* in the file: of the block, or of the damage */
	uint64_t length;	   /* of the damage */
	const char *what;	   /* of the damage, a sentence's middle: "a block whose checksum is wrong" */
	bool in_area;		   /* a block of the ring area: sort these by block.sequence */
};

struct log_scan {
	struct log_header header; /* its texts always end with NUL */
	uint64_t offset;	  /* of the next byte to look at, from the start of the log */
	uint64_t cell_end; /* of the cell in the ring area; 0 before the first, UINT64_MAX behind the area */
	uint64_t next_sequence; /* the least for the next block of the cell; 0 before its first block */
	uint64_t damage_from;
	const char *damage_what; /* NULL if the bytes before offset are not damaged */
	uint64_t n_in_vain;	 /* bytes of blocks whose checksum was wrong */
	/*
	 * Set by the caller: blocks of events that are followed by another block or the end are given
	 * unchecked. The caller checks them with log_is_sound().
	 */
	bool leaves_events;
	crc32c_function *crc;
};

/*
 * Reads the header from the first n bytes. Returns 0 or an error: EAGAIN if more bytes are needed, EINVAL if
 * this is not a log, ENOTSUP if the log has another version, byte order or word size, or needs an unknown
 * feature (*ret_what is the reason). If a header makes sense but its checksum is wrong, it is taken and
 * reported as damage.
 */
int log_scan_begin(struct log_scan *scan, const void *bytes, size_t n, const char **ret_what);

/*
 * Called if log_scan_begin() finds no header, because it was overwritten or cut off. Begins with the first
 * whole block of these bytes, which are the input from file offset `at` on; the bytes in front of it are
 * damage. The header is then all zeros, so there is no ring area, and the blocks are in the order of their
 * sequence numbers. Returns false if there is no whole block.
 */
bool log_scan_bare(struct log_scan *scan, const unsigned char *bytes, size_t n, uint64_t at);

/*
 * Finds the next item. bytes are the input from file offset `at` on, at <= scan->offset; is_end means that no
 * more bytes will come. Bytes in front of scan->offset are not looked at again. Blocks of unknown kinds are
 * given like all others.
 */
enum log_found log_scan_next(struct log_scan *scan, const unsigned char *bytes, size_t n, uint64_t at,
	bool is_end, struct log_item *ret_item);

/* Whether the checksum of a block that the scan has given is right. */
bool log_is_sound(const struct log_scan *scan, const unsigned char *body);

/*
 * Takes the pair from a LOG_CLOCK_PAIR body; in older logs it has no error. Returns false if the body is too
 * short.
 */
bool log_clock_pair_take(const unsigned char *body, size_t length, struct log_clock_pair *ret_pair);

#endif
