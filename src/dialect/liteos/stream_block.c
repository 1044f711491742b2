/* SPDX-License-Identifier: MIT */
/*
 * The order of a file's messages. An interrupt or another core may come between the making of an event and
 * its sending, so that neighbours change places; and the dump of a ring may begin with any event. Events are
 * sorted by count, or by time if they have no count. Other messages stay behind the event that they were sent
 * behind.
 *
 * The number of messages held at once is limited. The last ones of a block wait for late events. A restart
 * ends a block.
 */
#include <stdlib.h>

#include "base/array.h"
#include "dialect/liteos/stream.h"

enum {
	BLOCK_ITEMS = 2048,
	BLOCK_STAYS = LOSSES_LATE_MAX,
	DUMP_ITEMS = 1 << 18, /* a ring has up to 2^16 slots and 2^16 names; damage may lie between them */
	PASS_ITEMS = 256,
};

#define KEY_OF_FIRST ((uint64_t)1 << 62) /* later counts may be before the first one */

bool liteos_block_add(struct liteos_stream *stream, const struct liteos_item *item)
{
	struct liteos_item *items =
		array_room(stream->items, stream->n_items, &stream->items_room, sizeof(*items));
	size_t n = stream->n_items;

	if (!items)
		return false;
	stream->items = items;
	items[n] = *item;
	items[n].number = (uint32_t)n;
	items[n].key = stream->has_key ? stream->key : 0;
	stream->is_unsorted |= n && items[n].key < items[n - 1].key;
	stream->n_items++;
	return true;
}

/* Returns the key of this stamp. */
static uint64_t block_key(const struct liteos_stream *stream, bool has_count, uint32_t count, uint64_t time)
{
	if (!has_count)
		return time;
	return stream->has_key ? stream->key + (uint64_t)(int64_t)(int32_t)(count - stream->count)
			       : KEY_OF_FIRST;
}

bool liteos_block_step(struct liteos_stream *stream, bool has_count, uint32_t count, uint64_t time)
{
	const uint64_t limit = has_count ? LOSSES_LATE_MAX : LITEOS_LATE_TICKS_MAX;
	uint64_t key;

	if (!stream->is_ordered)
		return true;
	key = block_key(stream, has_count, count, time);
	if (!stream->is_dump && stream->has_key && key < stream->key_max && stream->key_max - key > limit)
		return false;
	if (!stream->has_key || key > stream->key_max)
		stream->key_max = key;
	stream->key = key;
	stream->count = count;
	stream->has_key = true;
	return true;
}

bool liteos_block_is_full(const struct liteos_stream *stream)
{
	size_t n_max = stream->is_dump ? DUMP_ITEMS : stream->is_ordered ? BLOCK_ITEMS : PASS_ITEMS;

	return stream->n_items >= n_max;
}

static int compare_items(const void *a, const void *b)
{
	const struct liteos_item *first = a, *second = b;

	if (first->key != second->key)
		return first->key < second->key ? -1 : 1;
	return first->number < second->number ? -1 : first->number > second->number;
}

void liteos_block_close(struct liteos_stream *stream, bool is_last)
{
	bool is_all = is_last || !stream->is_ordered || stream->n_items <= BLOCK_STAYS;

	if (stream->is_unsorted)
		qsort(stream->items, stream->n_items, sizeof(*stream->items), compare_items);
	stream->is_unsorted = false;
	stream->n_ready = is_all ? stream->n_items : stream->n_items - BLOCK_STAYS;
	if (is_last)
		stream->has_key = false;
}

void liteos_block_drop(struct liteos_stream *stream)
{
	size_t n_left = stream->n_items - stream->n_out;

	if (n_left)
		memmove(stream->items, stream->items + stream->n_out, n_left * sizeof(*stream->items));
	for (size_t i = 0; i < n_left; i++)
		stream->items[i].number = (uint32_t)i;
	stream->n_items = n_left;
	stream->n_out = stream->n_ready = 0;
}
