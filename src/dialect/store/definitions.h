/* SPDX-License-Identifier: MIT */
/*
 * What events refer to, as items that follow each other: facts of the trace, tables of constants, layouts with their types,
 * fields and effects, objects, contexts, pairs of clocks, warnings, and of a merged trace its origins and their processes. Each kind counts from 0 in the order of the model. An item
 * with a number that was there before takes the place of that one: a name may come late.
 *
 * A writer puts what has changed since it looked last, and remembers it; a reader gives the same to its own model.
 */
#ifndef STORE_DEFINITIONS_H
#define STORE_DEFINITIONS_H

#include "dialect/store/codec.h"
#include "dialect/store/disguise.h"
#include "model/model.h"

/* The names of the dialect and what its batches have: what a reader needs besides the model. */
struct store_manner {
	const char *dialect;
	unsigned columns; /* BATCH_CORE and so on */
};

/* What has numbers of its own in a store of several traces. */
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
	struct disguise *disguise; /* writing: other names in place of those of the trace; NULL: none */
	struct model *model;
	struct store_manner manner; /* writing: of the source; reading: as the last facts have it */
	bool has_facts;
	bool has_late_names; /* writing: some context got another name after it had one */

	/* By number: writing, of the source's model; reading, of our own. */
	struct rst_constants **constants;
	size_t n_constants, constants_room;
	struct context **contexts; /* reading */
	size_t n_contexts, contexts_room;

	/* Writing: what has been put, to be compared. */
	struct map constant_numbers; /* hash of the address to number + 1 */
	uint64_t *constant_hashes;
	size_t hashes_room;
	struct bytes facts, scratch;
	bool has_same_facts; /* the caller knows that no fact has changed since the last put */
	struct rst_object *objects;
	size_t n_objects, objects_room;
	struct rst_context *context_copies;
	size_t n_copies, copies_room;
	unsigned generation;
	size_t n_layouts, n_pairs, n_warnings, n_origins, n_processes, n_ends;
	const char *layouts_dialect; /* of the layouts behind; NULL: that of the trace */

	/* Merging: of one of the traces; NULL if numbers are those of the model. */
	struct numbering *numbering;
	const struct origin *origin; /* NULL: of the merged trace itself */
	const struct origin *const *
		inner; /* of a trace that was merged itself: what its origins are now, by number - 1; else NULL */
	uint64_t *numbers[N_NUMBERED]; /* + 1, by their number in the trace; 0: none yet */
	size_t numbers_room[N_NUMBERED];
	struct map process_numbers; /* struct origin_process, by its number in the trace */
	uint64_t seq_factor, seq_add;
};

void definitions_done(struct definitions *definitions);

/* Appends what is new or changed; nothing where nothing is. Returns false if memory ran out. */
bool definitions_put(struct definitions *definitions, struct bytes *to);

/* Gives the items in these bytes to the model. RST_E_DAMAGED, RST_E_NOMEM. */
enum rst_status definitions_take(
	struct definitions *definitions, const uint8_t *bytes, size_t n_bytes, struct rst_error *err);

/* All of several traces, in the order of their numbers, for END. Returns false if memory ran out. */
bool definitions_put_merged(struct definitions *merged, struct bytes *to);

/*
 * The number of something in the store; NUMBERED_NONE: the store has no room for it. Returns false if memory
 * ran out.
 */
bool definitions_number(struct definitions *definitions, enum numbered kind, size_t local, uint64_t *ret);

void numbering_done(struct numbering *numbering);

#endif
