/* SPDX-License-Identifier: MIT */
/*
 * The framing: every frame ends with a flag, and within a frame a flag or escape is an escape and the byte with one bit
 * turned over. What a frame holds is of no concern here.
 */
#ifndef RKH_FRAMES_H
#define RKH_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RKH_FLAG = 0x7e,
	RKH_ESCAPE = 0x7d,
	RKH_TURN = 0x20,
	RKH_FRAME_MAX = 65536,		     /* unstuffed; anything longer is damage */
	RKH_STUFFED_MAX = 2 * RKH_FRAME_MAX, /* every byte of it escaped */
};

/* A run of bytes that belong to another owner. */
struct rkh_run {
	const uint8_t *bytes;
	size_t n_bytes;
};

/* A frame, unstuffed. */
struct rkh_frame {
	const uint8_t *bytes;
	size_t n_bytes;
	uint8_t sum; /* of all bytes, 0 when the checksum is right */
	struct rkh_run stuffed;
	uint64_t offset; /* in the input that it began in … */
	const char *source;
	uint64_t seq; /* … and in all of them: the sequence number of its event */
};

/* Bytes that are no frame, or too many to be one, up to the next flag: they are only counted. */
struct rkh_passed {
	size_t n_bytes;
	uint64_t offset; /* of the first one */
	const char *source;
};

/*
 * The first flag or escape, or end. *ret_sum is increased by the bytes before it. The plain form is the same without wide
 * loads.
 */
const uint8_t *rkh_scan(const uint8_t *at, const uint8_t *end, uint8_t *ret_sum);
const uint8_t *rkh_scan_plain(const uint8_t *at, const uint8_t *end, uint8_t *ret_sum);

/* The first flag, or end. */
const uint8_t *rkh_find_flag(const uint8_t *at, const uint8_t *end);

/*
 * Unstuffs a run without flags into room of as many bytes. Returns how many came out and adds them to *ret_sum. An escape
 * at the end of the run has nothing to turn over: *ret_is_aborted.
 */
size_t rkh_unstuff(
	uint8_t *to, const uint8_t *at, const uint8_t *end, uint8_t *ret_sum, bool *ret_is_aborted);

#endif
