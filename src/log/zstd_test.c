/* SPDX-License-Identifier: MIT */
/* Blocks as zstd frames, and bytes that only look like frames. */
#include "log/zstd.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "log/block.h"
#include "tests/tap.h"

static struct log_zstd *zipping, *unzipping;

/* A block with n bytes of events: numbers, or random bytes. */
static unsigned char *block_of(size_t n, bool is_noise)
{
	const struct log_block head = { .magic = LOG_BLOCK_MAGIC,
		.kind = LOG_EVENTS,
		.flags = LOG_BLOCK_PACKED,
		.length = (uint32_t)(sizeof(struct log_events) + n),
		.sequence = 5 };
	const struct log_events events = { .first_ticks = 1, .last_ticks = 9, .n_events = 7 };
	unsigned char *block = malloc(EVENTS_HEAD_BYTES + n);
	uint64_t state = 1;

	memcpy(block, &head, sizeof(head));
	memcpy(block + sizeof(head), &events, sizeof(events));
	for (size_t i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		block[EVENTS_HEAD_BYTES + i] = (unsigned char)(is_noise ? state >> 56 : i / 7);
	}
	return block;
}

static uint32_t length_of(const unsigned char *block)
{
	struct log_block head;

	memcpy(&head, block, sizeof(head));
	return head.length;
}

static bool comes_back(const unsigned char *block)
{
	const unsigned char *zipped = log_zip(zipping, block),
			    *body = zipped ? zipped + BLOCK_HEAD_BYTES : NULL;
	size_t length = zipped ? length_of(zipped) : 0;

	return zipped && length < length_of(block) &&
	       log_unzip(&unzipping, LOG_BLOCK_ZSTD | LOG_BLOCK_PACKED, &body, &length) == 0 &&
	       length == length_of(block) && memcmp(body, block + BLOCK_HEAD_BYTES, length) == 0;
}

static void test_sizes(void)
{
	static const size_t sizes[] = { 300, 65536, LOG_BLOCK_MAX - EVENTS_HEAD_BYTES };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *block = block_of(sizes[i], false), *noise = block_of(sizes[i], true);

		ok(comes_back(block), "%zu bytes of events come back from fewer", sizes[i]);
		ok(!log_zip(zipping, noise), "%zu bytes that would be no fewer are left as they are",
			sizes[i]);
		free(block);
		free(noise);
	}
	unsigned char *small = block_of(1, false), *none = block_of(0, false);

	ok(!log_zip(zipping, small) && !log_zip(zipping, none), "so is one byte, and none");
	free(small);
	free(none);
}

/* Returns the result of log_unzip() for n bytes behind struct log_events. */
static int unzip_bytes(const void *bytes, size_t n)
{
	unsigned char *own = calloc(1, sizeof(struct log_events) + n);
	const unsigned char *body = own;
	size_t length = sizeof(struct log_events) + n;
	int error;

	if (n)
		memcpy(own + sizeof(struct log_events), bytes, n);
	error = log_unzip(&unzipping, LOG_BLOCK_ZSTD, &body, &length);
	free(own);
	return error;
}

/*
 * RFC 8878: a run-length coded block (type 1) states how many bytes it becomes. Makes a frame of such blocks.
 */
static size_t frame_of_zeros(unsigned char *to, uint32_t n_blocks)
{
	static const unsigned char head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x38 }; /* a window of 128 KiB */
	size_t n = sizeof(head);

	memcpy(to, head, n);
	for (uint32_t i = 0; i < n_blocks; i++) {
		const uint32_t block = (uint32_t)(i + 1 == n_blocks) | 1 << 1 | 65536u << 3;

		memcpy(to + n, &block, 3);
		to[n + 3] = 0;
		n += 4;
	}
	return n;
}

static void test_bad_frames(void)
{
	unsigned char frame[100], *block = block_of(5000, false);
	const unsigned char *zipped = log_zip(zipping, block);
	const unsigned char *body = zipped + BLOCK_HEAD_BYTES;
	const size_t n = length_of(zipped) - sizeof(struct log_events);
	size_t length = sizeof(struct log_events) - 1, n_refused = 0;

	ok(log_unzip(&unzipping, LOG_BLOCK_ZSTD, &body, &length) == EINVAL,
		"a body without a head is refused");
	is_number(
		(unsigned)unzip_bytes("no frame at all", 15), EINVAL, "bytes that are no frame are refused");
	for (size_t i = 1; i < n; i++)
		n_refused += unzip_bytes(zipped + EVENTS_HEAD_BYTES, i) == EINVAL;
	is_number(n_refused, n - 1, "a frame that is cut anywhere is refused");
	is_number((unsigned)unzip_bytes(frame, frame_of_zeros(frame, 15)), 0, "a frame may become 960 KiB");
	is_number((unsigned)unzip_bytes(frame, frame_of_zeros(frame, 16)), EINVAL,
		"one that becomes more than a block may have is refused");
	free(block);
}

static void test_no_frame(void)
{
	const unsigned char bytes[24] = { 0 }, *body = bytes;
	struct log_zstd *never = NULL;
	size_t length = sizeof(bytes);

	ok(log_unzip(&never, LOG_BLOCK_PACKED, &body, &length) == 0 && body == bytes && length == 24 &&
			!never,
		"a block without a frame stays as it is, and needs no library");
}

int main(void)
{
	ok(log_zstd_open(&zipping) == 0, "there is zstd");
	test_sizes();
	test_bad_frames();
	test_no_frame();
	log_zstd_close(zipping);
	log_zstd_close(unzipping);
	log_zstd_close(NULL);
	return tap_done();
}
