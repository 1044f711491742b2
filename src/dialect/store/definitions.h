/* SPDX-License-Identifier: MIT */
/*
 * The things that events refer to, as a sequence of items: facts of the trace, tables of constants, layouts
 * (with types, fields and effects), objects, contexts, clock pairs and warnings. A merged trace also has
 * origins and their processes. Each kind counts from 0 in the order of the model. An item with an earlier
 * number replaces the earlier item, because a name may come late.
 *
 * A writer puts the items that have changed since the last time, and remembers them; a reader gives them to
 * its own model.
 */
#ifndef STORE_DEFINITIONS_H
#define STORE_DEFINITIONS_H

#include "dialect/store/codec.h"
#include "dialect/store/disguise.h"
#include "model/model.h"

/* The name of the dialect, and the columns of its batches: a reader needs both besides the model. */
struct store_manner {
	const char *dialect;
	unsigned columns; /* BATCH_CORE and so on */
};

/* The kinds of items that have their own numbers in a store of several traces. */
enum numbered { NUMBERED_CONSTANTS, NUMBERED_LAYOUTS, NUMBERED_OBJECTS, NUMBERED_CONTEXTS, N_NUMBERED };

struct numbered_place {
	struct definitions *of;
	size_t local; /* its number in its own trace */
};

/* Numbers of the items of several traces, in the order in which they were put. */
struct numbering {
	struct numbered_place *places[N_NUMBERED];
	size_t n_places[N_NUMBERED], rooms[N_NUMBERED];
	struct definitions *whole; /* of the merged trace */
	bool is_mixed;		   /* the traces are of several dialects */
};

#define NUMBERED_NONE UINT64_MAX

struct definitions {
	struct disguise *disguise; /* writing: replaces the names of the trace; NULL if they stay */
	struct model *model;
	struct store_manner manner; /* writing: of the source; reading: from the last facts */
	bool has_facts;
	bool has_late_names; /* writing: a context got another name after it had one */

	/* By number. When writing, they belong to the source's model; when reading, to our own. */
	struct rst_constants **constants;
	size_t n_constants, constants_room;
	struct context **contexts; /* reading */
	size_t n_contexts, contexts_room;

	/* Writing: the items that were put, for comparison. */
	struct map constant_numbers; /* hash of the address to number + 1 */
	uint64_t *constant_hashes;
	size_t hashes_room;
	struct bytes facts, scratch;
	bool has_same_facts; /* set by the caller: no fact has changed since the last put */
	struct rst_object *objects;
	size_t n_objects, objects_room;
	struct rst_context *context_copies;
	size_t n_copies, copies_room;
	unsigned generation;
	size_t n_layouts, n_pairs, n_warnings, n_origins, n_processes, n_ends;
	const char *layouts_dialect; /* of the following layouts; NULL: that of the trace */

	/* Merging: these belong to one of the traces; numbering is NULL if numbers are those of the model. */
	struct numbering *numbering;
	const struct origin *origin; /* NULL for the merged trace itself */
	/* if the trace was merged itself: the new origins of its own, by number - 1 */
	const struct origin *const *inner;
	uint64_t *numbers[N_NUMBERED]; /* + 1, by their number in the trace; 0: not yet given */
	size_t numbers_room[N_NUMBERED];
	struct map process_numbers; /* struct origin_process, by its number in the trace */
	uint64_t seq_factor, seq_add;
};

void definitions_done(struct definitions *definitions);

/* Appends the new and changed items, if any. Returns false if memory ran out. */
bool definitions_put(struct definitions *definitions, struct bytes *to);

/* Gives the items in these bytes to the model. May return RST_E_DAMAGED or RST_E_NOMEM. */
enum rst_status definitions_take(
	struct definitions *definitions, const uint8_t *bytes, size_t n_bytes, struct rst_error *err);

/*
 * Puts all items of several traces, in the order of their numbers, for END. Returns false if memory ran out.
 */
bool definitions_put_merged(struct definitions *merged, struct bytes *to);

/*
 * Gives the number of an item in the store, or NUMBERED_NONE if the store has no room for it. Returns false
 * if memory ran out.
 */
bool definitions_number(struct definitions *definitions, enum numbered kind, size_t local, uint64_t *ret);

void numbering_done(struct numbering *numbering);

#endif
