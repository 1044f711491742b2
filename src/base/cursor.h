/* SPDX-License-Identifier: MIT */
/*
 * A cursor goes through untrusted bytes; it is a window that only shrinks. Every take first checks the number
 * of bytes left, then moves on. A failed take does not move the cursor, so cursor_offset() is then the byte
 * where the input ended.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stddef.h>

#include "base/check.h"
#include "base/load.h"

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	const uint8_t *start;
};

static inline struct cursor cursor_over(const uint8_t *bytes, size_t n_bytes)
{
	return (struct cursor){ .at = bytes, .end = bytes + n_bytes, .start = bytes };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline uint64_t cursor_offset(const struct cursor *c)
{
	return (uint64_t)(c->at - c->start);
}

/*
 * Takes the next n_bytes bytes, which may be read without further checks. Returns NULL if fewer bytes are
 * left.
 */
static inline const uint8_t *cursor_take(struct cursor *c, size_t n_bytes)
{
	const uint8_t *run = c->at;

	check(c->start <= c->at && c->at <= c->end);
	if (n_bytes > cursor_left(c))
		return NULL;
	c->at += n_bytes;
	return run;
}

#endif
