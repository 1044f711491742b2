/* SPDX-License-Identifier: MIT */
/* The table of wrappings, and the faults that they note. */
#include "input/wrapping/wrapping.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The surest claims come first: plain hexadecimal text has no mark of its own. */
static const struct wrapping *const wrappings[] = {
	&wrapping_gzip,
	&wrapping_zstd,
	&wrapping_xz,
	&wrapping_bzip2,
	&wrapping_ihex,
	&wrapping_srec,
	&wrapping_hexdump,
	&wrapping_array,
	&wrapping_hex,
};

static const char wrapping_nested_text[] = " (in the unpacked data)";

const struct wrapping *wrapping_find(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	for (size_t i = 0; i < sizeof(wrappings) / sizeof(*wrappings); i++)
		if (wrappings[i]->probe(bytes, n_bytes, is_whole))
			return wrappings[i];
	return NULL;
}

void wrapping_fault(struct wrapping_io *io, uint64_t offset, uint64_t n_bytes, const char *format, ...)
{
	struct wrapping_faults *faults = io->faults;
	va_list args;

	faults->n_all++;
	if (faults->n_kept == SOURCE_FAULTS_MAX)
		return;
	struct wrapping_broken *fault = &faults->kept[faults->n_kept++];

	fault->offset = offset;
	fault->n_bytes = n_bytes;
	va_start(args, format);
	/* Cut the text so that the words about the offset always fit. */
	vsnprintf(fault->what, sizeof(fault->what) - sizeof(wrapping_nested_text) + 1, format, args);
	va_end(args);
	if (io->is_nested)
		strcat(fault->what, wrapping_nested_text);
}
