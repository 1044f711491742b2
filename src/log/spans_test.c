/* SPDX-License-Identifier: MIT */
/* The spans at the end of a long log must match its blocks, or be absent. */
#include "log/spans.h"

#include <signal.h>
#include <sys/resource.h>

#include "log/block.h"
#include "log/log_test.h"

enum { DATA_MAX = 20000, MANY = 2600, FLIPS = 4000 };

static struct log_start spans_start(void)
{
	return sample_start(POSIX_TRACE_APPEND, 0, DATA_MAX);
}

static bool spans_of(const unsigned char *bytes, uint64_t n, struct log_span_list *ret_list)
{
	struct log_scan scan;
	const char *what;

	return log_scan_begin(&scan, bytes, n, &what) == 0 && log_spans_find(&scan, bytes, n, ret_list);
}

/* Calculates a span from its blocks, which begin with number *i. */
static struct log_span sum_up(const struct found *found, size_t *i, uint64_t end)
{
	struct log_span sum = { .offset = found->blocks[*i].offset, .flags = LOG_EVENTS_HAS_CORE };
	struct log_events head;

	for (; *i < found->n_blocks && found->blocks[*i].offset < end; ++*i) {
		const struct log_item *item = &found->blocks[*i];

		sum.n_blocks++;
		if (item->block.kind != LOG_EVENTS) {
			sum.flags = LOG_SPAN_MIXED;
			continue;
		}
		memcpy(&head, item->body, sizeof(head));
		if (!sum.n_events)
			sum.first_ticks = head.first_ticks;
		sum.last_ticks = head.last_ticks;
		sum.n_events += head.n_events;
	}
	return sum;
}

/*
 * Whether the log has spans, and all of them are true. *ret_n_apart is the number of spans with only blocks
 * of events.
 */
static bool has_true_spans(const struct image *image, const struct found *found, uint32_t *ret_n_apart)
{
	struct log_span_list list;
	struct log_span said, sum;
	uint64_t end;
	size_t at = 0;

	*ret_n_apart = 0;
	if (!spans_of(image->bytes, image->n, &list))
		return false;
	for (uint32_t i = 0; i < list.n; i++) {
		said = log_span_get(&list, i, &end);
		sum = sum_up(found, &at, end);
		if (said.offset != sum.offset || said.n_blocks != sum.n_blocks ||
			said.n_events != sum.n_events || said.first_ticks != sum.first_ticks ||
			said.last_ticks != sum.last_ticks || said.flags != sum.flags ||
			said.core != LOG_NO_CPU)
			return false;
		*ret_n_apart += !(said.flags & LOG_SPAN_MIXED);
	}
	return at + 1 == found->n_blocks && list.end == found->blocks[at].offset;
}

static struct image spans_image(struct sample *sample, int fd)
{
	struct image image = { 0 };

	if (sample_finish(sample) == 0)
		image = image_of(fd);
	sample_done(sample);
	close(fd);
	return image;
}

/* Descriptions between all blocks make more spans than the table holds. */
static void test_table(uint32_t n_types, uint32_t least, uint32_t most)
{
	const struct log_start start = spans_start();
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;
	uint32_t n_apart;

	sample_begin(&sample, fd, &start);
	for (uint32_t i = 0; i < MANY; i++) {
		if (i % (MANY / n_types) == 0)
			sample_type(&sample, 65 + i % 900);
		sample_event(&sample, DATA_MAX);
		sample_event(&sample, DATA_MAX);
		log_flush(&sample.writer);
	}
	image = spans_image(&sample, fd);
	found = found_in(image.bytes, image.n, DATA_MAX);
	ok(has_true_spans(&image, &found, &n_apart) && n_apart >= least && n_apart <= most &&
			found_run(&found, 0, 2 * MANY),
		"%u descriptions among the blocks: spans are what the blocks are", n_types);
	found_done(&found);
	free(image.bytes);
}

static void test_none(void)
{
	struct log_start start = spans_start();
	struct log_span_list list;
	struct sample sample;
	struct image image;
	int fd = memory_file();

	sample_begin(&sample, fd, &start);
	while (sample.writer.end < 900000)
		sample_event(&sample, DATA_MAX);
	image = spans_image(&sample, fd);
	ok(image.n && !spans_of(image.bytes, image.n, &list), "a short log has no spans");
	free(image.bytes);
	start.is_plain = true;
	start.zstd = NULL;
	sample_begin(&sample, fd = memory_file(), &start);
	while (sample.writer.end < 2000000)
		sample_event(&sample, DATA_MAX);
	image = spans_image(&sample, fd);
	ok(image.n > 2000000 && !spans_of(image.bytes, image.n, &list), "nor has one whose events are plain");
	free(image.bytes);
}

/* A restarted log has no spans of removed blocks. */
static void test_restart(void)
{
	const struct log_start start = spans_start();
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;
	uint32_t n_apart;

	sample_begin(&sample, fd, &start);
	sample_type(&sample, 65);
	sample_type(&sample, 66);
	for (int lap = 0; lap < 3; lap++) {
		sample.n = 0;
		for (uint32_t i = 0; i < 300; i++)
			sample_event(&sample, DATA_MAX);
		if (lap < 2)
			log_restart(&sample.writer);
	}
	image = spans_image(&sample, fd);
	found = found_in(image.bytes, image.n, DATA_MAX);
	ok(has_true_spans(&image, &found, &n_apart) && n_apart && found_run(&found, 0, 300),
		"a log that was cleared has spans of what came then");
	found_done(&found);
	free(image.bytes);
}

/* There is no room for an end with spans, but enough for one without. */
static void test_no_room(void)
{
	const struct log_start start = spans_start();
	const int fd = memory_file();
	struct rlimit before, limit;
	struct log_span_list list;
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, fd, &start);
	for (uint32_t i = 0; i < 400; i++)
		sample_event(&sample, DATA_MAX);
	log_flush(&sample.writer);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = sample.writer.end + BLOCK_HEAD_BYTES + sizeof(struct log_end);
	setrlimit(RLIMIT_FSIZE, &limit);
	image = spans_image(&sample, fd);
	setrlimit(RLIMIT_FSIZE, &before);
	found = found_in(image.bytes, image.n, DATA_MAX);
	ok(image.n == limit.rlim_cur && found.has_end && !found.n_damages && found_run(&found, 0, 400) &&
			!spans_of(image.bytes, image.n, &list),
		"where there is no room for spans the end does without them");
	found_done(&found);
	free(image.bytes);
}

static struct image long_image(void)
{
	const struct log_start start = spans_start();
	const int fd = memory_file();
	struct sample sample;

	sample_begin(&sample, fd, &start);
	sample_type(&sample, 65);
	for (uint32_t i = 0; i < 600; i++)
		sample_event(&sample, DATA_MAX);
	return spans_image(&sample, fd);
}

/* Calculates the checksum of the last block again. */
static void repair(struct image *image, uint64_t end)
{
	struct log_block head;

	memcpy(&head, image->bytes + end, sizeof(head));
	head.crc = log_block_crc(crc32c_by_table, &head, image->bytes + end + sizeof(head));
	memcpy(image->bytes + end, &head, sizeof(head));
}

static bool is_possible(const struct log_span_list *list, uint64_t n)
{
	uint64_t offset = HEADER_BYTES, end;

	for (uint32_t i = 0; i < list->n; i++) {
		const struct log_span span = log_span_get(list, i, &end);

		if (span.offset != offset || end <= offset || end > n)
			return false;
		offset = end;
	}
	return true;
}

static void test_damage(void)
{
	struct image image = long_image();
	struct log_span_list list = { 0 }, other;
	bool is_good = spans_of(image.bytes, image.n, &list), is_safe = true, has_refused = false;
	uint64_t n_last = is_good ? image.n - list.end : 0;
	unsigned int random = 1;

	ok(is_good && n_last > sizeof(struct log_span), "a long log has spans");
	for (uint64_t i = 0; i < n_last; i++) {
		image.bytes[list.end + i] ^= (unsigned char)(1 << i % 8);
		is_good = is_good && !spans_of(image.bytes, image.n, &other);
		image.bytes[list.end + i] ^= (unsigned char)(1 << i % 8);
	}
	ok(is_good, "with any byte of the last block changed there are no spans");
	for (unsigned int i = 0; i < FLIPS && n_last; i++) {
		unsigned char *at =
			image.bytes + list.end + sizeof(struct log_block) +
			(random = random * 1103515245 + 12345) / 65536 % (n_last - sizeof(struct log_block));
		const unsigned char was = *at;

		*at = (unsigned char)(i % 3 ? was + 8 * i : 0xff * (i & 1));
		repair(&image, list.end);
		if (spans_of(image.bytes, image.n, &other))
			is_safe = is_safe && is_possible(&other, image.n);
		else
			has_refused = true;
		*at = was;
	}
	ok(is_safe && has_refused, "nor any that cannot be, whatever they say under a good checksum");
	repair(&image, list.end);
	for (uint64_t n = image.n - n_last; n < image.n; n++)
		is_good = is_good && !spans_of(image.bytes, n, &other);
	ok(is_good && spans_of(image.bytes, image.n, &other), "and none where the end is cut off");
	free(image.bytes);
}

int main(void)
{
	test_table(2, 20, 400);
	test_table(MANY / 4, 20, 2000);
	test_table(MANY, 0, 2000);
	test_none();
	test_restart();
	test_no_room();
	test_damage();
	return tap_done();
}
