/* SPDX-License-Identifier: MIT */
/*
 * The SystemView reader and everything behind it, over arbitrary bytes. The first byte chooses how the stream
 * is shown, and in what chunks it comes; the rest is the stream.
 */
#include <stdlib.h>

#include "dialect/systemview/systemview.h"
#include "fuzz/bomb.h"
#include "fuzz/chunks.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rst_open how = { .dialect = "systemview" };
	uint8_t choice, *copy;

	if (!size)
		return 0;
	choice = *data;
	copy = grow(data + 1, size - 1, &size);
	if (!copy)
		return 0;
	if (choice & 4)
		chunks_read(&dialect_systemview, &how, copy, size, 1U + (choice >> 4 & 15));
	else if (!is_bomb(copy, size))
		show_whole(copy, size, &how, choice & 128 ? SHOW_SUMMARY : choice & 3);
	free(copy);
	return 0;
}
