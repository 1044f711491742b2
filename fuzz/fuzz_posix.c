/* SPDX-License-Identifier: MIT */
/*
 * The reader of POSIX trace logs over arbitrary bytes: as a whole and in chunks. The first byte chooses how
 * long chunks are, and whether checksums are made good, without which hardly any block would get further.
 */
#include <stdlib.h>

#include "dialect/posix/posix.h"
#include "fuzz/bomb.h"
#include "fuzz/chunks.h"
#include "fuzz/show.h"
#include "log/block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A header, and whatever looks like the head of a block, gets the sum of its bytes. */
static void mend(uint8_t *bytes, size_t n_bytes)
{
	crc32c_function *crc = crc32c_choose();
	struct log_block head;
	uint32_t sum;

	if (n_bytes >= HEADER_BYTES) {
		sum = crc(0, bytes, HEADER_CHECKED_BYTES);
		memcpy(bytes + HEADER_CHECKED_BYTES, &sum, sizeof(sum));
	}
	for (size_t at = HEADER_BYTES; at + sizeof(head) <= n_bytes; at += 8) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.magic != LOG_BLOCK_MAGIC || head.length > n_bytes - at - sizeof(head))
			continue;
		head.crc = log_block_crc(crc, &head, bytes + at + sizeof(head));
		memcpy(bytes + at, &head, sizeof(head));
		at += log_padded(head.length) + sizeof(head) - 8;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MENDED = 1, CHUNKS = 2 };
	const struct rst_open how = { .dialect = "posix" };
	uint8_t choice, *copy;

	if (size < 2)
		return 0;
	choice = *data;
	copy = grow(data + 1, size - 1, &size);
	if (!copy)
		return 0;
	if (choice & MENDED)
		mend(copy, size);
	if (choice & CHUNKS)
		chunks_read(&dialect_posix, &how, copy, size, 1 + (size_t)(choice >> 2) * 37);
	else if ((choice >> 2) % 6 > SHOW_SUMMARY)
		chunks_read(&dialect_posix, &how, copy, size, 0);
	else if (!is_bomb(copy, size))
		show_whole(copy, size, &how, (choice >> 2) % 6);
	free(copy);
	return 0;
}
