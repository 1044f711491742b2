/* SPDX-License-Identifier: MIT */
/*
 * The reader of logs over arbitrary bytes: as a whole and in chunks it must find the same. The first byte
 * chooses the size of the chunks, and whether checksums are put right first, so that what lies behind them is
 * reached, too.
 */
#include <stdlib.h>

#include "log/block.h"
#include "log/scan.h"
#include "log/spans.h"
#include "log/zstd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REPAIR = 0x80 };

/* Sums of the header and of all that looks like a block and lies within the bytes, at most so many. */
static void repair(unsigned char *bytes, size_t n)
{
	enum { BLOCKS = 64 };
	unsigned int n_left = BLOCKS;
	struct log_block head;
	uint32_t crc;

	if (n < HEADER_BYTES)
		return;
	crc = crc32c_by_table(0, bytes, HEADER_CHECKED_BYTES);
	memcpy(bytes + HEADER_CHECKED_BYTES, &crc, sizeof(crc));
	for (size_t at = HEADER_BYTES; n - at >= sizeof(head) && n_left; at += 8) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.magic != LOG_BLOCK_MAGIC || head.length > n - at - sizeof(head))
			continue;
		head.crc = log_block_crc(crc32c_by_table, &head, bytes + at + sizeof(head));
		memcpy(bytes + at, &head, sizeof(head));
		n_left--;
	}
}

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void read_events(const struct log_item *item)
{
	static struct log_zstd *zstd; /* for all inputs: opening the library takes longer than most */
	const unsigned char *data, *body = item->body, *end;
	size_t length = item->block.length;
	struct log_events_cursor cursor;
	struct log_events head;
	struct log_event event;
	uint32_t n = 0;

	if (log_unzip(&zstd, item->block.flags, &body, &length) != 0 ||
		!log_events_begin(&cursor, body, length, item->block.flags, &head))
		return;
	end = body + length;
	for (; log_events_next(&cursor, &event, &data); n++)
		require(data + event.length <= end);
	require(n + cursor.n_left == head.n_events);
}

/* Checks that the items are in order, within the input, and do not overlap. */
static void check_chunk(enum log_found found, const struct log_item *item, uint64_t *at, size_t n)
{
	const uint64_t length =
		found == LOG_FOUND_BLOCK ? BLOCK_HEAD_BYTES + item->block.length : item->length;

	require(item->offset >= *at && length > 0 && item->offset + length <= n);
	*at = item->offset + length;
	if (found == LOG_FOUND_DAMAGE)
		require(item->what);
	else if (item->block.kind == LOG_EVENTS)
		read_events(item);
}

struct reader {
	struct log_scan scan;
	size_t end;    /* bytes given so far */
	uint64_t from; /* of the bytes that are still kept */
};

/* As a reader of a pipe: a copy of what is kept, so that looking elsewhere is found out. */
static enum log_found next_in_chunks(
	struct reader *reader, const uint8_t *bytes, size_t n, size_t step, struct log_item *ret_item)
{
	for (;;) {
		const bool is_end = reader->end == n;
		enum log_found found;
		unsigned char *copy;

		if (reader->scan.offset > reader->from)
			reader->from = reader->scan.offset < reader->end ? reader->scan.offset : reader->end;
		copy = malloc(reader->end - reader->from + 1);
		require(copy);
		memcpy(copy, bytes + reader->from, reader->end - reader->from);
		found = log_scan_next(
			&reader->scan, copy, reader->end - reader->from, reader->from, is_end, ret_item);
		if (found == LOG_FOUND_BLOCK)
			ret_item->body = bytes + ret_item->offset + BLOCK_HEAD_BYTES;
		free(copy);
		if (found != LOG_FOUND_MORE)
			return found;
		require(!is_end);
		reader->end = n - reader->end > step ? reader->end + step : n;
	}
}

static void compare(const uint8_t *bytes, size_t n, size_t step)
{
	struct reader reader = { 0 };
	struct log_scan scan;
	struct log_item whole, item;
	enum log_found found;
	const char *what = NULL;
	uint64_t at = 0;

	if (log_scan_begin(&scan, bytes, n, &what) != 0)
		return;
	while (log_scan_begin(&reader.scan, bytes, reader.end, &what) != 0)
		reader.end++;
	do {
		found = log_scan_next(&scan, bytes, n, 0, true, &whole);
		require(next_in_chunks(&reader, bytes, n, step, &item) == found);
		if (found == LOG_FOUND_END)
			break;
		require(whole.offset == item.offset && whole.length == item.length);
		if (found == LOG_FOUND_BLOCK)
			require(memcmp(&whole.block, &item.block, sizeof(whole.block)) == 0 &&
				whole.in_area == item.in_area && whole.body == item.body);
		check_chunk(found, &whole, &at, n);
	} while (found != LOG_FOUND_END);
}

/* Spans follow one another up to the end. */
static void check_spans(const uint8_t *bytes, size_t n)
{
	struct log_scan scan;
	struct log_span_list list;
	const char *what;
	uint64_t at, end;

	if (log_scan_begin(&scan, bytes, n, &what) != 0 || !log_spans_find(&scan, bytes, n, &list))
		return;
	at = scan.header.header_bytes;
	for (uint32_t i = 0; i < list.n; i++, at = end)
		require(log_span_get(&list, i, &end).offset == at && end > at && end <= list.end);
	require(list.end < n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *bytes;
	size_t step;

	if (size < 2)
		return 0;
	bytes = malloc(size - 1);
	require(bytes);
	memcpy(bytes, data + 1, size - 1);
	if (*data & REPAIR)
		repair(bytes, size - 1);
	step = (size_t)(*data & ~REPAIR) + 1 + size / 512;
	compare(bytes, size - 1, step);
	check_spans(bytes, size - 1);
	free(bytes);
	return 0;
}
