/* SPDX-License-Identifier: MIT */
/* Definitions that the writer and the reader of a log share. */
#ifndef LOG_BLOCK_H
#define LOG_BLOCK_H

#include "log/crc32c.h"
#include "log/format.h"
#include "log/pack.h"
#include <string.h>

enum {
	BLOCK_HEAD_BYTES = sizeof(struct log_block),
	EVENTS_HEAD_BYTES = sizeof(struct log_block) + sizeof(struct log_events),
	HEADER_BYTES = sizeof(struct log_header),
	HEADER_CHECKED_BYTES = offsetof(struct log_header, crc),
	CELL_END_BYTES = 8, /* zeros behind the last block of a cell */
	CELL_BYTES_USUAL =
		4096, /* the least, if the limit of a log allows it: older readers accept no shorter cells */
	CELL_BYTES_MIN = 64, /* of a ring area; a shorter cell holds no event */
};

/* The correct .crc for a head; body has .length bytes. */
static inline uint32_t log_block_crc(crc32c_function *crc, const struct log_block *head, const void *body)
{
	struct log_block unsigned_head = *head;

	unsigned_head.crc = 0;
	return crc(crc(0, &unsigned_head, sizeof(unsigned_head)), body, head->length);
}

/* The most room that one event needs in a block. */
static inline uint64_t log_event_room(uint64_t length)
{
	return (LOG_PACKED_HEAD_MAX + length + 7) & ~7ull;
}

static inline uint64_t log_padded(uint64_t n)
{
	return (n + 7) & ~7ull;
}

static inline uint8_t log_byte_order(void)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 1 : 2;
}

#endif
