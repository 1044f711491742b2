/* SPDX-License-Identifier: MIT */
#include "tracks/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"

/* --- runs of items -------------------------------------------------------------------------------------- */

enum { FIRST_ROOM = 2, FIRST_GROWTH = 4, CHUNK_BLOCK = 512, SUMMARY_BLOCK = 32 };

/*
 * Copies the first block of a run to a larger one. The old one stays allocated, which wastes less than one
 * block.
 */
static bool first_grow(struct run *run, struct pages *pages, size_t block_items, size_t item_bytes)
{
	size_t room = run->first_room ? run->first_room * FIRST_GROWTH : FIRST_ROOM;
	void *block;

	if (room > block_items)
		room = block_items;
	block = pages_alloc(pages, room * item_bytes);
	if (!block)
		return false;
	if (run->n_items)
		memcpy(block, run->blocks[0], run->n_items * item_bytes);
	run->blocks[0] = block;
	run->first_room = room;
	return true;
}

/*
 * Makes room for one more item, which is not counted yet. Returns NULL if neither disk nor memory has room.
 */
static void *run_room(struct run *run, struct pages *pages, size_t block_items, size_t item_bytes)
{
	const size_t number = run->n_items / block_items, place = run->n_items % block_items;

	if (number == run->n_blocks) {
		void **blocks = array_room(run->blocks, run->n_blocks, &run->room, sizeof(*blocks));

		if (!blocks)
			return NULL;
		run->blocks = blocks;
		blocks[number] = number ? pages_alloc(pages, block_items * item_bytes) : NULL;
		if (number && !blocks[number])
			return NULL;
		run->n_blocks++;
	}
	if (number == 0 && place == run->first_room && !first_grow(run, pages, block_items, item_bytes))
		return NULL;
	return (char *)run->blocks[number] + place * item_bytes;
}

static struct summary *summary_at(const struct run *run, size_t n)
{
	return (struct summary *)run->blocks[n / SUMMARY_BLOCK] + n % SUMMARY_BLOCK;
}

static const uint8_t **chunk_at(const struct run *run, size_t n)
{
	return (const uint8_t **)run->blocks[n / CHUNK_BLOCK] + n % CHUNK_BLOCK;
}

/* --- summaries ------------------------------------------------------------------------------------------ */

static void summary_take_values(struct summary *sum, struct number least, struct number most)
{
	if (!sum->has_values || number_compare(least, sum->least) < 0)
		sum->least = least;
	if (!sum->has_values || number_compare(most, sum->most) > 0)
		sum->most = most;
	sum->has_values = true;
}

static void summary_take(struct summary *summary, const struct segment *segment, uint64_t from, uint64_t to)
{
	if (!summary->n_segments)
		summary->from = from;
	if (number_is_finite(segment_value(segment)))
		summary_take_values(summary, segment_value(segment), segment_value(segment));
	summary->to = to;
	summary->ticks[segment->class] += to - from;
	summary->n_segments++;
}

static void summary_join(struct summary *sum, const struct summary *part)
{
	if (part->has_values)
		summary_take_values(sum, part->least, part->most);
	if (!sum->n_segments)
		sum->from = part->from;
	sum->to = part->to;
	sum->n_segments += part->n_segments;
	for (unsigned i = 0; i < N_CLASSES; i++)
		sum->ticks[i] += part->ticks[i];
}

unsigned summary_most(const struct summary *summary)
{
	unsigned most = 0;

	for (unsigned i = 1; i < N_CLASSES; i++)
		if (summary->ticks[i] > summary->ticks[most])
			most = i;
	return most;
}

/* --- adding --------------------------------------------------------------------------------------------- */

static struct summary *level_room(struct run *level, struct tree_store *store, unsigned number)
{
	return run_room(level, number ? &store->coarse : &store->fine, SUMMARY_BLOCK, sizeof(struct summary));
}

/* Whether the next chunk begins a summary of a level. */
static bool is_first_of(const struct trunk *trunk, unsigned level)
{
	uint64_t n_under = 1;

	for (unsigned i = 0; i < level; i++)
		n_under *= TREE_FAN;
	return trunk->chunks.n_items % n_under == 0;
}

/* Makes room for the next chunk. A higher level begins when the level below it gets its second summary. */
static bool levels_reserve(struct trunk *trunk, struct tree_store *store)
{
	if (!trunk->n_levels)
		trunk->n_levels = 1;

	const unsigned top = trunk->n_levels - 1;

	if (trunk->levels[top].n_items == 1 && is_first_of(trunk, top) && trunk->n_levels < TREE_LEVELS) {
		struct summary *summary = level_room(&trunk->levels[top + 1], store, top + 1);

		if (!summary)
			return false;
		*summary = *summary_at(&trunk->levels[top], 0);
		trunk->levels[top + 1].n_items = 1;
		trunk->n_levels++;
	}
	for (unsigned i = 0; i < trunk->n_levels; i++)
		if (is_first_of(trunk, i) && !level_room(&trunk->levels[i], store, i))
			return false;
	return true;
}

static void levels_add(struct trunk *trunk, const struct summary *summary)
{
	for (unsigned i = 0; i < trunk->n_levels; i++) {
		struct run *level = &trunk->levels[i];

		if (is_first_of(trunk, i))
			*summary_at(level, level->n_items++) = *summary;
		else
			summary_join(summary_at(level, level->n_items - 1), summary);
	}
}

static struct trunk *trunk_reach(struct tree *tree, struct tree_store *store)
{
	if (!store->opened)
		store->opened = calloc(TREE_OPENED, sizeof(*store->opened));
	if (store->opened && !tree->trunk) {
		tree->trunk = pages_alloc(&store->coarse, sizeof(*tree->trunk));
		if (tree->trunk)
			tree->trunk->store = store;
	}
	return store->opened ? tree->trunk : NULL;
}

/*
 * Packs the open segments into a chunk. Returns false, and changes nothing, if neither disk nor memory has
 * room.
 */
static bool chunk_close(struct tree *tree, struct tree_store *store)
{
	uint8_t bytes[PACK_SEGMENT_BYTES * TREE_CHUNK], *kept;
	struct summary summary = { .n_segments = 0 };
	struct trunk *trunk = trunk_reach(tree, store);
	size_t n_bytes;

	if (!trunk || !levels_reserve(trunk, store) ||
		!run_room(&trunk->chunks, &store->coarse, CHUNK_BLOCK, sizeof(kept)))
		return false;
	n_bytes = segments_pack(tree->open, TREE_CHUNK, bytes);
	kept = pages_alloc(&store->fine, n_bytes);
	if (!kept)
		return false;
	memcpy(kept, bytes, n_bytes);
	for (size_t i = 0; i < TREE_CHUNK; i++)
		summary_take(&summary, &tree->open[i], tree->open[i].from, tree->open[i].to);
	levels_add(trunk, &summary);
	*chunk_at(&trunk->chunks, trunk->chunks.n_items++) = kept;
	tree->n_open = 0;
	return true;
}

static bool open_grow(struct tree *tree, struct tree_store *store)
{
	uint32_t room = tree->open_room ? tree->open_room * FIRST_GROWTH : FIRST_ROOM;
	struct segment *open;

	if (room > TREE_CHUNK)
		room = TREE_CHUNK;
	open = pages_alloc(&store->fine, room * sizeof(*open));
	if (!open)
		return false;
	if (tree->n_open)
		memcpy(open, tree->open, tree->n_open * sizeof(*open));
	tree->open = open;
	tree->open_room = room;
	return true;
}

bool tree_add(struct tree *tree, struct tree_store *store, const struct segment *segment)
{
	check(segment->from < segment->to);
	check(!tree->n_open || tree->open[tree->n_open - 1].to <= segment->from);
	if (tree->n_open == TREE_CHUNK && !chunk_close(tree, store))
		return false;
	if (tree->n_open == tree->open_room && !open_grow(tree, store))
		return false;
	tree->open[tree->n_open++] = *segment;
	return true;
}

void tree_done(struct tree *tree)
{
	if (!tree->trunk)
		return;
	free(tree->trunk->chunks.blocks);
	for (unsigned i = 0; i < TREE_LEVELS; i++)
		free(tree->trunk->levels[i].blocks);
}

void tree_store_done(struct tree_store *store)
{
	pages_done(&store->fine);
	pages_done(&store->coarse);
	free(store->opened);
	store->opened = NULL;
}

/* --- asking --------------------------------------------------------------------------------------------- */

static const struct segment *chunk_open(const struct trunk *trunk, size_t n)
{
	const uint8_t *bytes = *chunk_at(&trunk->chunks, n);
	const uint64_t mixed = (uintptr_t)bytes * UINT64_C(0x9e3779b97f4a7c15);
	struct opened *opened = &trunk->store->opened[(mixed >> 32) % TREE_OPENED];

	if (opened->bytes != bytes)
		segments_unpack(bytes, TREE_CHUNK, opened->segments);
	opened->bytes = bytes;
	return opened->segments;
}

/* Finds the first segment that ends after this moment, by binary search. Returns n if no segment does. */
static size_t segments_find(const struct segment *segments, size_t n, uint64_t ticks)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (segments[middle].to > ticks)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The summaries [first, end) of a level. */
struct stretch {
	unsigned level;
	uint64_t first, end;
};

static struct stretch stretch_of_all(const struct trunk *trunk)
{
	return (struct stretch){ trunk->n_levels - 1, 0, trunk->levels[trunk->n_levels - 1].n_items };
}

/* The summaries below the n-th one of a level. */
static struct stretch stretch_below(const struct trunk *trunk, unsigned level, uint64_t n)
{
	const uint64_t n_items = trunk->levels[level - 1].n_items, end = (n + 1) * TREE_FAN;

	return (struct stretch){ level - 1, n * TREE_FAN, end < n_items ? end : n_items };
}

static uint64_t stretch_find(const struct trunk *trunk, struct stretch stretch, uint64_t ticks)
{
	uint64_t low = stretch.first, high = stretch.end;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (summary_at(&trunk->levels[stretch.level], middle)->to > ticks)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * The window of a query. A summary that lies across an edge and is shorter than blur counts on the side of
 * its middle.
 */
struct range {
	uint64_t from, to, blur;
};

static bool is_inside(const struct summary *summary, const struct range *range)
{
	return summary->from >= range->from && summary->to <= range->to;
}

static bool has_middle(const struct summary *summary, const struct range *range)
{
	const uint64_t middle = summary->from + (summary->to - summary->from) / 2;

	return middle >= range->from && middle < range->to;
}

static void sum_segments(
	struct summary *sum, const struct segment *segments, size_t n, const struct range *range)
{
	for (size_t i = segments_find(segments, n, range->from); i < n && segments[i].from < range->to; i++)
		summary_take(sum, &segments[i],
			segments[i].from > range->from ? segments[i].from : range->from,
			segments[i].to < range->to ? segments[i].to : range->to);
}

static void sum_stretch(
	struct summary *sum, const struct trunk *trunk, struct stretch stretch, const struct range *range)
{
	for (uint64_t n = stretch_find(trunk, stretch, range->from); n < stretch.end; n++) {
		const struct summary *summary = summary_at(&trunk->levels[stretch.level], n);
		const bool is_blurred = summary->to - summary->from < range->blur;

		if (summary->from >= range->to)
			return;
		if (is_inside(summary, range) || (is_blurred && has_middle(summary, range)))
			summary_join(sum, summary);
		if (is_inside(summary, range) || is_blurred)
			continue;
		if (stretch.level)
			sum_stretch(sum, trunk, stretch_below(trunk, stretch.level, n), range);
		else
			sum_segments(sum, chunk_open(trunk, n), TREE_CHUNK, range);
	}
}

struct summary tree_sum_about(const struct tree *tree, uint64_t from, uint64_t to, uint64_t blur)
{
	const struct range range = { from, to, blur };
	struct summary sum = { .n_segments = 0 };

	if (tree->trunk && tree->trunk->chunks.n_items)
		sum_stretch(&sum, tree->trunk, stretch_of_all(tree->trunk), &range);
	sum_segments(&sum, tree->open, tree->n_open, &range);
	return sum;
}

struct summary tree_sum(const struct tree *tree, uint64_t from, uint64_t to)
{
	return tree_sum_about(tree, from, to, 0);
}

static uint64_t chunks_of(const struct tree *tree)
{
	return tree->trunk ? tree->trunk->chunks.n_items : 0;
}

struct segment tree_segment(const struct tree *tree, uint64_t n)
{
	const uint64_t chunk = n / TREE_CHUNK;

	return (chunk < chunks_of(tree) ? chunk_open(tree->trunk, chunk) : tree->open)[n % TREE_CHUNK];
}

uint64_t tree_find(const struct tree *tree, uint64_t ticks)
{
	const struct trunk *trunk = tree->trunk;
	struct stretch stretch = { 0 };
	uint64_t n = 0;

	if (chunks_of(tree))
		for (stretch = stretch_of_all(trunk);; stretch = stretch_below(trunk, stretch.level, n)) {
			n = stretch_find(trunk, stretch, ticks);
			if (n == stretch.end || !stretch.level)
				break;
		}
	if (n < stretch.end)
		return n * TREE_CHUNK + segments_find(chunk_open(trunk, n), TREE_CHUNK, ticks);
	return chunks_of(tree) * TREE_CHUNK + segments_find(tree->open, tree->n_open, ticks);
}
