/* SPDX-License-Identifier: MIT */
/* Finds wrapped input that unpacks to far more bytes than it has: no fuzzer of a dialect learns from it. */
#ifndef FUZZ_BOMB_H
#define FUZZ_BOMB_H

#include "input/source.h"

/*
 * Unpacked input may have SOURCE_WHOLE_MAX bytes, and a few hundred bytes of zstd in zstd unpack to as many.
 * A reader that is built for a fuzzer takes seconds for them. Fuzzers read wrapped input only if it unpacks
 * to at most unpacked_max bytes.
 */
static inline bool is_bomb(const uint8_t *data, size_t size)
{
	const size_t unpacked_max = (size_t)1 << 20;
	struct source *source;
	struct input_item item;
	size_t n_made = 0;

	if (source_open_bytes(&source, data, size, "fuzz", NULL) < 0)
		return false;
	while (n_made <= unpacked_max && source_next(source, INPUT_AS_IT_COMES, &item, NULL) == RST_OK &&
		item.kind != INPUT_END)
		n_made += item.kind == INPUT_BYTES ? item.n_bytes : 0;
	source_free(source);
	return n_made > size && n_made > unpacked_max;
}

#endif
