/* SPDX-License-Identifier: MIT */
/*
 * Finds the place of data that comes in lines with addresses. Data is joined in the order of lines, as TraceX
 * does. But the data holds offsets into itself, so a lost line must not move the ones behind it. If an
 * address is a little ahead of the expected one, the data before it was lost, and zeros take its place. If an
 * address is far ahead, or behind, it begins another section, and its value means nothing.
 */
#ifndef INPUT_WRAPPING_SECTION_H
#define INPUT_WRAPPING_SECTION_H

#include "input/wrapping/line.h"

enum { SECTION_FILL_MAX = 4096 }; /* an address further ahead begins another section */

struct section {
	uint64_t mask; /* addresses wrap around behind it */
	bool has_next;
	uint64_t next;	     /* the expected address of the next data */
	uint64_t n_lost_max; /* the most bytes in the unusable lines since the last data */
	size_t n_fill;	     /* zeros to give before the data */
};

/* Returns the bytes from the expected address to this one: those missing, or a large number. */
static inline uint64_t section_ahead(const struct section *section, uint64_t address)
{
	return (address - section->next) & section->mask;
}

/*
 * Notes a fault if bytes are missing before data, unless unusable lines explain it.
 * is_sound: the address can be trusted; otherwise it is used only if it is near the expected one and such
 * lines explain the gap.
 */
void section_put(struct section *section, const struct line_place *line, struct wrapping_io *io,
	uint64_t address, size_t n_data, bool is_sound);

/* Gives the zeros that are due, as far as room lasts. */
void section_fill(struct section *section, struct wrapping_io *io);

#endif
