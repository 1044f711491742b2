/* SPDX-License-Identifier: MIT */
/* What the files of definitions share. A `take` function reads its item into the model: false: memory ran out. */
#ifndef STORE_DEFINITIONS_PARTS_H
#define STORE_DEFINITIONS_PARTS_H

#include "dialect/store/definitions.h"

/* The items. What each holds is in the functions below, in the order of docs/STORE.md. */
enum item {
	ITEM_FACTS = 1,
	ITEM_CONSTANTS,
	ITEM_LAYOUT,
	ITEM_OBJECT,
	ITEM_CONTEXT,
	ITEM_PAIR,
	ITEM_WARNING,
	ITEM_ORIGIN,
	ITEM_PROCESS,
	ITEM_DIALECT,
	ITEM_ORIGIN_END,
	N_ITEMS
};

/* --- disguise.c --- */

/*
 * The other name in place of *name, unless that is NULL. *n_bytes: its length; NULL if it ends with NUL.
 * Returns false if memory ran out.
 */
bool name_disguise(struct disguise *disguise, enum rst_object_kind kind, const char **name, size_t *n_bytes);

/* --- definitions.c --- */

/* What is of the trace as a whole: facts, origins, pairs of clocks, warnings. */
bool definitions_put_facts(struct definitions *definitions, struct bytes *to);

/* --- layouts.c --- */

/* Tables whose names have changed, and layouts that are new, with the tables that they need in front. */
bool constants_put_changed(struct definitions *definitions, struct bytes *to);
bool constants_take(struct definitions *definitions, struct codec *codec);
bool constants_write(struct definitions *definitions, size_t number, struct bytes *to);
bool layout_put(struct definitions *definitions, size_t index, struct bytes *to);
bool dialect_take(struct definitions *definitions, struct codec *codec);
bool layout_take(struct definitions *definitions, struct codec *codec);

/* --- merged.c --- */

/*
 * The number of a process in the merged trace, whose item is put when it is met first. Returns false if
 * memory ran out.
 */
bool process_number(struct definitions *definitions, uint64_t own, struct bytes *to, uint64_t *ret);
bool origins_put(struct definitions *definitions, struct bytes *to);
bool origin_take(struct definitions *definitions, struct codec *codec);
bool origin_end_take(struct definitions *definitions, struct codec *codec);
bool process_take(struct definitions *definitions, struct codec *codec);

/* --- named.c --- */

bool object_put(struct definitions *definitions, size_t index, struct bytes *to);
bool context_put(struct definitions *definitions, size_t index, struct bytes *to);

bool objects_put(struct definitions *definitions, struct bytes *to);
bool object_take(struct definitions *definitions, struct codec *codec);
bool contexts_put(struct definitions *definitions, struct bytes *to);
bool context_take(struct definitions *definitions, struct codec *codec);

#endif
