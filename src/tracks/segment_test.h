/* SPDX-License-Identifier: MIT */
/* Compares the members of two segments; padding does not count. */
#ifndef TRACKS_SEGMENT_TEST_H
#define TRACKS_SEGMENT_TEST_H

#include <stdbool.h>

#include "tracks/segment.h"

static inline bool segment_is(const struct segment *a, const struct segment *b)
{
	return a->from == b->from && a->to == b->to && a->from_seq == b->from_seq && a->to_seq == b->to_seq &&
	       a->value == b->value && a->object == b->object && a->by == b->by && a->core == b->core &&
	       a->class == b->class && a->state == b->state && a->reason == b->reason &&
	       a->certainty == b->certainty && a->value_type == b->value_type;
}

#endif
