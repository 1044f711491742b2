/* SPDX-License-Identifier: MIT */
/* The records of definitions that stand for themselves: the same functions write and read (codec.h). */
#ifndef STORE_RECORDS_H
#define STORE_RECORDS_H

#include <rastrum/effect.h>
#include <rastrum/trace.h>

#include "dialect/store/codec.h"

/* Rows of a table of constants, with its name. */
void record_constants(struct codec *codec, struct rst_constants *constants);

/* All but the constants that it points to, which record_layout()'s caller has put in front: *number is theirs + 1, 0: none. */
void record_field(struct codec *codec, struct rst_field *field, uint64_t *constants);

void record_effects(struct codec *codec, struct rst_layout *layout);
void record_traits(struct codec *codec, struct rst_layout *layout);
void record_details(struct codec *codec, const struct rst_detail **details, size_t *n_details);
void record_pair(struct codec *codec, struct rst_clock_pair *pair);

/* Whether operands and fields of a layout that was read fit to each other, as the readers of effects take for granted. */
bool record_layout_is_sound(const struct rst_layout *layout);

#endif
