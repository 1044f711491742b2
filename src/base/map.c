/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/check.h"

enum { SLOTS_MIN = 32 };

/*
 * The kernel gives each program 16 random bytes at its start. If they are missing, addresses are used
 * instead.
 */
static void take_random(uint64_t ret_numbers[2])
{
	static const char here;
	const void *random = (const void *)getauxval(AT_RANDOM);

	ret_numbers[0] = (uintptr_t)&here;
	ret_numbers[1] = (uintptr_t)stderr;
	if (random)
		memcpy(ret_numbers, random, 2 * sizeof(*ret_numbers));
}

static void map_seed(struct map *map)
{
	uint64_t numbers[2];

	take_random(numbers);
	map->seed = numbers[0];
	map->factor = numbers[1] | 1;
}

uint64_t map_factor(void)
{
	uint64_t numbers[2];

	take_random(numbers);
	return numbers[1] | 1;
}

uint64_t map_text_key(const char *text, size_t n_bytes)
{
	uint64_t numbers[2], key;

	take_random(numbers);
	key = numbers[0];
	for (size_t i = 0; i < n_bytes; i++) {
		key = (key ^ (uint8_t)text[i]) * (numbers[1] | 1);
		key ^= key >> 32;
	}
	return key;
}

static struct map_slot *map_slot_of(struct map *map, uint64_t key)
{
	size_t i = map_home(map, key);

	while (map->slots[i].value && map->slots[i].key != key)
		i = (i + 1) & map->mask;
	return &map->slots[i];
}

static bool map_grow(struct map *map)
{
	size_t n_slots = map->slots ? 2 * (map->mask + 1) : SLOTS_MIN;
	struct map grown = { .slots = calloc(n_slots, sizeof(*grown.slots)), .mask = n_slots - 1 };

	if (!grown.slots)
		return false;
	map_seed(&grown);
	for (size_t i = 0; map->slots && i <= map->mask; i++)
		if (map->slots[i].value)
			*map_slot_of(&grown, map->slots[i].key) = map->slots[i];
	grown.n_used = map->n_used;
	free(map->slots);
	*map = grown;
	return true;
}

bool map_set(struct map *map, uint64_t key, void *value)
{
	check(value);
	if ((!map->slots || 2 * (map->n_used + 1) > map->mask + 1) && !map_grow(map))
		return false;
	struct map_slot *slot = map_slot_of(map, key);

	map->n_used += slot->value == NULL;
	*slot = (struct map_slot){ .key = key, .value = value };
	return true;
}

void map_done(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}
