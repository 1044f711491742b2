/* SPDX-License-Identifier: MIT */
/*
 * Where data belongs that comes in lines with addresses. Data is joined in the order of lines, as TraceX does, but what is in
 * it holds places of itself, so a line that was lost must not move the ones behind it: an address a little ahead of where it
 * should be has lost what was before it, and zeros are put there. One that is far ahead, or behind, begins another section,
 * and its address means nothing.
 */
#ifndef INPUT_WRAPPING_SECTION_H
#define INPUT_WRAPPING_SECTION_H

#include "input/wrapping/line.h"

enum { SECTION_FILL_MAX = 4096 }; /* further ahead is another section */

struct section {
	uint64_t mask; /* of addresses, which run over behind it */
	bool has_next;
	uint64_t next;	     /* the address that the next data should have */
	uint64_t n_lost_max; /* bytes that lines left out since the last data may have had */
	size_t n_fill;	     /* zeros to give before the data */
};

/* Bytes between where data should be and address: what is missing, or a large number. */
static inline uint64_t section_ahead(const struct section *section, uint64_t address)
{
	return (address - section->next) & section->mask;
}

/*
 * Finds out whether bytes are missing before data, and notes that as a fault, unless lines left out explain it. is_sound:
 * the address can be trusted, else only when it is the expected one.
 */
void section_put(struct section *section, const struct line_place *line, struct wrapping_io *io,
	uint64_t address, size_t n_data, bool is_sound);

/* Gives the zeros that are due, as far as there is room. */
void section_fill(struct section *section, struct wrapping_io *io);

#endif
