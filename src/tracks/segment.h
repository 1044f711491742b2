/* SPDX-License-Identifier: MIT */
/* The state of a track between two moments. */
#ifndef TRACKS_SEGMENT_H
#define TRACKS_SEGMENT_H

#include <rastrum/state.h>

#include <stddef.h>

#include "base/number.h"

/*
 * The class of a segment selects how a picture shows it. It is the state; but waiting has a class for each
 * reason, after the states, and kinds without states have CLASS_ON.
 */
enum { CLASS_ON = RST_N_STATES, CLASS_WAITING, N_CLASSES = CLASS_WAITING + RST_N_REASONS };

struct segment {
	uint64_t from, to;	   /* ticks; from < to */
	uint64_t from_seq, to_seq; /* or RST_NO_SEQ */
	uint64_t value;		   /* of a level */
	uint32_t object, by;	   /* numbers of entities, or TRACK_NO_ENTITY */
	uint16_t core;		   /* or RST_NO_CORE */
	uint8_t class, state, reason, certainty;
	uint8_t value_type; /* the type of value: enum rst_field_type, as in intervals */
};

static inline struct number segment_value(const struct segment *segment)
{
	return number_as(segment->value, (enum rst_field_type)segment->value_type);
}

#endif
