/* SPDX-License-Identifier: MIT */
/*
 * Segments as bytes. Neighbouring segments have much in common: most begin where the previous one ends, and a
 * few combinations of state, object and core repeat all the time. For each segment:
 *
 *	head    The set of the following parts that are present.
 *	gap     The distance from the end of the previous segment, or from 0 for the first segment.
 *	length  to - from
 *	seqs    The difference of from_seq to the previous number that was written, then the same for to_seq.
 *	value   The difference to the previous value.
 *	look    14 bytes: class, state, reason, certainty, core, object, by. Or, in 1 byte, an earlier look.
 *
 * Numbers have 7 bits in a byte, lowest first. Differences have their sign in the lowest bit. A segment
 * usually takes 7 to 9 bytes instead of 56.
 */
#ifndef TRACKS_PACK_H
#define TRACKS_PACK_H

#include "tracks/segment.h"

enum { PACK_SEGMENTS_MAX = 128, PACK_SEGMENT_BYTES = 72 /* at most */ };

/* Writes at most PACK_SEGMENTS_MAX segments; returns the bytes, at most PACK_SEGMENT_BYTES each. */
size_t segments_pack(const struct segment *segments, size_t n, uint8_t *bytes);

/* Reads n segments that segments_pack() wrote. */
void segments_unpack(const uint8_t *bytes, size_t n, struct segment *ret_segments);

#endif
