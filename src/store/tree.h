/* SPDX-License-Identifier: MIT */
/*
 * The segments of one track, and what they come to at every scale:
 *
 *	segment     what the track did from one moment to another; they follow each other
 *	chunk       TREE_CHUNK segments as bytes (pack.h); the last segments are open: they stand as they are, until they are one
 *	summary     what a chunk comes to: time of each class, number, least and greatest value. TREE_FAN summaries have one
 *		    above them, and so on, up to one
 *
 * A column of a picture asks what the track did most from one moment to another: only what lies at its two edges is opened. So
 * a column costs the height of the tree, whatever the number of segments.
 */
#ifndef STORE_TREE_H
#define STORE_TREE_H

#include "base/limit.h"
#include "store/pack.h"
#include "store/pages.h"

enum {
	TREE_CHUNK = LIMIT(PACK_SEGMENTS_MAX, 4),
	TREE_FAN = LIMIT(8, 4),
	TREE_LEVELS = 10, /* of summaries: 128 * 8^9 segments */
	TREE_OPENED = 16  /* chunks that were opened last */
};

/* What some neighbouring segments come to. */
struct summary {
	uint64_t from, to; /* of the first and of the last */
	uint64_t ticks[N_CLASSES];
	uint64_t n_segments;
	bool has_values;	   /* one at least is finite: NaN and infinity have no place on an axis */
	struct number least, most; /* of these */
};

/* A chunk whose segments stand there. */
struct opened {
	const uint8_t *bytes;
	struct segment segments[TREE_CHUNK];
};

/* Where trees lie. All zero is an empty one. */
struct tree_store {
	struct pages fine;     /* segments, and what chunks come to */
	struct pages coarse;   /* summaries of more than one chunk, with which large windows are answered */
	struct opened *opened; /* TREE_OPENED of them, from the first chunk on */
};

/* Items one behind the other, in blocks; the first block grows to its full size, because most tracks are short. */
struct run {
	void **blocks;
	size_t n_blocks, room;
	size_t n_items, first_room;
};

/* What a tree with a chunk has. */
struct trunk {
	const struct tree_store *store;
	struct run chunks;		/* pointers to bytes */
	struct run levels[TREE_LEVELS]; /* of summaries: those of chunks first */
	unsigned n_levels;
};

/* All zero is an empty one. Asking changes what is opened: one thread at a time uses the trees of a store. */
struct tree {
	struct trunk *trunk; /* NULL if there is no chunk yet, as in most of very many trees */
	struct segment *open;
	uint32_t n_open, open_room;
};

/* The segment must not begin before the last one ends. Returns false if neither disk nor memory has room. */
bool tree_add(struct tree *tree, struct tree_store *store, const struct segment *segment);

/* What was from one moment to another: a summary whose times are cut at both. n_segments 0: nothing. */
struct summary tree_sum(const struct tree *tree, uint64_t from, uint64_t to);

static inline uint64_t tree_n(const struct tree *tree)
{
	return (tree->trunk ? (uint64_t)tree->trunk->chunks.n_items * TREE_CHUNK : 0) + tree->n_open;
}

/*
 * The same at less cost, for a column of a picture: each edge may be off by half of blur, and so may what is said of it; columns
 * that have an edge in common have each segment once together.
 */
struct summary tree_sum_about(const struct tree *tree, uint64_t from, uint64_t to, uint64_t blur);

/* The n-th segment. */
struct segment tree_segment(const struct tree *tree, uint64_t n);

/* The number of the first segment that ends behind this moment; tree_n(): there is none. */
uint64_t tree_find(const struct tree *tree, uint64_t ticks);

/* The class that has most of the time in a summary; of equal ones, the first. */
unsigned summary_most(const struct summary *summary);

void tree_done(struct tree *tree);
void tree_store_done(struct tree_store *store);

#endif
