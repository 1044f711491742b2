/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include "tests/tap.h"

enum { N_MANY = 5000 };

static int values[N_MANY];

static void check_edges(void)
{
	struct map map = { 0 };

	ok(map_find(&map, 0) == NULL, "an empty map has nothing, not even for key 0");
	ok(map_set(&map, 0, &values[0]) && map_set(&map, UINT64_MAX, &values[1]),
		"the least and the largest key can be set");
	ok(map_find(&map, 0) == &values[0] && map_find(&map, UINT64_MAX) == &values[1],
		"the least and the largest key are found");
	ok(map_find(&map, 1) == NULL, "a key beside them is not");
	ok(map_set(&map, 0, &values[2]) && map_find(&map, 0) == &values[2] && map.n_used == 2,
		"setting a key again replaces its value and adds nothing");
	map_done(&map);
	ok(map_find(&map, 0) == NULL && map.n_used == 0, "a map that is done is an empty one");
	map_done(&map);
	ok(true, "a map can be done twice");
}

/* Tests keys a stride apart: numbers, or addresses like those of the objects of a target. */
static void check_many(uint64_t stride, const char *what)
{
	struct map map = { 0 };
	bool is_set = true, is_found = true, is_absent = true;

	for (uint64_t i = 0; i < N_MANY; i++)
		is_set &= map_set(&map, i * stride, &values[i]);
	for (uint64_t i = 0; i < N_MANY; i++) {
		is_found &= map_find(&map, i * stride) == &values[i];
		is_absent &= map_find(&map, (N_MANY + i) * stride) == NULL;
	}
	ok(is_set && is_found && map.n_used == N_MANY, "%s: all keys are found after growing", what);
	ok(is_absent, "%s: their neighbours are not", what);
	ok(2 * map.n_used <= map.mask + 1, "%s: the map is at most half full", what);
	map_done(&map);
}

/* Keys with the same home slot are searched one after the other, also past the end of the table. */
static void check_collisions(void)
{
	struct map map = { 0 };
	uint64_t keys[12];
	size_t n = 0;
	bool is_found = true;

	map_set(&map, 0, &values[0]);
	for (uint64_t key = 1; n < 12; key++)
		if (map_home(&map, key) == map.mask)
			keys[n++] = key;
	for (size_t i = 0; i < n; i++)
		map_set(&map, keys[i], &values[i + 1]);
	for (size_t i = 0; i < n; i++)
		is_found &= map_find(&map, keys[i]) == &values[i + 1];
	ok(map.mask == 31 && is_found && map_find(&map, 0) == &values[0],
		"keys that collide at the last slot go on at the first");
	map_done(&map);
}

/* The number of slots that are visited to find each key once. */
static uint64_t count_steps(const struct map *map)
{
	uint64_t n = 0;

	for (size_t i = 0; i <= map->mask; i++)
		if (map->slots[i].value)
			n += 1 + ((i - map_home(map, map->slots[i].key)) & map->mask);
	return n;
}

/* factor * inverse is 1 modulo 2^64: Newton's iteration, which doubles the right bits. */
static uint64_t inverse_of(uint64_t factor)
{
	uint64_t inverse = factor;

	for (unsigned i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	return inverse;
}

/* Multiplying these keys by a known constant makes 1, 2, 3, …, whose upper bits are all equal. */
static void check_flood(void)
{
	const uint64_t inverse = inverse_of(0x9e3779b97f4a7c15U);
	struct map made = { 0 }, strided = { 0 };

	for (uint64_t i = 0; i < N_MANY; i++) {
		map_set(&made, i * inverse, &values[i]);
		map_set(&strided, i << 32, &values[i]);
	}
	ok(inverse * 0x9e3779b97f4a7c15U == 1 && count_steps(&made) < (uint64_t)4 * N_MANY,
		"keys made to meet in one slot do not");
	ok(count_steps(&strided) < (uint64_t)4 * N_MANY, "nor do keys without lower bits");
	ok(made.seed == strided.seed && made.factor % 2 == 1, "all maps of a process hash alike");
	map_done(&made);
	map_done(&strided);
}

static void check_no_memory(void)
{
	struct map map = { 0 };
	bool is_kept = true;
	uint64_t n = 0;

	tap_fail_alloc_after(0);
	ok(!map_set(&map, 1, &values[1]) && map_find(&map, 1) == NULL,
		"without memory the first key is refused");
	tap_fail_alloc_after(1);
	while (map_set(&map, n, &values[n]))
		n++;
	tap_fail_alloc_after(-1);
	for (uint64_t i = 0; i < n; i++)
		is_kept &= map_find(&map, i) == &values[i];
	ok(n == 16 && is_kept && map_find(&map, n) == NULL,
		"a map that cannot grow is as it was before the key that was refused");
	ok(map_set(&map, n, &values[n]) && map_find(&map, n) == &values[n],
		"and takes it once there is memory");
	map_done(&map);
}

int main(void)
{
	check_edges();
	check_many(1, "numbers in a row");
	check_many(0x100, "addresses 256 bytes apart");
	check_many((uint64_t)1 << 33, "addresses 8 GiB apart");
	check_collisions();
	check_flood();
	check_no_memory();
	return tap_done();
}
