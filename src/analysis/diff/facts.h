/* SPDX-License-Identifier: MIT */
/*
 * The findings of a trace, in words, each with its count. Two traces have the same finding if the words are
 * equal.
 */
#ifndef ANALYSIS_DIFF_FACTS_H
#define ANALYSIS_DIFF_FACTS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"

struct fact {
	struct fact *same; /* of the same key */
	struct text what;
	uint64_t count;
	bool is_of_timing; /* each time, the load of the machine may have caused it */
};

/* All zero is an empty set. */
struct facts {
	struct arena arena;
	struct map map;
	struct fact **all; /* in the order in which they were added */
	size_t n, room;
};

/* Counts it; the words are copied. Returns false if memory ran out. */
bool facts_add(struct facts *facts, const char *what, size_t n_bytes, bool is_of_timing);

/* Finds a fact. Returns NULL if it is not there. */
const struct fact *facts_find(const struct facts *facts, struct text what);

void facts_done(struct facts *facts);

#endif
