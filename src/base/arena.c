/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/*
 * Chunks begin small, because a table that is cut into thousands of parts has several arenas for each part.
 */
enum { CHUNK_BYTES_MIN = 1024, CHUNK_BYTES_MAX = 16 * 1024 };

struct arena_chunk {
	struct arena_chunk *next;
	char *end;
	alignas(max_align_t) char bytes[];
};

static struct arena_chunk *chunk_new(struct arena_chunk *next, size_t n_bytes)
{
	struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + n_bytes);

	if (!chunk)
		return NULL;
	chunk->next = next;
	chunk->end = chunk->bytes + n_bytes;
	return chunk;
}

void *arena_alloc(struct arena *arena, size_t n_bytes)
{
	const size_t align = alignof(max_align_t);

	if (n_bytes > SIZE_MAX / 2)
		return NULL;
	n_bytes = (n_bytes + align - 1) / align * align;
	if (n_bytes > arena->n_left || !arena->chunks) {
		size_t size = arena->n_bytes < CHUNK_BYTES_MIN	 ? CHUNK_BYTES_MIN
			      : arena->n_bytes < CHUNK_BYTES_MAX ? arena->n_bytes
								 : CHUNK_BYTES_MAX;

		if (size < n_bytes)
			size = n_bytes;
		if (arena->n_max && size > arena->n_max - arena->n_bytes) {
			arena->is_spent = true;
			return NULL;
		}
		struct arena_chunk *chunk = chunk_new(arena->chunks, size);

		if (!chunk)
			return NULL;
		arena->chunks = chunk;
		arena->n_left = size;
		arena->n_bytes += size;
	}
	check(n_bytes <= arena->n_left && arena->n_left <= arena->n_bytes);
	char *piece = arena->chunks->end - arena->n_left;

	arena->n_left -= n_bytes;
	return piece;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t n_bytes)
{
	char *copy = arena_alloc(arena, n_bytes + 1);

	if (copy && n_bytes)
		memcpy(copy, bytes, n_bytes);
	return copy;
}

void arena_done(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
	arena->n_left = arena->n_bytes = 0;
}
