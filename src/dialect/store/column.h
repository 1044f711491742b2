/* SPDX-License-Identifier: MIT */
/*
 * Writes a column of numbers as bytes, in the shortest of these forms:
 *
 *	0 steps            first, step: value i is first + i × step
 *	1 changes          differences to the value before, with their sign, as numbers; of version 1 of the store
 *	2 numbers          the values as numbers; of version 1
 *	3 packed changes   differences as above …
 *	4 packed numbers   … or values, 64 at a time: how many bits the largest has (one byte), then so many bits of each
 */
#ifndef STORE_COLUMN_H
#define STORE_COLUMN_H

#include "dialect/store/codec.h"

enum { COLUMN_GROUP = 64 }; /* values packed together: a group of n-bit values takes n words of 64 bits */

/*
 * If is_packed, the column is not written as steps, so that it has at least one byte for each group. Returns
 * false if memory ran out.
 */
bool column_write(const uint64_t *column, size_t n_rows, bool is_packed, struct bytes *to);

/* Returns false if the bytes are not valid. */
bool column_read(struct cursor *from, uint64_t *column, size_t n_rows);

#endif
