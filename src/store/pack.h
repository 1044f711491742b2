/* SPDX-License-Identifier: MIT */
/*
 * Segments as bytes. Neighbouring segments have much in common: most begin where the one before ends, and few combinations of
 * state, object and core come back all the time. For each segment:
 *
 *	head    which of the parts below are there
 *	gap     between the end of the segment before and its begin; of the first one: its begin
 *	length  to - from
 *	seqs    from_seq less the last number that was written, to_seq less that
 *	value   less the value before
 *	look    14 bytes: class, state, reason, certainty, core, object, by; or the number of an earlier look, one byte
 *
 * Numbers have 7 bits in a byte, lowest first; differences have their sign in the lowest bit. 7 to 9 bytes instead of 56 is usual.
 */
#ifndef STORE_PACK_H
#define STORE_PACK_H

#include "store/segment.h"

enum { PACK_SEGMENTS_MAX = 128, PACK_SEGMENT_BYTES = 72 /* at most */ };

/* Writes at most PACK_SEGMENTS_MAX segments; returns the bytes, at most PACK_SEGMENT_BYTES each. */
size_t segments_pack(const struct segment *segments, size_t n, uint8_t *bytes);

/* Reads what segments_pack() wrote of so many. */
void segments_unpack(const uint8_t *bytes, size_t n, struct segment *ret_segments);

#endif
