/* SPDX-License-Identifier: MIT */
/* Formats that users mistake for traces that Rastrum reads: their names, and advice. */
#ifndef INPUT_FOREIGN_H
#define INPUT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct foreign {
	const char *what;   /* "an xz file" */
	const char *advice; /* one clause */
	bool is_packed;	    /* it may hold a trace in packed form */
	const char
		*like; /* the dialect that finds only damage in it, unless its probe() claims it; or NULL */
};

/* Finds the format by the first bytes. Returns NULL if no format matches. */
const struct foreign *foreign_find(const uint8_t *bytes, size_t n_bytes);

#endif
