/* SPDX-License-Identifier: MIT */
/*
 * A part of a recording carries intervals (struct rst_carried). The whole recording shows them in the part's
 * window. Each has the row behind which it comes out. A part also has its events' numbers in the recording.
 * A block CARRIED stands in front of each segment; PART at the end says which part the store is.
 *
 * A reader uses the blocks only if PART is there and all of them are undamaged. Otherwise the state engine
 * makes intervals of the part's events, as for a store that carries nothing.
 */
#ifndef STORE_CARRIED_H
#define STORE_CARRIED_H

#include "dialect/store/blocks.h"
#include "dialect/store/disguise.h"
#include "dialect/store/packed.h"
#include "model/model.h"

/*
 * The most items of a block that is read. A segment ends early at CARRIED_ITEMS; one batch, or the end of the
 * trace, may bring more.
 */
enum { CARRIED_ITEMS = 1 << 18, CARRIED_ITEMS_MAX = 1 << 20 };

/* Intervals and beginnings follow each other by differences: the numbers of the item before. */
struct carried_before {
	uint64_t row, ticks, seq;
};

/* --- writing -------------------------------------------------------------------------------------------- */

struct carried_writer {
	const struct model *model;
	struct disguise *disguise;  /* replaces names and times; NULL if they stay */
	struct bytes entities;	    /* of the next block, … */
	struct map entity_numbers;  /* … by a key: their numbers, from 1 on … */
	struct rst_entity *written; /* … and what was written under them */
	size_t n_entities, entities_room;
	struct bytes items;
	size_t n_items;
	struct carried_before before;
	struct bytes runs;		     /* of rows whose numbers follow each other */
	uint64_t n_runs, n_left_out, n_rows; /* the run that is open */
	uint64_t next;			     /* the number of the next event, if none is left out … */
	uint64_t first;			     /* … and as it was when the block began */
	struct bytes plain;
	struct packed packed;
};

void carried_writer_done(struct carried_writer *writer);

/*
 * Notes the number of a row that the segment gets; of a marker, that of the next event. Returns false if
 * memory ran out.
 */
bool carried_number_row(struct carried_writer *writer, uint64_t number, bool is_event);

/*
 * Takes the intervals and beginnings that come out behind the row before `row`. Returns false if memory ran
 * out.
 */
bool carried_add(struct carried_writer *writer, const struct rst_carried *carried, uint64_t row);

/*
 * Appends the payload of a block, if there is anything for it, and begins the next one. Returns false if
 * memory ran out.
 */
bool carried_write(struct carried_writer *writer, struct bytes *to);

/* Appends the payload of PART. Returns false if memory ran out. */
bool part_write(const struct rst_carried *part, struct bytes *to);

/* --- reading -------------------------------------------------------------------------------------------- */

struct carried_item {
	bool is_beginning;
	struct rst_interval interval; /* of a beginning, as far as it goes */
};

struct carried_reader {
	struct packed packed;
	struct arena names; /* of the present block, as they were read */
	struct map kept;    /* map_text_key() of a name to its copy in the model */
	struct rst_entity *entities;
	size_t n_entities, entities_room;
	struct cursor runs, items;
	uint64_t n_runs, n_left; /* runs behind the present one; its rows that are still to come */
	uint64_t number;	 /* of the next event */
	struct carried_before before;
	bool has_next; /* an item that is not due yet */
	struct carried_item next;
	struct rst_interval *intervals;
	struct rst_beginning *beginnings;
	size_t intervals_room, beginnings_room;
	uint64_t seqs[RST_BATCH_EVENTS];
	/*
	 * Items that events behind the part show. They wait for the end of the trace, or come in their place
	 * in the next part.
	 */
	bool is_holding;
	struct carried_item *held;
	size_t n_held, held_room;
	/* In a part behind another one: what that one had already. */
	bool is_behind;
	uint64_t had_to, had_events;
};

void carried_reader_done(struct carried_reader *reader);

/*
 * Whether the store says which part it is, and what it carries is undamaged; if so, sets the numbers of *ret.
 */
bool part_find(const uint8_t *bytes, size_t n_bytes, struct rst_carried *ret);

/*
 * Takes a part, or the next part of the same recording behind it. Sets *ret_n_missing to the number of events
 * that are missing between them. Sets *ret_is_part to false if it is a part of another recording, or comes in
 * front of the one before. Returns false if memory ran out.
 */
bool carried_begin(struct carried_reader *reader, struct model *model, const struct rst_carried *part,
	bool *ret_is_part, uint64_t *ret_n_missing);

/*
 * Takes a block. The items that the block before still has are due. May return RST_E_DAMAGED or RST_E_NOMEM.
 */
enum rst_status carried_read(struct carried_reader *reader, struct model *model, const uint8_t *bytes,
	size_t n_bytes, struct rst_error *err);

/* Gives the model the items that come out in front of the row. Returns false if memory ran out. */
bool carried_take(struct carried_reader *reader, struct model *model, uint64_t row);

/* The same for all that are left of a part; those that later events show wait for the next part. */
bool carried_end(struct carried_reader *reader, struct model *model);

/* Gives the model what waits, since no part follows. Returns false if memory ran out. */
bool carried_finish(struct carried_reader *reader, struct model *model);

/* The number of the next row. Call it once for each row of the store. */
uint64_t carried_next_number(struct carried_reader *reader, bool is_event);

/* Whether the part in front had this row already. */
static inline bool carried_had(
	const struct carried_reader *reader, uint64_t number, bool is_event, uint64_t ticks)
{
	return reader->is_behind &&
	       (number < reader->had_events ||
		       (!is_event && number == reader->had_events && ticks <= reader->had_to));
}

#endif
