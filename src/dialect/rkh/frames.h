/* SPDX-License-Identifier: MIT */
/*
 * The framing: every frame ends with a flag. Within a frame, a flag or escape becomes an escape and the byte
 * with one bit inverted. The contents of a frame do not matter here.
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
	uint8_t sum; /* of all bytes; 0 if the checksum is right */
	struct rkh_run stuffed;
	uint64_t offset; /* in the input in which it began … */
	const char *source;
	uint64_t seq; /* … and in all inputs: the sequence number of its event */
};

/* Bytes up to the next flag that are not a frame, or too many for a frame. They are only counted. */
struct rkh_passed {
	size_t n_bytes;
	uint64_t offset; /* of the first one */
	const char *source;
};

/*
 * Returns the first flag or escape, or end. Adds the bytes before it to *ret_sum. The plain form does the
 * same without wide loads.
 */
const uint8_t *rkh_scan(const uint8_t *at, const uint8_t *end, uint8_t *ret_sum);
const uint8_t *rkh_scan_plain(const uint8_t *at, const uint8_t *end, uint8_t *ret_sum);

/* Returns the first flag, or end. */
const uint8_t *rkh_find_flag(const uint8_t *at, const uint8_t *end);

/*
 * Unstuffs a run without flags into a buffer of the same size. Returns how many bytes came out, and adds the
 * bytes to *ret_sum. Sets *ret_is_aborted if the run ends with an escape, which has no byte to invert.
 */
size_t rkh_unstuff(
	uint8_t *to, const uint8_t *at, const uint8_t *end, uint8_t *ret_sum, bool *ret_is_aborted);

#endif
