/* SPDX-License-Identifier: MIT */
/* Formats that are taken for traces that we read: their names, and what to do with them. */
#ifndef INPUT_FOREIGN_H
#define INPUT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct foreign {
	const char *what;   /* "an xz file" */
	const char *advice; /* one clause */
	bool is_packed;	    /* a trace may be in it, but not as it is */
	const char *like;   /* the dialect that takes it for its own and finds damage only, or NULL */
};

/* By the first bytes; NULL: none that is known. */
const struct foreign *foreign_find(const uint8_t *bytes, size_t n_bytes);

#endif
