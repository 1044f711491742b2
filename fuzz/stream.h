/* SPDX-License-Identifier: MIT */
/*
 * The fuzz target of a dialect that is a stream: the reader and everything behind it, over arbitrary bytes.
 * The first byte chooses how the stream is shown, and in what chunks it comes. The rest is the stream.
 */
#ifndef FUZZ_STREAM_H
#define FUZZ_STREAM_H

#include <stdlib.h>

#include "dialect/dialect.h"
#include "fuzz/bomb.h"
#include "fuzz/chunks.h"
#include "fuzz/show.h"

static inline void stream_fuzz(const struct dialect *dialect, const uint8_t *data, size_t size)
{
	const struct rst_open how = { .dialect = dialect->name };
	uint8_t choice, *copy;

	if (!size)
		return;
	choice = *data;
	copy = grow(data + 1, size - 1, &size);
	if (!copy)
		return;
	if (choice & 4)
		chunks_read(dialect, &how, copy, size, 1U + (choice >> 4 & 15));
	else if (!is_bomb(copy, size))
		show_whole(copy, size, &how, choice & 128 ? SHOW_SUMMARY : choice & 3);
	free(copy);
}

#endif
