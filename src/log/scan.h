/* SPDX-License-Identifier: MIT */
/*
 * Reading a log from bytes, without trust: every block that is whole is found, in the order of the file, and every
 * range that is none is reported. Incremental: a pipe or a growing file gives what it has. Time is linear in the input,
 * and the caller never has to keep more than one block, LOG_BLOCK_MAX bytes.
 */
#ifndef LOG_SCAN_H
#define LOG_SCAN_H

#include "log/crc32c.h"
#include "log/events.h"
#include <stdbool.h>
#include <stddef.h>

enum log_found {
	LOG_FOUND_BLOCK,
	LOG_FOUND_DAMAGE, /* bytes that are no block: torn, overwritten, foreign */
	LOG_FOUND_MORE,	  /* more bytes are needed: not to be had after the end of input */
	LOG_FOUND_END,	  /* the end of the input */
};

struct log_item {
	struct log_block block;	   /* a copy of the head */
	const unsigned char *body; /* block.length bytes, borrowed from the input */
	uint64_t offset;	   /* in the file: of the block, or of the damage */
	uint64_t length;	   /* of the damage */
	const char *what;	   /* of the damage, a sentence's middle: "a block whose checksum is wrong" */
	bool in_area;		   /* a block of the ring area: order these by block.sequence */
};

struct log_scan {
	struct log_header header; /* its texts always end with NUL */
	uint64_t offset;	  /* of the next byte to look at, from the start of the log */
	uint64_t cell_end; /* of the cell of the ring area; 0: not begun, UINT64_MAX: behind the area */
	uint64_t
		next_sequence; /* the least that the next block of the cell may have; 0 if none was found in it */
	uint64_t damage_from;
	const char *damage_what; /* NULL if the bytes before offset are no damage */
	uint64_t n_in_vain;	 /* bytes of blocks whose checksum turned out wrong */
	/* Set by the caller: blocks of events with another block or the end behind them are given unchecked: log_is_sound(). */
	bool leaves_events;
	crc32c_function *crc;
};

/*
 * Reads the header from the first n bytes. 0, or: EAGAIN (more bytes needed), EINVAL (no log), ENOTSUP (a log of
 * another version, byte order or word size, or one that needs what we do not know; *ret_what is which). A header
 * that makes sense though its checksum is wrong is taken, and reported as damage.
 */
int log_scan_begin(struct log_scan *scan, const void *bytes, size_t n, const char **ret_what);

/*
 * Where log_scan_begin() finds no header, as something was written over it or cut off: begins with the first
 * whole block of these bytes, which are the input from file offset `at` on; what is in front is damage. The
 * header is then all zeros, so there is no ring area, and the order of blocks is that of their sequence
 * numbers. Returns false if there is no whole block.
 */
bool log_scan_bare(struct log_scan *scan, const unsigned char *bytes, size_t n, uint64_t at);

/*
 * bytes are the input from file offset `at` on, at <= scan->offset; is_end: no more will come. Bytes in front of
 * scan->offset are not looked at again. Unknown kinds are given like all others.
 */
enum log_found log_scan_next(struct log_scan *scan, const unsigned char *bytes, size_t n, uint64_t at,
	bool is_end, struct log_item *ret_item);

/* Whether a block that the scan has given has the checksum that it should have. */
bool log_is_sound(const struct log_scan *scan, const unsigned char *body);

/*
 * The pair of a LOG_CLOCK_PAIR body, which older logs have without its error; false if the body is too short.
 */
bool log_clock_pair_take(const unsigned char *body, size_t length, struct log_clock_pair *ret_pair);

#endif
