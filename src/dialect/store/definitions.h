/* SPDX-License-Identifier: MIT */
/*
 * What events refer to, as items that follow each other: facts of the trace, tables of constants, layouts with their types,
 * fields and effects, objects, contexts, pairs of clocks, warnings. Each kind counts from 0 in the order of the model. An item
 * with a number that was there before takes the place of that one: a name may come late.
 *
 * A writer puts what has changed since it looked last, and remembers it; a reader gives the same to its own model.
 */
#ifndef STORE_DEFINITIONS_H
#define STORE_DEFINITIONS_H

#include "dialect/store/codec.h"
#include "model/model.h"

/* The names of the dialect and what its batches have: what a reader needs besides the model. */
struct store_manner {
	const char *dialect;
	unsigned columns; /* BATCH_CORE and so on */
};

struct definitions {
	struct model *model;
	struct store_manner manner; /* writing: of the source; reading: as the last facts have it */
	bool has_facts;

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
	struct rst_object *objects;
	size_t n_objects, objects_room;
	struct rst_context *context_copies;
	size_t n_copies, copies_room;
	unsigned generation;
	size_t n_layouts, n_pairs, n_warnings;
};

void definitions_done(struct definitions *definitions);

/* Appends what is new or changed; nothing where nothing is. false: memory ran out. */
bool definitions_put(struct definitions *definitions, struct bytes *to);

/* Gives the items in these bytes to the model. RST_E_DAMAGED, RST_E_NOMEM. */
enum rst_status definitions_take(
	struct definitions *definitions, const uint8_t *bytes, size_t n_bytes, struct rst_error *err);

#endif
