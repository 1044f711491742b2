/* SPDX-License-Identifier: MIT */
/*
 * A map from a 64-bit key (an address, an id) to a pointer. It uses open addressing with linear probing, and
 * is at most half full. It never shrinks, and keys are never removed. A map of all zeros is empty. Values are
 * borrowed and must not be NULL.
 *
 * Keys come from the input, which may choose them so that they collide. So the first slot of a key depends on
 * random numbers of the process. No output may depend on the order of slots.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key;
	void *value; /* NULL if the slot is free */
};

struct map {
	struct map_slot *slots;
	size_t mask; /* slots - 1, a power of two less one */
	size_t n_used;
	uint64_t seed, factor; /* random numbers of the process; factor is odd */
};

/*
 * The first slot of a key. A random odd factor makes collisions of two keys as rare as chance (multiply-shift
 * hashing). The second step breaks up runs of keys at equal distances. Otherwise they would stay runs,
 * through which linear probing goes.
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

/* Sets or replaces the value of key. Returns false if memory ran out; the map is then unchanged. */
bool map_set(struct map *map, uint64_t key, void *value);

/*
 * An odd random number of the process, for keys of two parts: one part is multiplied by it, and combined with
 * the other.
 */
uint64_t map_factor(void);

/* A key for a text, which also depends on random numbers of the process. Two texts may have the same key. */
uint64_t map_text_key(const char *text, size_t n_bytes);

void map_done(struct map *map);

#endif
