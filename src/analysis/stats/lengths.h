/* SPDX-License-Identifier: MIT */
/* The lengths of intervals of one kind: their sum, their distribution, and the owner of the longest one. */
#ifndef ANALYSIS_STATS_LENGTHS_H
#define ANALYSIS_STATS_LENGTHS_H

#include "analysis/scan.h"
#include "analysis/stats/times.h"

struct lengths {
	uint64_t total;		      /* ticks of all pieces, whole or not */
	uint64_t unsure;	      /* … of those in which events are lost */
	struct histogram histogram;   /* of whole intervals, at the moments of their ends */
	struct rst_entity longest_of; /* the longest one's thread, or what else it belongs to */
};

/* Adds a length that is whole. Returns false if memory ran out. */
static inline bool lengths_add(
	struct lengths *lengths, uint64_t ticks, uint64_t at, const struct rst_entity *of)
{
	if (!lengths->histogram.n || ticks > lengths->histogram.most)
		lengths->longest_of = *of;
	return histogram_add(&lengths->histogram, ticks, at);
}

/*
 * Counts a piece in the sum, and in the distribution where it is the end of a whole interval. Returns false
 * if memory ran out.
 */
static inline bool lengths_take(
	struct lengths *lengths, const struct piece *piece, const struct rst_entity *of)
{
	lengths->total += piece_ticks(piece);
	lengths->unsure += piece->interval->certainty == RST_CERTAINTY_UNKNOWN ? piece_ticks(piece) : 0;
	return !piece_is_whole(piece) || lengths_add(lengths, piece_length(piece), piece->to, of);
}

#endif
