/* SPDX-License-Identifier: MIT */
/* Names that are probably the same one, misspelt. */
#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether one becomes the other by a letter or two left out, put in, changed, or exchanged with its neighbour: as many as a
 * fifth of the longer one, and one of a short one. Case is ignored. Names of more than 63 bytes are similar to none.
 */
bool similar_names(const char *one, size_t n_one, const char *other, size_t n_other);

#endif
