/* SPDX-License-Identifier: MIT */
/*
 * The scanner of LiteOS streams over arbitrary bytes: as a whole and in chunks. The first byte chooses the
 * order, how long chunks are, and whether the checks of messages are made good, without which hardly any
 * would get further.
 */
#include <stdlib.h>

#include "base/crc16.h"
#include "dialect/liteos/stream.h"
#include "fuzz/bomb.h"
#include "fuzz/chunks.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever looks like the head of a message gets the check of its body. */
static void mend(uint8_t *bytes, size_t n_bytes, bool is_big)
{
	for (size_t at = 0; at + LITEOS_MESSAGE_HEAD <= n_bytes; at++) {
		size_t n_body = load_u16(bytes + at + 2, is_big);

		if (bytes[at] != LITEOS_MAGIC || n_body > n_bytes - at - LITEOS_MESSAGE_HEAD)
			continue;
		liteos_store(bytes + at + 4, 2, is_big, crc16(bytes + at + LITEOS_MESSAGE_HEAD, n_body));
		at += LITEOS_MESSAGE_HEAD + n_body - 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { IN_FILE_ORDER = 1, BIG = 2, MENDED = 4, CHUNKS = 8 };
	const struct rst_open how = { .dialect = "liteos", .in_file_order = size && *data & IN_FILE_ORDER };
	uint8_t *copy;

	if (size < 2)
		return 0;
	const uint8_t choice = *data;

	copy = grow(data + 1, size - 1, &size);
	if (!copy)
		return 0;
	if (choice & MENDED)
		mend(copy, size, choice & BIG);
	if (choice & CHUNKS)
		chunks_read(&dialect_liteos, &how, copy, size, 1 + (size_t)(choice >> 4) * 37);
	else if ((choice >> 4) % 6 > SHOW_SUMMARY)
		chunks_read(&dialect_liteos, &how, copy, size, 0);
	else if (!is_bomb(copy, size))
		show_whole(copy, size, &how, (choice >> 4) % 6);
	free(copy);
	return 0;
}
