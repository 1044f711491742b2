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
 * Makes room for one more item behind n_items: returns the array, moved or not, with *room set; NULL when memory ran
 * out, and then the old array is still valid.
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
 * Makes items[index] exist in a table by dense index; new items are zero. Returns the table, moved or not; NULL when
 * memory ran out, and then the old table is still valid.
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
