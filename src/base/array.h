/* SPDX-License-Identifier: MIT */
/* Arrays that grow by doubling. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/*
 * Makes room for one more item after n_items items. Returns the array, which may have moved, and sets *room.
 * Returns NULL if memory ran out; the old array is then still valid.
 */
static inline void *array_room(void *items, size_t n_items, size_t *room, size_t item_bytes)
{
	check(n_items <= *room && item_bytes);
	if (n_items < *room)
		return items;
	size_t more = *room ? 2 * *room : 16;

	if (more > SIZE_MAX / 2 / item_bytes)
		return NULL;
	void *grown = realloc(items, more * item_bytes);

	if (grown)
		*room = more;
	return grown;
}

/*
 * Makes items[index] exist in a table by dense index; new items are zero. Returns the table, which may have
 * moved. Returns NULL if memory ran out; the old table is then still valid.
 */
static inline void *array_reach(void *items, size_t *room, size_t index, size_t item_bytes)
{
	size_t more = *room ? *room : 64;

	check(item_bytes);
	if (index < *room)
		return items;
	while (more <= index)
		more *= 2;
	char *grown = more <= SIZE_MAX / item_bytes ? realloc(items, more * item_bytes) : NULL;

	if (!grown)
		return NULL;
	memset(grown + *room * item_bytes, 0, (more - *room) * item_bytes);
	*room = more;
	return grown;
}

#endif
