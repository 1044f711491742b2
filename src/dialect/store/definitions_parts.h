/* SPDX-License-Identifier: MIT */
/*
 * Functions that the files of definitions share. A `take` function reads its item into the model; it returns
 * false if memory ran out.
 */
#ifndef STORE_DEFINITIONS_PARTS_H
#define STORE_DEFINITIONS_PARTS_H

#include "dialect/store/definitions.h"

/* The items. The functions below show the contents of each, in the order of docs/STORE.md. */
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
	ITEM_SAME,
	N_ITEMS
};

/* --- disguise.c ----------------------------------------------------------------------------------------- */

/*
 * Replaces *name, unless it is NULL, with the disguised name. *n_bytes is its length; n_bytes is NULL if the
 * name ends with NUL. Returns false if memory ran out.
 */
bool name_disguise(struct disguise *disguise, enum rst_object_kind kind, const char **name, size_t *n_bytes);

/* --- definitions.c -------------------------------------------------------------------------------------- */

/* Puts the items that belong to the trace as a whole: facts, origins, clock pairs, warnings. */
bool definitions_put_facts(struct definitions *definitions, struct bytes *to);

/* --- layouts.c ------------------------------------------------------------------------------------------ */

/* Put the tables whose names have changed, and new layouts, after the tables that they need. */
bool constants_put_changed(struct definitions *definitions, struct bytes *to);
bool constants_take(struct definitions *definitions, struct codec *codec);
bool constants_write(struct definitions *definitions, size_t number, struct bytes *to);
bool layout_put(struct definitions *definitions, size_t index, struct bytes *to);
bool dialect_take(struct definitions *definitions, struct codec *codec);
bool layout_take(struct definitions *definitions, struct codec *codec);

/* --- merged.c ------------------------------------------------------------------------------------------- */

/*
 * Gives the number of a process in the merged trace. Puts its item the first time. Returns false if memory
 * ran out.
 */
bool process_number(struct definitions *definitions, uint64_t own, struct bytes *to, uint64_t *ret);
bool origins_put(struct definitions *definitions, struct bytes *to);
bool origin_take(struct definitions *definitions, struct codec *codec);
bool origin_end_take(struct definitions *definitions, struct codec *codec);
bool process_take(struct definitions *definitions, struct codec *codec);

/* --- named.c -------------------------------------------------------------------------------------------- */

bool object_put(struct definitions *definitions, size_t index, struct bytes *to);
bool context_put(struct definitions *definitions, size_t index, struct bytes *to);

bool objects_put(struct definitions *definitions, struct bytes *to);
bool object_take(struct definitions *definitions, struct codec *codec);
bool same_take(struct definitions *definitions, struct codec *codec);
bool contexts_put(struct definitions *definitions, struct bytes *to);
bool context_take(struct definitions *definitions, struct codec *codec);

#endif
