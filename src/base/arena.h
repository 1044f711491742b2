/* SPDX-License-Identifier: MIT */
/*
 * Memory that lives as long as one trace: names, types, objects. Pieces are zeroed, aligned for any type, never
 * freed one by one; arena_done() frees all. An all-zero arena is an empty one.
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
	size_t n_max;	/* … and how many there may be; 0: as memory lasts */
	bool is_spent;	/* a piece was refused because of n_max */
};

/* Bytes of all pieces. */
static inline size_t arena_used(const struct arena *arena)
{
	return arena->n_bytes - arena->n_left;
}

/* NULL when memory ran out, or n_max bytes are not enough. */
void *arena_alloc(struct arena *arena, size_t n_bytes);

/* A terminated copy of n_bytes bytes; NULL when memory ran out. */
char *arena_copy(struct arena *arena, const void *bytes, size_t n_bytes);

void arena_done(struct arena *arena);

#endif
