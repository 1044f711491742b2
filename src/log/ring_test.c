/* SPDX-License-Identifier: MIT */
/* Logs that loop: what a ring area holds after many laps, and how blocks grow in it. */
#include "log/log_test.h"

/* How often a sample flushes, loses events and describes: every so many events; 0: never. */
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
	{ "with a small limit", 1, 100, 3, 0, 0, 3000 },
	{ "without a limit", 0, 100, 0, 0, 0, 3000 },
};

static uint64_t bytes_of(uint64_t first, uint64_t last, uint32_t data_max)
{
	uint64_t n = 0;

	for (uint64_t i = first; i < last; i++)
		n += log_event_bytes((uint16_t)(i * 37 % (data_max + 1)));
	return n;
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
	/* Losses and descriptions need room as well, which is the area's. */
	if (!habit->loss && !habit->type)
		ok(bytes_of(first, habit->n_events, habit->data_max) >= habit->limit,
			"and as many bytes of events as it was made for");
	ok(sequences_have_no_gap(&found), "the sequence of blocks from the oldest event on has no gap");
	if (!habit->type)
		ok(image.n < found.header.area_bytes + 500, "the file does not grow with events and losses");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

/* At every moment of the first laps, with blocks half full, and without an end. */
static void test_every_moment(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, 4096, 60);
	const int fd = memory_file();
	bool good = true, holds = true;
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
		holds = holds &&
			(sample.n < 200 || bytes_of(sample.n - found.n_events, sample.n, 60) >= 4096);
		found_done(&found);
		free(image.bytes);
	}
	ok(good, "after every flush the file holds the newest events and nothing else");
	ok(holds, "and never fewer than it was made for");
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

/* A file that may only be written, as /proc opens it anew. */
static int write_only(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_CLOEXEC);
}

/* The area of a log that was never full ends where it was not used any more. */
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
	ok(found.header.area_bytes == (shrinks ? n_cells * found.header.cell_bytes : n_whole) &&
			image.n > found.header.area_bytes && image.n < found.header.area_bytes + (128 << 10),
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
	test_shrink(50, 500, false, false); /* more than a cell holds */
	test_shrink(50, 20, true, false);
}

static void test_room(void)
{
	struct log_start start = sample_start(POSIX_TRACE_LOOP, UINT64_MAX, 0);

	ok(log_buffer_bytes(&start) < 32 << 20, "a boundless limit does not need boundless memory");
	start.limit = 1 << 20;
	start.data_max = 4096;
	ok(log_buffer_bytes(&start) < 72 << 10, "an ordinary log needs about 70 KiB");
}

static void test_form(void)
{
	for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++)
		test_laps(&habits[i]);
	test_every_moment();
	test_growth();
	test_shrinking();
	test_room();
}

int main(void)
{
	for_all_forms(test_form);
	return tap_done();
}
