/* SPDX-License-Identifier: MIT */
/* The records of a block CARRIED and of PART, for the writer and the reader of what a part carries. */
#ifndef STORE_CARRIED_PARTS_H
#define STORE_CARRIED_PARTS_H

#include "dialect/store/carried.h"
#include "dialect/store/codec.h"

/* How a block names the kind of an entity. */
enum {
	KIND_NONE,
	KIND_OBJECT, /* the first kind of objects; those of contexts follow them */
	KIND_CONTEXT = KIND_OBJECT + RST_N_OBJECT_KINDS,
	KIND_SPAN = KIND_CONTEXT + RST_CONTEXT_IDLE + 1,
	N_KINDS
};

/* Static text, or NULL for KIND_NONE. */
const char *carried_kind_word(unsigned kind);
unsigned carried_kind_number(const char *word);

struct entity_record {
	uint64_t form, is_number, kind, id, process;
	const char *name;
	size_t name_bytes;
};

/*
 * An interval, or a beginning, which has fewer members. Entities have numbers from 1 on; 0 means no entity.
 */
struct item_record {
	uint64_t row;  /* since the item before */
	uint64_t kind; /* of the interval; RST_N_INTERVAL_KINDS more in a beginning */
	uint64_t state, reason, certainty, core, depth;
	uint64_t subject, object, by;
	int64_t from;	       /* since the item before */
	uint64_t n_ticks;      /* how long it lasts */
	uint64_t has_from_seq; /* and so on: whether the number is known */
	int64_t from_seq;      /* since the item before */
	uint64_t has_to_seq;
	int64_t to_seq; /* since from_seq, or the item before */
	uint64_t has_value, value, value_type;
};

/* Each function writes or reads its record (codec.h). */
void record_entity(struct codec *codec, struct entity_record *record);
void record_item(struct codec *codec, struct item_record *record);
void record_part(struct codec *codec, struct rst_carried *part);

#endif
