/* SPDX-License-Identifier: MIT */
#include "log/scan.h"

#include <time.h>

#include "log/block.h"
#include "log/log_test.h"

/* A small log with each policy. A LOOP log has overwritten events in its area. */
static struct image small_log(int policy)
{
	const struct log_start start = sample_start(policy, policy == POSIX_TRACE_LOOP ? 4096 : 1 << 20, 40);
	const int fd = memory_file();
	struct sample sample;
	struct image image;

	sample_begin(&sample, fd, &start);
	sample_type(&sample, 65);
	while (sample.n < 400) {
		sample_event(&sample, 40);
		if (sample.n % 40 == 0)
			log_flush(&sample.writer);
		if (sample.n % 60 == 0)
			sample_loss(&sample, 2);
	}
	sample_type(&sample, 66);
	sample_finish(&sample);
	image = image_of(fd);
	sample_done(&sample);
	close(fd);
	return image;
}

static bool same_item(const struct log_item *a, const struct log_item *b)
{
	return a->offset == b->offset && a->in_area == b->in_area &&
	       memcmp(&a->block, &b->block, sizeof(a->block)) == 0;
}

static void test_every_cut(const struct image *image, const char *name)
{
	struct found whole = found_in(image->bytes, image->n, 40);
	bool good = true, told = true;

	for (size_t n = 0; n < image->n; n++) {
		struct found found = found_in(image->bytes, n, 40);
		size_t n_whole = 0;

		for (size_t i = 0; i < whole.n_blocks; i++) {
			const struct log_item *block = &whole.blocks[i];

			n_whole += block->offset + BLOCK_HEAD_BYTES + block->block.length <= n;
		}
		good = good && (n < HEADER_BYTES ? found.error == EAGAIN : found.n_blocks == n_whole);
		told = told && found.n_damages <= 1 && found.damage_bytes < LOG_BLOCK_MAX;
		found_done(&found);
	}
	ok(good, "%s: cut at any byte, a log has all blocks in front of the cut", name);
	ok(told, "%s: and what is cut off is one damage", name);
	found_done(&whole);
}

/* The number of the block in `whole` that contains an offset, or n_blocks if no block does. */
static size_t block_at(const struct found *whole, uint64_t offset)
{
	size_t i = 0;

	while (i < whole->n_blocks &&
		(offset < whole->blocks[i].offset ||
			offset >= whole->blocks[i].offset + BLOCK_HEAD_BYTES + whole->blocks[i].block.length))
		i++;
	return i;
}

static bool is_first_of_cell(const struct found *found, size_t i)
{
	const struct log_item *item = &found->blocks[i];

	return item->in_area && (item->offset - HEADER_BYTES) % found->header.cell_bytes == 0;
}

static void test_every_flip(struct image *image, const char *name)
{
	struct found whole = found_in(image->bytes, image->n, 40);
	bool good = true, told = true, is_new = true;

	for (size_t at = HEADER_BYTES; at < image->n; at++) {
		const size_t hit = block_at(&whole, at);
		struct found found;
		size_t n_same = 0;

		image->bytes[at] ^= 0x41;
		found = found_in(image->bytes, image->n, 40);
		for (size_t i = 0; i < whole.n_blocks; i++)
			for (size_t k = 0; k < found.n_blocks; k++)
				n_same += i != hit && same_item(&whole.blocks[i], &found.blocks[k]);
		good = good && n_same == whole.n_blocks - (hit < whole.n_blocks) && found.events_are_good;
		/* Only in front of a cell's first block is the least sequence number not known. */
		if (hit == whole.n_blocks || !is_first_of_cell(&whole, hit))
			is_new = is_new && found.n_blocks <= whole.n_blocks;
		told = told &&
		       (hit == whole.n_blocks ||
			       (found.n_damages == 1 && found.last_damage == whole.blocks[hit].offset));
		if (found.n_damages > 1)
			told = false;
		found_done(&found);
		image->bytes[at] ^= 0x41;
	}
	ok(good, "%s: a byte that is wrong costs no other block than its own", name);
	ok(told, "%s: and is reported where that block begins", name);
	ok(is_new, "%s: and brings back nothing from an earlier lap", name);
	found_done(&whole);
}

static void test_header_flips(struct image *image, const char *name)
{
	struct found whole = found_in(image->bytes, image->n, 40);
	size_t n_read = 0, n_refused = 0;
	bool good = true;

	for (size_t at = 0; at < HEADER_BYTES; at++) {
		struct found found;

		image->bytes[at] ^= 0x41;
		found = found_in(image->bytes, image->n, 40);
		if (found.error) {
			n_refused++;
			good = good && (found.error == EINVAL || found.error == ENOTSUP) && found.what;
		} else {
			n_read++;
			good = good && found.n_damages >= 1;
		}
		found_done(&found);
		image->bytes[at] ^= 0x41;
	}
	ok(good && n_read + n_refused == HEADER_BYTES, "%s: a header that is wrong is refused or reported",
		name);
	ok(n_refused < 48, "%s: and refused only where nothing could be read without it", name);
	found_done(&whole);
}

/* Gives the log in steps of n bytes, and drops the bytes that were looked at. */
static bool grows_alike(const struct image *image, size_t step)
{
	struct log_scan whole, by_parts;
	struct log_item expected, got;
	const char *what;
	enum log_found a, b;
	uint64_t from = 0;
	size_t end = 0;

	if (log_scan_begin(&whole, image->bytes, image->n, &what))
		return false;
	while (log_scan_begin(&by_parts, image->bytes, end, &what) == EAGAIN)
		end++;
	do {
		a = log_scan_next(&whole, image->bytes, image->n, 0, true, &expected);
		for (;;) {
			const bool is_end = end == image->n;
			unsigned char *copy;

			if (by_parts.offset > from)
				from = by_parts.offset < end ? by_parts.offset : end;
			copy = malloc(end - from + 1);
			memcpy(copy, image->bytes + from, end - from);
			b = log_scan_next(&by_parts, copy, end - from, from, is_end, &got);
			free(copy);
			if (b != LOG_FOUND_MORE || is_end)
				break;
			end = end + step < image->n ? end + step : image->n;
		}
		if (a != b)
			return false;
		if (a == LOG_FOUND_BLOCK && !same_item(&expected, &got))
			return false;
		if (a == LOG_FOUND_DAMAGE && (expected.offset != got.offset || expected.length != got.length))
			return false;
	} while (a != LOG_FOUND_END);
	return true;
}

static void test_growing(struct image *image, const char *name)
{
	ok(grows_alike(image, 1), "%s: a log that grows byte by byte gives the same blocks", name);
	ok(grows_alike(image, 8) && grows_alike(image, 999), "%s: and one that grows in other steps", name);
	for (size_t at = HEADER_BYTES + 10; at < image->n; at += 977)
		image->bytes[at] ^= 0x80;
	ok(grows_alike(image, 1) && grows_alike(image, 37), "%s: also when it is damaged in many places",
		name);
	for (size_t at = HEADER_BYTES + 10; at < image->n; at += 977)
		image->bytes[at] ^= 0x80;
}

static void test_waits(const struct image *image)
{
	struct log_scan scan;
	struct log_item item;
	const char *what;

	log_scan_begin(&scan, image->bytes, image->n, &what);
	ok(log_scan_next(&scan, image->bytes, HEADER_BYTES, 0, false, &item) == LOG_FOUND_MORE,
		"a log that may grow has no end");
	ok(log_scan_next(&scan, image->bytes, HEADER_BYTES + 60, 0, false, &item) == LOG_FOUND_MORE &&
			scan.offset == HEADER_BYTES,
		"a block that is not whole yet is waited for");
	ok(log_scan_next(&scan, image->bytes, HEADER_BYTES + 60, 0, true, &item) == LOG_FOUND_DAMAGE &&
			item.offset == HEADER_BYTES && item.length == 60,
		"and is damage when no more will come");
	ok(log_scan_next(&scan, image->bytes, HEADER_BYTES + 60, 0, true, &item) == LOG_FOUND_END, "once");
}

static void put_header_crc(unsigned char *bytes)
{
	const uint32_t crc = crc32c_by_table(0, bytes, HEADER_CHECKED_BYTES);

	memcpy(bytes + HEADER_CHECKED_BYTES, &crc, sizeof(crc));
}

static void test_other_headers(void)
{
	static const struct {
		size_t offset;
		unsigned char value;
		int error;
		const char *sentence;
	} rows[] = {
		{ 0, 'X', EINVAL, "a file with another beginning is no log" },
		{ 8, 2, ENOTSUP, "a log of another version is refused" },
		{ 10, 2, ENOTSUP, "a log of the other byte order is refused" },
		{ 11, 4, ENOTSUP, "a log of another word size is refused" },
		{ 12, 17, EINVAL, "a header of no possible length is refused" },
		{ 16, 0xff, 0, "features that may be ignored are ignored" },
		{ 20, 8, ENOTSUP, "features that must be known are not" },
		{ 20, LOG_NEEDS_AREA, EINVAL, "an area without cells is refused" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct image image = small_log(POSIX_TRACE_APPEND);
		struct found found;

		image.bytes[rows[i].offset] = rows[i].value;
		put_header_crc(image.bytes);
		found = found_in(image.bytes, image.n, 40);
		ok(found.error == rows[i].error && (!found.error || found.what), "%s", rows[i].sentence);
		found_done(&found);
		free(image.bytes);
	}
}

static void test_longer_header(void)
{
	const struct image image = small_log(POSIX_TRACE_APPEND);
	unsigned char *bytes = calloc(1, image.n + 16);
	const uint32_t length = HEADER_BYTES + 16;
	struct found found;

	memcpy(bytes, image.bytes, HEADER_BYTES);
	memcpy(bytes + length, image.bytes + HEADER_BYTES, image.n - HEADER_BYTES);
	memcpy(bytes + 12, &length, sizeof(length));
	put_header_crc(bytes);
	found = found_in(bytes, image.n + 16, 40);
	ok(!found.error && !found.n_damages && found_run(&found, 0, 400), "a header may be longer than ours");
	found_done(&found);
	free(bytes);
	free(image.bytes);
}

static void test_foreign_bytes(void)
{
	const struct image image = small_log(POSIX_TRACE_APPEND);
	struct found whole = found_in(image.bytes, image.n, 40);
	const uint64_t at = whole.blocks[3].offset;
	unsigned char *bytes = malloc(image.n + 4096);
	struct found found;

	memcpy(bytes, image.bytes, at);
	memset(bytes + at, 'R', 4096);
	memcpy(bytes + at + 4096, image.bytes + at, image.n - at);
	found = found_in(bytes, image.n + 4096, 40);
	ok(found.n_blocks == whole.n_blocks && found_run(&found, 0, 400), "foreign bytes hide no block");
	ok(found.n_damages == 1 && found.last_damage == at && found.damage_bytes == 4096,
		"adjacent bad bytes are one damage, with their exact range");
	ok(strcmp(found.damage_what, "bytes that are no block") == 0, "whose reason is right");
	found_done(&found);
	found_done(&whole);
	free(bytes);
	free(image.bytes);
}

/* An input that consists of heads, each of which claims to begin a block of 1 MiB. */
static void test_liar(void)
{
	enum { N_BYTES = 24 << 20 };
	const struct image image = small_log(POSIX_TRACE_APPEND);
	const struct log_block lie = {
		.magic = LOG_BLOCK_MAGIC, .kind = LOG_EVENTS, .length = LOG_BLOCK_MAX - 24
	};
	unsigned char *bytes = malloc(N_BYTES);
	struct found found;
	const clock_t start = clock();

	memcpy(bytes, image.bytes, HEADER_BYTES);
	for (size_t at = HEADER_BYTES; at + sizeof(lie) <= N_BYTES; at += sizeof(lie))
		memcpy(bytes + at, &lie, sizeof(lie));
	found = found_in(bytes, N_BYTES, 40);
	ok(found.n_blocks == 0 && found.n_damages == 1 && found.damage_bytes == N_BYTES - HEADER_BYTES,
		"a million heads that lie are one damage");
	ok(clock() - start < 10 * CLOCKS_PER_SEC, "and do not take long");
	free(bytes);
	free(image.bytes);
}

static void test_empty_area(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, 1 << 30, 40);
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, fd, &start);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 40);
	ok(!found.error && !found.n_blocks && !found.n_damages, "a log that has just begun is no damage");
	free(image.bytes);
	if (ftruncate(fd, 200 << 20) == 0) {
		image = image_of(fd);
		found = found_in(image.bytes, image.n, 40);
		ok(!found.n_blocks && !found.n_damages, "nor is an area of which nothing was written");
		image.bytes[100 << 20] = 1;
		found = found_in(image.bytes, image.n, 40);
		ok(found.n_damages == 1 && found.last_damage <= 100 << 20 && found.damage_bytes <= 65536,
			"a byte in the middle of it is damage of that cell only");
		free(image.bytes);
	}
	sample_done(&sample);
	close(fd);
}

/* A cell that has lost its first sector, as in a power failure. */
static void test_lost_sector(void)
{
	struct image image = small_log(POSIX_TRACE_LOOP);
	struct found whole = found_in(image.bytes, image.n, 40);
	const struct log_item *first = &whole.blocks[whole.n_blocks - whole.n_area];
	struct found found;

	memset(image.bytes + first->offset, 0, BLOCK_HEAD_BYTES);
	found = found_in(image.bytes, image.n, 40);
	ok(found.n_damages == 1 && found.n_blocks == whole.n_blocks - 1,
		"behind a lost head the other blocks of the cell are found");
	found_done(&found);
	found_done(&whole);
	free(image.bytes);
}

static void test_events_that_lie(void)
{
	struct {
		struct log_events head;
		struct log_event events[3];
	} body = { .head = { .n_events = 3 } };
	struct log_events_cursor cursor;
	struct log_events head;
	struct log_event event;
	const unsigned char *data, *bytes = (const unsigned char *)&body;

	ok(!log_events_begin(&cursor, bytes, sizeof(head) - 1, 0, &head),
		"a body without room for its head is refused");
	ok(!log_events_begin(&cursor, bytes, sizeof(body) - 1, 0, &head),
		"so is one with fewer events than its head counts");
	ok(log_events_begin(&cursor, bytes, sizeof(body), 0, &head) && head.n_events == 3,
		"one with all is not");
	body.events[1].length = 50;
	ok(log_events_next(&cursor, &event, &data) && !log_events_next(&cursor, &event, &data) &&
			cursor.n_left == 2,
		"an event whose data is not there ends the events");
	body.events[1].length = 40;
	ok(log_events_next(&cursor, &event, &data) && !log_events_next(&cursor, &event, &data) &&
			cursor.n_left == 1,
		"so does one that is missing because another took its room");
}

static void test_form(void)
{
	static const struct {
		int policy;
		const char *name;
	} shapes[] = { { POSIX_TRACE_APPEND, "APPEND" }, { POSIX_TRACE_LOOP, "LOOP" } };

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct image image = small_log(shapes[i].policy);

		test_every_cut(&image, shapes[i].name);
		test_every_flip(&image, shapes[i].name);
		test_header_flips(&image, shapes[i].name);
		test_growing(&image, shapes[i].name);
		if (shapes[i].policy == POSIX_TRACE_APPEND)
			test_waits(&image);
		free(image.bytes);
	}
	test_other_headers();
	test_longer_header();
	test_foreign_bytes();
	test_liar();
	test_empty_area();
	test_lost_sector();
	test_events_that_lie();
}

int main(void)
{
	for_all_forms(test_form);
	return tap_done();
}
