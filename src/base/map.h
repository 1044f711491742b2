/* SPDX-License-Identifier: MIT */
/*
 * From a 64-bit key (an address, an id) to a pointer: open addressing, linear probing, at most half full, never
 * shrinks, nothing is removed. An all-zero map is an empty one. Values are not owned and never NULL.
 *
 * Keys are the input's, which may be made to meet in one slot. So where a key begins its search depends on random numbers
 * of the process; nothing that is shown may depend on the order of slots.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void *value; /* NULL: free */
};

struct map {
	struct map_slot *slots;
	size_t mask; /* slots - 1, a power of two less one */
	size_t n_used;
	uint64_t seed, factor; /* the process's; factor is odd */
};

/*
 * A random odd factor makes any two keys meet as seldom as chance has it (multiply-shift hashing); the second step breaks
 * up runs of keys at equal distances, which would stay runs, and linear probing would go through them.
 */
static inline size_t map_home(const struct map *map, uint64_t key)
{
	uint64_t mixed = (key ^ map->seed) * map->factor;

	mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15U;
	return (size_t)(mixed >> 32) & map->mask;
}

/* The value of key, or NULL. */
static inline void *map_find(const struct map *map, uint64_t key)
{
	if (!map->n_used)
		return NULL;
	for (size_t i = map_home(map, key); map->slots[i].value; i = (i + 1) & map->mask)
		if (map->slots[i].key == key)
			return map->slots[i].value;
	return NULL;
}

/* Sets or replaces the value of key. false when memory ran out; the map is as before. */
bool map_set(struct map *map, uint64_t key, void *value);

/* An odd random number of the process, by which keys that have two parts are made: one part times it, and the other. */
uint64_t map_factor(void);

/* A key for a text, which depends on random numbers of the process, too. Two texts may have the same. */
uint64_t map_text_key(const char *text, size_t n_bytes);

void map_done(struct map *map);

#endif
