/* SPDX-License-Identifier: MIT */
#include "export/chain.h"

#include "base/limit.h"

/* Most subjects have few items. A subject with many items gets larger blocks, which are read in one piece. */
enum { BLOCK_FIRST = 4, BLOCK_GROWTH = 4, BLOCK_MAX = LIMIT(1024, 16) };

static bool block_add(struct chain *chain, struct pages *pages)
{
	const uint32_t wanted = chain->last ? chain->last->room * BLOCK_GROWTH : BLOCK_FIRST,
		       room = wanted < BLOCK_MAX ? wanted : BLOCK_MAX;
	struct chain_block *block = pages_alloc(pages, sizeof(*block) + room * sizeof(block->items[0]));

	if (!block)
		return false;
	block->room = room;
	block->before = chain->last;
	if (chain->last)
		chain->last->after = block;
	else
		chain->first = block;
	chain->last = block;
	return true;
}

bool chain_add(struct chain *chain, struct pages *pages, const struct kept *kept)
{
	if ((!chain->last || chain->last->n == chain->last->room) && !block_add(chain, pages))
		return false;
	chain->last->items[chain->last->n++] = *kept;
	return true;
}
