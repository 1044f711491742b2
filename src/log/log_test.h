/* SPDX-License-Identifier: MIT */
/*
 * Shared by the tests of logs: logs of numbered events whose content follows from their number, and the
 * results of a scan.
 */
#ifndef LOG_LOG_TEST_H
#define LOG_LOG_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <trace.h>

#include "log/scan.h"
#include "log/write.h"
#include "tests/tap.h"

/*
 * The form of events in logs that are begun here: plain as in older logs, packed, or packed and in zstd
 * frames (not in LOOP logs).
 */
static bool sample_is_plain;
static struct log_zstd *sample_zstd;
/* For reading, so that the writer's memory is not used. */
static struct log_zstd *found_zstd;

/* Runs a test for all forms of events. */
static inline void for_all_forms(void (*test)(void))
{
	for (int is_plain = 0; is_plain < 2; is_plain++) {
		sample_is_plain = is_plain;
		printf("# events are %s\n", is_plain ? "plain" : "packed");
		test();
	}
	sample_is_plain = false;
	ok(log_zstd_open(&sample_zstd) == 0, "there is zstd");
	printf("# events are in frames\n");
	test();
	log_zstd_close(sample_zstd);
	log_zstd_close(found_zstd);
	sample_zstd = found_zstd = NULL;
}

struct sample {
	struct log_writer writer;
	unsigned char *buffer;
	uint64_t n; /* events given */
};

static inline struct log_start sample_start(int policy, uint64_t limit, uint32_t data_max)
{
	return (struct log_start){ .content = LOG_CONTENT_POSIX,
		.clock = LOG_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.start_seconds = 1700000000,
		.start_nanoseconds = 5,
		.pid = 77,
		.host = "box",
		.command = "prog arg",
		.policy = policy,
		.limit = limit,
		.data_max = data_max,
		.is_plain = sample_is_plain,
		.zstd = policy == POSIX_TRACE_LOOP ? NULL : sample_zstd };
}

static inline int sample_begin(struct sample *sample, int fd, const struct log_start *start)
{
	const size_t size = log_buffer_bytes(start);

	memset(sample, 0, sizeof(*sample));
	sample->buffer = malloc(size);
	memset(sample->buffer, 0xa5, size);
	return log_begin(&sample->writer, fd, start, false, sample->buffer, size);
}

static inline void sample_done(struct sample *sample)
{
	free(sample->buffer);
}

/* Event number n, and up to data_max bytes of data. */
static inline struct log_event numbered_event(uint64_t n, uint32_t data_max, unsigned char *ret_data)
{
	const uint16_t length = (uint16_t)(n * 37 % (data_max + 1));

	for (unsigned int i = 0; i < length; i++)
		ret_data[i] = (unsigned char)(n + i);
	return (struct log_event){ .type = (uint16_t)(65 + n % 3),
		.length = length,
		.cpu = LOG_NO_CPU,
		.ticks = 1000 + n,
		.address = n,
		.pid = 77,
		.tid = 78,
		.thread = n ^ 0xffff };
}

static inline int sample_event(struct sample *sample, uint32_t data_max)
{
	unsigned char data[LOG_DATA_MAX];
	const struct log_event event = numbered_event(sample->n, data_max, data);
	const int error = log_event(&sample->writer, &event, data);

	if (!error && !sample->writer.is_full)
		sample->n++;
	return error;
}

static inline int sample_loss(struct sample *sample, uint64_t n)
{
	return log_loss(&sample->writer, &(struct log_loss){ .n_events = n });
}

static inline int sample_type(struct sample *sample, uint32_t id)
{
	struct log_type type = { .id = id, .n_fields = 2 };
	const struct log_field fields[2] = { { .name = "a", .kind = POSIX_TRACE_SIGNED_NP, .size = 4 },
		{ .name = "b", .kind = POSIX_TRACE_BYTES_NP } };

	snprintf(type.name, sizeof(type.name), "type_%u", id);
	return log_type(&sample->writer, &type, fields);
}

static inline int sample_finish(struct sample *sample)
{
	return log_finish(&sample->writer, &(struct log_end){ .n_lost = 3, .reason = LOG_END_EXIT });
}

struct image {
	unsigned char *bytes;
	size_t n;
};

static inline struct image image_of(int fd)
{
	struct stat stat;
	struct image image = { 0 };

	fstat(fd, &stat);
	image.n = (size_t)stat.st_size;
	image.bytes = malloc(image.n + 1);
	if (pread(fd, image.bytes, image.n, 0) != (ssize_t)image.n)
		image.n = 0;
	return image;
}

/* The results of a scan. Bodies are borrowed from the image. */
struct found {
	struct log_header header;
	int error;
	const char *what;
	struct log_item *blocks; /* those of the area last, in order of their sequence */
	size_t n_blocks, n_area;
	uint64_t n_damages, damage_bytes, last_damage; /* last_damage: its offset */
	const char *damage_what;
	struct log_end end; /* of the LOG_END block */
	bool has_end;
	uint64_t *events; /* numbers of all events, blocks in the order above; */
	size_t n_events;
	bool events_are_good; /* each has the bytes that follow from its number */
	uint64_t n_lost;      /* the sum of the LOG_LOSS blocks */
};

static inline void found_events(struct found *found, const struct log_item *item, uint32_t data_max)
{
	static unsigned char expected[LOG_DATA_MAX];
	struct log_events_cursor cursor;
	struct log_events head;
	struct log_event event, want;
	const unsigned char *data, *body = item->body;
	size_t length = item->block.length;

	if (log_unzip(&found_zstd, item->block.flags, &body, &length) != 0 ||
		!log_events_begin(&cursor, body, length, item->block.flags, &head)) {
		found->events_are_good = false;
		return;
	}
	found->events = realloc(found->events, (found->n_events + head.n_events) * sizeof(*found->events));
	while (log_events_next(&cursor, &event, &data)) {
		want = numbered_event(event.address, data_max, expected);
		if (memcmp(&want, &event, sizeof(event)) != 0 || memcmp(data, expected, event.length) != 0)
			found->events_are_good = false;
		found->events[found->n_events++] = event.address;
	}
	if (cursor.n_left || cursor.at != cursor.end)
		found->events_are_good = false;
}

static inline int compare_items(const void *one, const void *other)
{
	const struct log_item *a = one, *b = other;

	if (a->in_area != b->in_area)
		return a->in_area - b->in_area;
	return (a->block.sequence > b->block.sequence) - (a->block.sequence < b->block.sequence);
}

static inline void found_item(struct found *found, const struct log_item *item)
{
	if (found->n_blocks % 64 == 0)
		found->blocks = realloc(found->blocks, (found->n_blocks + 64) * sizeof(*item));
	found->blocks[found->n_blocks++] = *item;
	found->n_area += item->in_area;
	if (item->block.kind == LOG_END && item->block.length >= sizeof(found->end)) {
		memcpy(&found->end, item->body, sizeof(found->end));
		found->has_end = true;
	}
	if (item->block.kind == LOG_LOSS) {
		struct log_loss loss;

		memcpy(&loss, item->body, sizeof(loss));
		found->n_lost += loss.n_events;
	}
}

static inline struct found found_in(const unsigned char *bytes, size_t n, uint32_t data_max)
{
	struct found found = { .events_are_good = true };
	struct log_scan scan;
	struct log_item item;
	enum log_found what;

	found.error = log_scan_begin(&scan, bytes, n, &found.what);
	found.header = scan.header;
	while (!found.error && (what = log_scan_next(&scan, bytes, n, 0, true, &item)) != LOG_FOUND_END) {
		if (what == LOG_FOUND_BLOCK) {
			found_item(&found, &item);
			continue;
		}
		found.n_damages++;
		found.damage_bytes += item.length;
		found.last_damage = item.offset;
		found.damage_what = item.what;
	}
	if (found.n_blocks)
		qsort(found.blocks, found.n_blocks, sizeof(*found.blocks), compare_items);
	for (size_t i = 0; i < found.n_blocks; i++)
		if (found.blocks[i].block.kind == LOG_EVENTS)
			found_events(&found, &found.blocks[i], data_max);
	return found;
}

static inline void found_done(struct found *found)
{
	free(found->blocks);
	free(found->events);
}

/* Whether the events are first, first + 1 … up to last - 1. */
static inline bool found_run(const struct found *found, uint64_t first, uint64_t last)
{
	if (!found->events_are_good || found->n_events != last - first)
		return false;
	for (size_t i = 0; i < found->n_events; i++)
		if (found->events[i] != first + i)
			return false;
	return true;
}

/* The length of a block with its head, and the zeros behind it. */
static inline uint64_t block_bytes(const struct log_item *item)
{
	return sizeof(item->block) + ((item->block.length + 7ull) & ~7ull);
}

static inline int memory_file(void)
{
	return memfd_create("log", MFD_CLOEXEC);
}

#endif
