/* SPDX-License-Identifier: MIT */
/*
 * The compact reader and everything behind it, over arbitrary bytes. The first byte chooses how they come and
 * are shown; its highest bit has all checksums corrected first, so that the inside of blocks is met.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect/compact/compact.h"
#include "fuzz/bomb.h"
#include "fuzz/chunks.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void correct_checksums(uint8_t *bytes, size_t n_bytes)
{
	for (size_t at = 0; at + COMPACT_HEAD_BYTES + COMPACT_CHECKSUM_BYTES <= n_bytes;) {
		size_t n = COMPACT_HEAD_BYTES + (size_t)bytes[at + 2];
		uint16_t sum;

		if (bytes[at] != COMPACT_MARK || at + n + COMPACT_CHECKSUM_BYTES > n_bytes) {
			at++;
			continue;
		}
		sum = compact_checksum(bytes + at + 1, n - 1);
		bytes[at + n] = (uint8_t)sum;
		bytes[at + n + 1] = (uint8_t)(sum >> 8);
		at += n + COMPACT_CHECKSUM_BYTES;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rst_open how = { .dialect = "compact" };
	uint8_t choice, *copy;

	if (!size)
		return 0;
	choice = *data++;
	size--;
	copy = grow(data, size, &size);
	if (!copy)
		return 0;
	if (choice & 128)
		correct_checksums(copy, size);
	dialect_compact.probe(copy, size, true);
	if (choice & 4)
		chunks_read(&dialect_compact, &how, copy, size, 1U + (choice >> 3 & 15));
	else if (!is_bomb(copy, size))
		show_whole(copy, size, &how, choice & 8 ? SHOW_SUMMARY : choice & 3);
	free(copy);
	return 0;
}
