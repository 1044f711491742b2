/* SPDX-License-Identifier: MIT */
/*
 * The segments of one track, with summaries of them at every scale:
 *
 *	segment     The state of the track between two moments. Segments follow each other in time.
 *	chunk       TREE_CHUNK segments as bytes (pack.h). The last segments stay open until they fill one.
 *	summary     Of a chunk: the time of each class, number of segments, least and greatest value.
 *		    TREE_FAN summaries have one summary above them, and so on, up to one.
 *
 * For each column of a picture, the caller needs the state that the track had for most of the time of that
 * column. Only the chunks at the two edges of the column are unpacked. So the cost of a column is the height
 * of the tree, whatever the number of segments.
 */
#ifndef TRACKS_TREE_H
#define TRACKS_TREE_H

#include "base/limit.h"
#include "tracks/pack.h"
#include "tracks/pages.h"

enum {
	TREE_CHUNK = LIMIT(PACK_SEGMENTS_MAX, 4),
	TREE_FAN = LIMIT(8, 4),
	TREE_LEVELS = 10, /* of summaries: 128 * 8^9 segments */
	TREE_OPENED = 16  /* size of the cache of unpacked chunks */
};

/* A summary of some neighbouring segments. */
struct summary {
	uint64_t from, to; /* of the first and of the last */
	uint64_t ticks[N_CLASSES];
	uint64_t n_segments;
	bool has_values;	   /* at least one is finite: an axis cannot show NaN or infinity */
	struct number least, most; /* of the finite values */
};

/* A chunk with its unpacked segments. */
struct opened {
	const uint8_t *bytes;
	struct segment segments[TREE_CHUNK];
};

/* The memory of trees. A store of all zeros is empty. */
struct tree_store {
	struct pages fine;     /* segments, and the summaries of chunks */
	struct pages coarse;   /* summaries of more than one chunk, for large windows */
	struct opened *opened; /* TREE_OPENED of them; allocated with the first chunk */
};

/* A sequence of items in blocks. The first block grows to its full size, because most tracks are short. */
struct run {
	void **blocks;
	size_t n_blocks, room;
	size_t n_items, first_room;
};

/* The part of a tree that exists only if the tree has a chunk. */
struct trunk {
	const struct tree_store *store;
	struct run chunks;		/* pointers to bytes */
	struct run levels[TREE_LEVELS]; /* of summaries; level 0 has those of chunks */
	unsigned n_levels;
};

/*
 * A tree of all zeros is empty. Queries change the unpacked chunks: only one thread at a time may use the
 * trees of a store.
 */
struct tree {
	struct trunk *trunk; /* NULL if there is no chunk yet, as in most of very many trees */
	struct segment *open;
	uint32_t n_open, open_room;
};

/* The segment must not begin before the last one ends. Returns false if neither disk nor memory has room. */
bool tree_add(struct tree *tree, struct tree_store *store, const struct segment *segment);

/*
 * Returns a summary of the window [from, to); segments at its edges are cut. n_segments is 0 if nothing lies
 * in it.
 */
struct summary tree_sum(const struct tree *tree, uint64_t from, uint64_t to);

static inline uint64_t tree_n(const struct tree *tree)
{
	return (tree->trunk ? (uint64_t)tree->trunk->chunks.n_items * TREE_CHUNK : 0) + tree->n_open;
}

/*
 * As tree_sum(), at less cost, for a column of a picture. Each edge, and so the result, may be off by half of
 * blur. If two columns share an edge, each segment is still counted once in the two together.
 */
struct summary tree_sum_about(const struct tree *tree, uint64_t from, uint64_t to, uint64_t blur);

/* The n-th segment. */
struct segment tree_segment(const struct tree *tree, uint64_t n);

/* The number of the first segment that ends after this moment; tree_n() if no segment does. */
uint64_t tree_find(const struct tree *tree, uint64_t ticks);

/* The class that has most of the time in a summary. If several have equal time, the first of them. */
unsigned summary_most(const struct summary *summary);

void tree_done(struct tree *tree);
void tree_store_done(struct tree_store *store);

#endif
