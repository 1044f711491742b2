/* SPDX-License-Identifier: MIT */
/*
 * Memory that lives as long as one trace: names, types, objects. Pieces are zeroed, aligned for any type, never
 * freed one by one; arena_done() frees all. An all-zero arena is an empty one.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	size_t n_left; /* bytes left in the newest chunk */
};

/* NULL when memory ran out. */
void *arena_alloc(struct arena *arena, size_t n_bytes);

/* A terminated copy of n_bytes bytes; NULL when memory ran out. */
char *arena_copy(struct arena *arena, const void *bytes, size_t n_bytes);

void arena_done(struct arena *arena);

#endif
