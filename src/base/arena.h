/* SPDX-License-Identifier: MIT */
/*
 * Memory that lives as long as one trace: names, types, objects. Pieces are zeroed and aligned for any type.
 * A piece is never freed by itself; arena_done() frees all. An arena of all zeros is empty.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	size_t n_left;	/* bytes left in the newest chunk */
	size_t n_bytes; /* of all chunks … */
	size_t n_max;	/* … and their limit; 0 for no limit */
	bool is_spent;	/* a piece was refused because of n_max */
};

/* The bytes of all pieces. */
static inline size_t arena_used(const struct arena *arena)
{
	return arena->n_bytes - arena->n_left;
}

/* Returns NULL if memory ran out, or n_max bytes are not enough. */
void *arena_alloc(struct arena *arena, size_t n_bytes);

/* Returns a terminated copy of n_bytes bytes, or NULL if memory ran out. */
char *arena_copy(struct arena *arena, const void *bytes, size_t n_bytes);

void arena_done(struct arena *arena);

#endif
