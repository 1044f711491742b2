/* SPDX-License-Identifier: MIT */
#include "store/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* --- runs of items -------------------------------------------------------------------------------------------------- */

enum { FIRST_ROOM = 2, FIRST_GROWTH = 4 };

/* The first block of a run gets larger by being copied; what it was is left behind, which is less than the block itself. */
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

/* Room for one more item; NULL: there is none. */
static void *run_add(struct run *run, struct pages *pages, size_t block_items, size_t item_bytes)
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
	run->n_items++;
	return (char *)run->blocks[number] + place * item_bytes;
}

static struct summary *summary_at(const struct run *run, size_t n)
{
	return (struct summary *)run->blocks[n / TREE_FAN] + n % TREE_FAN;
}

const struct segment *tree_segment(const struct tree *tree, uint64_t n)
{
	return (const struct segment *)tree->segments.blocks[n / TREE_CHUNK] + n % TREE_CHUNK;
}

/* --- adding --------------------------------------------------------------------------------------------------------- */

static void summary_take(struct summary *summary, const struct segment *segment)
{
	if (!summary->n_segments)
		summary->from = segment->from;
	if (!summary->n_segments || segment->value < summary->least)
		summary->least = segment->value;
	if (!summary->n_segments || segment->value > summary->most)
		summary->most = segment->value;
	summary->to = segment->to;
	summary->ticks[segment->class] += segment->to - segment->from;
	summary->n_segments++;
}

/* The last summary of a level takes the segment; a new one begins where it is the first of so many segments. */
static bool level_add(struct run *level, struct pages *pages, const struct segment *segment, bool is_new)
{
	struct summary *summary = is_new ? run_add(level, pages, TREE_FAN, sizeof(*summary))
					 : summary_at(level, level->n_items - 1);

	if (summary)
		summary_take(summary, segment);
	return summary != NULL;
}

/* A level above the first one begins when the one below it has a second summary: it begins with a copy of the first. */
static bool levels_raise(struct tree *tree, struct pages *pages)
{
	const struct run *below = &tree->levels[tree->n_levels - 1];
	struct summary *summary;

	if (below->n_items < 2 || tree->n_levels == TREE_LEVELS)
		return true;
	summary = run_add(&tree->levels[tree->n_levels], pages, TREE_FAN, sizeof(*summary));
	if (!summary)
		return false;
	*summary = *summary_at(below, 0);
	tree->n_levels++;
	return true;
}

bool tree_add(struct tree *tree, struct pages *pages, const struct segment *segment)
{
	const uint64_t n = tree->segments.n_items;
	struct segment *place = run_add(&tree->segments, pages, TREE_CHUNK, sizeof(*place));
	uint64_t n_under = TREE_CHUNK;

	if (place && !tree->levels)
		tree->levels = pages_alloc(pages, TREE_LEVELS * sizeof(*tree->levels));
	if (!place || !tree->levels)
		return false;
	*place = *segment;
	if (!tree->n_levels)
		tree->n_levels = 1;
	for (unsigned i = 0; i < tree->n_levels; i++, n_under *= TREE_FAN)
		if (!level_add(&tree->levels[i], pages, segment, n % n_under == 0) ||
			(i + 1 == tree->n_levels && !levels_raise(tree, pages)))
			return false;
	return true;
}

/* --- asking --------------------------------------------------------------------------------------------------------- */

static void sum_join(struct summary *sum, const struct summary *part)
{
	if (!sum->n_segments || part->least < sum->least)
		sum->least = part->least;
	if (!sum->n_segments || part->most > sum->most)
		sum->most = part->most;
	if (!sum->n_segments)
		sum->from = part->from;
	sum->to = part->to;
	sum->n_segments += part->n_segments;
	for (unsigned i = 0; i < N_CLASSES; i++)
		sum->ticks[i] += part->ticks[i];
}

static void sum_segment(struct summary *sum, const struct segment *segment, uint64_t from, uint64_t to)
{
	struct segment cut = *segment;

	cut.from = cut.from > from ? cut.from : from;
	cut.to = cut.to < to ? cut.to : to;
	if (cut.from < cut.to)
		summary_take(sum, &cut);
}

/* The items [first, end) of a level; segments are level -1. */
struct stretch {
	int level;
	uint64_t first, end;
};

/* Items follow each other in time: the first one that ends behind this moment; end: there is none. */
static uint64_t stretch_find(const struct tree *tree, struct stretch stretch, uint64_t ticks)
{
	uint64_t low = stretch.first, high = stretch.end;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		const uint64_t to = stretch.level < 0 ? tree_segment(tree, middle)->to
						      : summary_at(&tree->levels[stretch.level], middle)->to;

		if (to > ticks)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* What is asked for. What lies across an edge and is shorter than blur belongs to the side of its middle, and is not opened. */
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

static void sum_stretch(
	struct summary *sum, const struct tree *tree, struct stretch stretch, const struct range *range)
{
	const uint64_t n_below = stretch.level ? TREE_FAN : TREE_CHUNK;
	const uint64_t n_under =
		stretch.level > 0 ? tree->levels[stretch.level - 1].n_items : tree->segments.n_items;

	for (uint64_t n = stretch_find(tree, stretch, range->from); n < stretch.end; n++) {
		const struct summary *summary = summary_at(&tree->levels[stretch.level], n);
		const bool is_blurred = summary->to - summary->from < range->blur;

		if (summary->from >= range->to)
			return;
		if (is_inside(summary, range) || (is_blurred && has_middle(summary, range)))
			sum_join(sum, summary);
		if (is_inside(summary, range) || is_blurred)
			continue;
		const uint64_t first = n * n_below,
			       end = first + n_below < n_under ? first + n_below : n_under;

		if (stretch.level) {
			sum_stretch(sum, tree, (struct stretch){ stretch.level - 1, first, end }, range);
			continue;
		}
		for (uint64_t i = stretch_find(tree, (struct stretch){ -1, first, end }, range->from);
			i < end && tree_segment(tree, i)->from < range->to; i++)
			sum_segment(sum, tree_segment(tree, i), range->from, range->to);
	}
}

struct summary tree_sum_about(const struct tree *tree, uint64_t from, uint64_t to, uint64_t blur)
{
	const struct range range = { from, to, blur };
	struct summary sum = { .n_segments = 0 };

	if (tree->n_levels)
		sum_stretch(&sum, tree,
			(struct stretch){
				(int)tree->n_levels - 1, 0, tree->levels[tree->n_levels - 1].n_items },
			&range);
	return sum;
}

struct summary tree_sum(const struct tree *tree, uint64_t from, uint64_t to)
{
	return tree_sum_about(tree, from, to, 0);
}

uint64_t tree_find(const struct tree *tree, uint64_t ticks)
{
	return stretch_find(tree, (struct stretch){ -1, 0, tree->segments.n_items }, ticks);
}

unsigned summary_most(const struct summary *summary)
{
	unsigned most = 0;

	for (unsigned i = 1; i < N_CLASSES; i++)
		if (summary->ticks[i] > summary->ticks[most])
			most = i;
	return most;
}

void tree_done(struct tree *tree)
{
	free(tree->segments.blocks);
	for (unsigned i = 0; tree->levels && i < TREE_LEVELS; i++)
		free(tree->levels[i].blocks);
}
