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
	N_ITEMS
};

/* --- layouts.c --- */

/* Tables whose names have changed, and layouts that are new, with the tables that they need in front. */
bool constants_put_changed(struct definitions *definitions, struct bytes *to);
bool constants_take(struct definitions *definitions, struct codec *codec);
bool layout_put(struct definitions *definitions, size_t index, struct bytes *to);
bool layout_take(struct definitions *definitions, struct codec *codec);

/* --- named.c --- */

bool objects_put(struct definitions *definitions, struct bytes *to);
bool object_take(struct definitions *definitions, struct codec *codec);
bool contexts_put(struct definitions *definitions, struct bytes *to);
bool context_take(struct definitions *definitions, struct codec *codec);

#endif
