/* SPDX-License-Identifier: MIT */
/*
 * The segments of one track, and what they come to at every scale:
 *
 *	segment     what the track did from one moment to another; they follow each other
 *	chunk       TREE_CHUNK segments, one behind the other …
 *	summary     … and what they come to: time of each class, number, least and greatest value. TREE_FAN summaries have one
 *		    above them, and so on, up to one
 *
 * A column of a picture asks what the track did most from one moment to another: only what lies at its two edges is opened. So
 * a column costs the height of the tree, whatever the number of segments.
 */
#ifndef STORE_TREE_H
#define STORE_TREE_H

#include <rastrum/state.h>

#include "base/limit.h"
#include "store/pages.h"

enum {
	TREE_CHUNK = LIMIT(128, 4),
	TREE_FAN = LIMIT(32, 4),
	TREE_LEVELS = 10 /* of summaries: 128 * 32^9 segments */
};

/*
 * What a segment is in a picture: its state; waiting has a class for each reason, behind the states; kinds without states have
 * CLASS_ON.
 */
enum { CLASS_ON = RST_N_STATES, CLASS_WAITING, N_CLASSES = CLASS_WAITING + RST_N_REASONS };

struct segment {
	uint64_t from, to;	   /* ticks; from < to */
	uint64_t from_seq, to_seq; /* or RST_NO_SEQ */
	uint64_t value;		   /* of a level */
	uint32_t object, by;	   /* numbers of entities, or TRACK_NO_ENTITY */
	uint16_t core;		   /* or RST_NO_CORE */
	uint8_t class, state, reason, certainty;
};

/* What some neighbouring segments come to. */
struct summary {
	uint64_t from, to; /* of the first and of the last */
	uint64_t ticks[N_CLASSES];
	uint64_t n_segments;
	uint64_t least, most; /* values */
};

/* Items one behind the other, in blocks; the first block grows to its full size, because most tracks are short. */
struct run {
	void **blocks;
	size_t n_blocks, room;
	size_t n_items, first_room;
};

/* All zero is an empty one. */
struct tree {
	struct run segments;
	struct run *levels; /* TREE_LEVELS, of summaries: those of chunks first; with a segment */
	unsigned n_levels;
};

/* The segment must not begin before the last one ends. false: neither disk nor memory has room. */
bool tree_add(struct tree *tree, struct pages *pages, const struct segment *segment);

/* What was from one moment to another: a summary whose times are cut at both. n_segments 0: nothing. */
struct summary tree_sum(const struct tree *tree, uint64_t from, uint64_t to);

static inline uint64_t tree_n(const struct tree *tree)
{
	return tree->segments.n_items;
}

/*
 * The same at less cost, for a column of a picture: each edge may be off by half of blur, and so may what is said of it; columns
 * that have an edge in common have each segment once together.
 */
struct summary tree_sum_about(const struct tree *tree, uint64_t from, uint64_t to, uint64_t blur);

/* The n-th segment. */
const struct segment *tree_segment(const struct tree *tree, uint64_t n);

/* The number of the first segment that ends behind this moment; tree_n(): there is none. */
uint64_t tree_find(const struct tree *tree, uint64_t ticks);

/* The class that has most of the time in a summary; of equal ones, the first. */
unsigned summary_most(const struct summary *summary);

void tree_done(struct tree *tree);

#endif
