/* SPDX-License-Identifier: MIT */
/* What a track did from one moment to another. */
#ifndef STORE_SEGMENT_H
#define STORE_SEGMENT_H

#include <rastrum/state.h>

#include <stddef.h>

#include "base/number.h"

/*
 * What a segment is in a picture: its state; waiting has a class for each reason, behind the states; kinds without states have
 * CLASS_ON.
 */
enum { CLASS_ON = RST_N_STATES, CLASS_WAITING, N_CLASSES = CLASS_WAITING + RST_N_REASONS };

struct segment {
	uint64_t from, to;	   /* ticks; from < to */
	uint64_t from_seq, to_seq; /* or RST_NO_SEQ */
	uint64_t value;		   /* of a level */
	uint32_t object, by;	   /* numbers of entities, or TRACK_NO_ENTITY */
	uint16_t core;		   /* or RST_NO_CORE */
	uint8_t class, state, reason, certainty;
	uint8_t value_type; /* how value reads: enum rst_field_type, as of intervals */
};

static inline struct number segment_value(const struct segment *segment)
{
	return number_as(segment->value, (enum rst_field_type)segment->value_type);
}

#endif
