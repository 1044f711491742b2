/* SPDX-License-Identifier: MIT */
#include "input/wrapping/section.h"

#include <string.h>

void section_put(struct section *section, const struct line_place *line, struct wrapping_io *io,
	uint64_t address, size_t n_data, bool is_sound)
{
	const uint64_t n_ahead = section_ahead(section, address);
	const bool is_near = section->has_next && n_ahead <= SECTION_FILL_MAX;
	const bool is_told = n_ahead <= section->n_lost_max;

	if (!is_sound && !(is_near && is_told)) {
		section->next += n_data;
		return;
	}
	if (is_near && !is_told)
		wrapping_fault(io, line->offset, 0,
			"line %llu: %llu bytes are missing here: address 0x%llx follows 0x%llx; given as 00",
			(unsigned long long)line->number, (unsigned long long)n_ahead,
			(unsigned long long)address, (unsigned long long)(section->next & section->mask));
	section->n_fill = is_near ? (size_t)n_ahead : 0;
	section->next = address + n_data;
	section->has_next = true;
	section->n_lost_max = 0;
}

void section_fill(struct section *section, struct wrapping_io *io)
{
	const size_t n = section->n_fill < io->n_out ? section->n_fill : io->n_out;

	memset(io->out, 0, n);
	section->n_fill -= n;
	wrapping_make(io, n);
}
