/* SPDX-License-Identifier: MIT */
/* The records of definitions that need no others: the same functions write and read them (codec.h). */
#ifndef STORE_RECORDS_H
#define STORE_RECORDS_H

#include <rastrum/effect.h>
#include <rastrum/trace.h>

#include "dialect/store/codec.h"

/* A table of constants: its name and rows. */
void record_constants(struct codec *codec, struct rst_constants *constants);

/*
 * A field without its constants, which the caller has put in front: *constants is their number + 1, or 0 if
 * it has no constants.
 */
void record_field(struct codec *codec, struct rst_field *field, uint64_t *constants);

void record_effects(struct codec *codec, struct rst_layout *layout);
void record_traits(struct codec *codec, struct rst_layout *layout);
void record_details(struct codec *codec, const struct rst_detail **details, size_t *n_details);
void record_pair(struct codec *codec, struct rst_clock_pair *pair);

/*
 * Whether operands and fields of a layout that was read match each other, which the readers of effects rely
 * on.
 */
bool record_layout_is_sound(const struct rst_layout *layout);

#endif
