/* SPDX-License-Identifier: MIT */
#include "analysis/diff/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static struct fact *fact_find(const struct facts *facts, const char *what, size_t n_bytes)
{
	struct fact *fact = map_find(&facts->map, map_text_key(what, n_bytes));

	while (fact && (fact->what.n_bytes != n_bytes || memcmp(fact->what.bytes, what, n_bytes) != 0))
		fact = fact->same;
	return fact;
}

const struct fact *facts_find(const struct facts *facts, struct text what)
{
	return fact_find(facts, what.bytes, what.n_bytes);
}

bool facts_add(struct facts *facts, const char *what, size_t n_bytes, bool is_of_timing)
{
	struct fact *fact = fact_find(facts, what, n_bytes);
	struct fact **all;
	uint64_t key;

	if (fact) {
		fact->count++;
		fact->is_of_timing &= is_of_timing;
		return true;
	}
	all = array_room(facts->all, facts->n, &facts->room, sizeof(*all));
	fact = all ? arena_alloc(&facts->arena, sizeof(*fact)) : NULL;
	if (all)
		facts->all = all;
	if (!fact)
		return false;
	key = map_text_key(what, n_bytes);
	*fact = (struct fact){ .same = map_find(&facts->map, key),
		.what = { arena_copy(&facts->arena, what, n_bytes), n_bytes },
		.count = 1,
		.is_of_timing = is_of_timing };
	if (!fact->what.bytes || !map_set(&facts->map, key, fact))
		return false;
	facts->all[facts->n++] = fact;
	return true;
}

void facts_done(struct facts *facts)
{
	free(facts->all);
	map_done(&facts->map);
	arena_done(&facts->arena);
}
