/* SPDX-License-Identifier: MIT */
/*
 * The reader of hook words and everything behind it, over arbitrary bytes. The first byte chooses how they
 * are shown, and whether a good header is put in front of them, and which.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect/aix/aix.h"
#include "fuzz/bomb.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OWN_HEADER = 128, IS_64 = 64, IS_BIG = 32, HAS_CORES = 16, IS_STAMPED = 8, OUTPUT = 7 };

static void header_make(uint8_t *header, uint8_t choice)
{
	memcpy(header, "RSTA\1", 5);
	header[5] = choice & IS_BIG ? 1 : 0;
	header[6] = choice & IS_64 ? 8 : 4;
	header[12] = (uint8_t)((choice & HAS_CORES ? 1 : 0) | (choice & IS_STAMPED ? 4 : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rst_open how = { .dialect = "aix" };
	size_t n_header;
	uint8_t *copy, *grown;
	const uint8_t choice = size ? *data : 0;

	if (!size)
		return 0;
	n_header = data[0] & OWN_HEADER ? AIX_HEADER_BYTES : 0;
	grown = grow(data + 1, size - 1, &size);
	copy = grown ? calloc(1, n_header + size + !(n_header + size)) : NULL;
	if (copy && n_header)
		header_make(copy, choice);
	if (copy)
		memcpy(copy + n_header, grown, size);
	if (copy && !is_bomb(copy, n_header + size))
		show_whole(copy, n_header + size, &how, (choice & OUTPUT) % 5);
	free(copy);
	free(grown);
	return 0;
}
