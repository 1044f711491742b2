/* SPDX-License-Identifier: MIT */
/*
 * A chain keeps what a subject did, in the order of arrival, until the end of the trace: for formats that
 * need another order. Blocks lie in a file without a name (store/pages.h), so memory does not grow with the
 * trace; they are read in both directions.
 */
#ifndef EXPORT_CHAIN_H
#define EXPORT_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "tracks/pages.h"

struct kept {
	uint64_t from, to, value;
	uint32_t word; /* words.h */
	uint32_t flags;
};

struct chain_block {
	struct chain_block *before, *after;
	uint32_t n, room;
	struct kept items[];
};

/* All zero is an empty chain. */
struct chain {
	struct chain_block *first, *last;
};

/* Returns false if neither the disk nor memory has room. */
bool chain_add(struct chain *chain, struct pages *pages, const struct kept *kept);

/* A place in a chain: the next item is item i of block; block is NULL at the end of the chain. */
struct chain_cursor {
	const struct chain_block *block;
	uint32_t i;
};

static inline struct chain_cursor chain_begin(const struct chain *chain)
{
	return (struct chain_cursor){ chain->first, 0 };
}

static inline struct chain_cursor chain_end(const struct chain *chain)
{
	return (struct chain_cursor){ chain->last, chain->last ? chain->last->n - 1 : 0 };
}

static inline const struct kept *chain_at(const struct chain_cursor *cursor)
{
	return cursor->block ? &cursor->block->items[cursor->i] : NULL;
}

static inline void chain_forward(struct chain_cursor *cursor)
{
	if (++cursor->i < cursor->block->n)
		return;
	*cursor = (struct chain_cursor){ cursor->block->after, 0 };
}

static inline void chain_back(struct chain_cursor *cursor)
{
	if (cursor->i-- > 0)
		return;
	cursor->block = cursor->block->before;
	cursor->i = cursor->block ? cursor->block->n - 1 : 0;
}

#endif
