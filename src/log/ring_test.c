/* SPDX-License-Identifier: MIT */
/* LOOP logs: the contents of a ring area after many laps, and how blocks grow in it. */
#include "log/log_test.h"

/* How often a sample flushes, loses events and describes: every so many events; 0 means never. */
struct habits {
	const char *name;
	uint64_t limit;
	uint32_t data_max;
	unsigned int flush, loss, type;
	uint64_t n_events;
};

static const struct habits habits[] = {
	{ "written when full", 1 << 18, 100, 0, 0, 0, 30000 },
	{ "flushed at each event", 1 << 18, 100, 1, 0, 0, 30000 },
	{ "flushed now and then", 1 << 18, 100, 13, 0, 0, 30000 },
	{ "with losses", 1 << 18, 100, 7, 50, 0, 30000 },
	{ "with descriptions", 1 << 18, 100, 7, 0, 90, 30000 },
	{ "with a loss in front of each event", 1 << 16, 20, 0, 1, 0, 30000 },
	{ "without data", 1 << 16, 0, 5, 0, 0, 30000 },
	{ "of long events", 1 << 16, 5000, 3, 0, 0, 3000 },
	{ "of the longest events", 1 << 20, LOG_DATA_MAX, 3, 17, 40, 3000 },
	{ "of a few cells", 1 << 12, 100, 3, 0, 0, 3000 },
	{ "of cells that hold one event", 5 << 10, 1200, 0, 0, 0, 3000 },
	{ "of one cell", 300, 100, 3, 0, 0, 3000 },
};

/* The number of bytes of the area in use. */
static uint64_t bytes_used(const struct found *found)
{
	uint64_t n = 0;

	for (size_t i = 0; i < found->n_blocks; i++)
		n += found->blocks[i].in_area ? block_bytes(&found->blocks[i]) : 0;
	return n;
}

/*
 * Whether enough of the area is used. If events vary in length, half of it may be tails of cells, and one
 * cell was just begun anew.
 */
static bool is_well_used(const struct found *found)
{
	const uint64_t n_cells = found->header.area_bytes / found->header.cell_bytes;

	return bytes_used(found) >= found->header.cell_bytes * (n_cells - 1) / 2 && found->n_events > 0;
}

static void fill(struct sample *sample, const struct habits *habit)
{
	while (sample->n < habit->n_events) {
		sample_event(sample, habit->data_max);
		if (habit->flush && sample->n % habit->flush == 0)
			log_flush(&sample->writer);
		if (habit->loss && sample->n % habit->loss == 0)
			sample_loss(sample, 1);
		if (habit->type && sample->n % habit->type == 0)
			sample_type(sample, (uint32_t)sample->n);
	}
}

static bool sequences_have_no_gap(const struct found *found)
{
	uint64_t least = UINT64_MAX, most = 0;
	bool *seen = calloc(200000, sizeof(*seen)), good = true;

	for (size_t i = 0; i < found->n_blocks; i++) {
		const uint64_t sequence = found->blocks[i].block.sequence;

		good = good && sequence < 200000 && !seen[sequence];
		seen[sequence % 200000] = true;
		most = sequence > most ? sequence : most;
		if (found->blocks[i].in_area && sequence < least)
			least = sequence;
	}
	for (uint64_t i = least; i <= most && good; i++)
		good = seen[i];
	free(seen);
	return good;
}

static void test_laps(const struct habits *habit)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, habit->limit, habit->data_max);
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;
	uint64_t first;

	sample_begin(&sample, fd, &start);
	fill(&sample, habit);
	ok(sample_finish(&sample) == 0, "a log %s loops for many laps", habit->name);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, habit->data_max);
	first = habit->n_events - found.n_events;
	ok(!found.n_damages && found_run(&found, first, habit->n_events),
		"it holds the newest events, without a gap");
	ok(first > 0 && found.end.n_overwritten == first && found.end.n_events == habit->n_events,
		"and the exact number of those overwritten");
	ok(found.header.area_bytes <= habit->limit &&
			found.header.area_bytes + 8 * 16 > habit->limit * 15 / 16,
		"in no more bytes than it may have (%llu)", (unsigned long long)found.header.area_bytes);
	ok(is_well_used(&found), "of which it uses most (%llu)", (unsigned long long)bytes_used(&found));
	ok(sequences_have_no_gap(&found), "the sequence of blocks from the oldest event on has no gap");
	if (!habit->type)
		ok(image.n < found.header.area_bytes + 500, "the file does not grow with events and losses");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

/* Reads the log at every moment of the first laps, with half-full blocks and without an end. */
static void test_every_moment(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, 4096, 60);
	const int fd = memory_file();
	bool good = true, is_used = true;
	struct sample sample;

	sample_begin(&sample, fd, &start);
	while (sample.n < 2000 && good) {
		struct image image;
		struct found found;

		sample_event(&sample, 60);
		if (sample.n % 3 == 0)
			sample_loss(&sample, 2);
		log_flush(&sample.writer);
		image = image_of(fd);
		found = found_in(image.bytes, image.n, 60);
		good = !found.n_damages && found_run(&found, sample.writer.n_overwritten, sample.n);
		is_used = is_used && (sample.n < 200 || is_well_used(&found));
		found_done(&found);
		free(image.bytes);
	}
	ok(good, "after every flush the file holds the newest events and nothing else");
	ok(is_used, "and uses most of its area");
	sample_done(&sample);
	close(fd);
}

static void test_growth(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, 1 << 18, 60);
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, fd, &start);
	for (int i = 0; i < 50; i++) {
		sample_event(&sample, 60);
		log_flush(&sample.writer);
	}
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 60);
	ok(found.n_area == 1 && found_run(&found, 0, 50), "events that are flushed one by one share a block");
	found_done(&found);
	free(image.bytes);

	sample_type(&sample, 65);
	sample_event(&sample, 60);
	log_flush(&sample.writer);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 60);
	ok(found.n_area == 2 && found.blocks[0].block.sequence == 1 && found.blocks[2].block.sequence == 2,
		"events behind a description are in a block of their own, behind it in sequence");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

/* Opens the file again through /proc, only for writing. */
static int write_only(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_CLOEXEC);
}

/* If a log was never full, its area is cut behind its used part. */
static void test_shrink(uint64_t n_events, uint32_t n_types, bool is_write_only, bool shrinks)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, 16 << 20, 100);
	const int fd = memory_file(), written = is_write_only ? write_only(fd) : fd;
	uint64_t n_cells, n_whole;
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, written, &start);
	n_whole = sample.writer.area_bytes;
	for (uint32_t i = 0; i < n_types; i++)
		sample_type(&sample, 65 + i);
	while (sample.n < n_events)
		sample_event(&sample, 100);
	ok(sample_finish(&sample) == 0, "a LOOP log of %llu events and %u types",
		(unsigned long long)n_events, n_types);
	n_cells = sample.writer.n_cells_used ? sample.writer.n_cells_used : 1;
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 100);
	ok(!found.error && !found.n_damages && found_run(&found, 0, n_events) && found.has_end &&
			found.end.n_events == n_events && found.n_blocks == found.n_area + n_types + 1 &&
			sequences_have_no_gap(&found),
		"has all that it was given, in order");
	ok((shrinks ? found.header.area_bytes == n_cells * found.header.cell_bytes
		    : found.header.area_bytes == n_whole) &&
			image.n > found.header.area_bytes &&
			image.n < found.header.area_bytes + 200 * n_types + 700 &&
			(n_events + n_types > 100 || image.n < (16 << 10)),
		"and %s (%zu bytes)", shrinks ? "a file that is as long as that" : "the whole area", image.n);
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	if (is_write_only)
		close(written);
	close(fd);
}

static void test_shrinking(void)
{
	test_shrink(0, 0, false, true);
	test_shrink(0, 20, false, true);
	test_shrink(5000, 300, false, true);
	test_shrink(50, 500, false, true);   /* more than a cell holds */
	test_shrink(50, 6000, false, false); /* more than the writer remembers */
	test_shrink(50, 20, true, true);
}

/*
 * Limits that are too short for a cell with the longest event: the limit is kept to the byte, and events
 * without room are refused.
 */
static void test_tiny(uint64_t limit)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, limit, 100);
	const int fd = memory_file();
	uint64_t n_taken = 0, n_refused = 0;
	unsigned char data[100];
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, fd, &start);
	sample_type(&sample, 65);
	for (uint64_t i = 0; i < 500; i++) {
		const struct log_event event = numbered_event(i, 100, data);
		const int error = log_event(&sample.writer, &event, data);

		n_taken += error == 0;
		n_refused += error == EMSGSIZE;
	}
	log_loss(&sample.writer, &(struct log_loss){ .n_events = 3 });
	ok(n_taken + n_refused == 500 && sample.writer.n_too_long == n_refused && sample_finish(&sample) == 0,
		"a LOOP log of %llu bytes takes or refuses each event (%llu)", (unsigned long long)limit,
		(unsigned long long)n_taken);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 100);
	ok(!found.error && !found.n_damages && found.header.area_bytes <= limit &&
			bytes_used(&found) <= limit && image.n < limit + 600 && found.has_end &&
			found.end.n_events == found.n_events + found.end.n_overwritten &&
			sample.writer.n_lost == 3,
		"has no more bytes than that, and counts");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

static void test_least(void)
{
	static const uint64_t limits[] = { 0, 1, 47, 64, 65, 100, 150, 200, 250, 420, 421, 1000 };

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		test_tiny(limits[i]);
}

static void test_room(void)
{
	struct log_start start = sample_start(POSIX_TRACE_LOOP, UINT64_MAX, 0);

	ok(log_buffer_bytes(&start) < 32 << 20, "a boundless limit does not need boundless memory");
	start.limit = 1 << 20;
	start.data_max = 4096;
	ok(log_buffer_bytes(&start) < 1100 << 10, "an ordinary log needs less than 1100 KiB");
}

static void test_form(void)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
		test_laps(&habits[i]);
	test_every_moment();
	test_growth();
	test_shrinking();
	test_least();
	test_room();
}

int main(void)
{
	for_all_forms(test_form);
	return tap_done();
}
