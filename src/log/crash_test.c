/* SPDX-License-Identifier: MIT */
/*
 * Tests how a log looks after its writer was killed at any instant. Our own pwrite() keeps a journal of what
 * is written where. From the journal, the file is made again as it was after any number of bytes.
 */
#include "log/log_test.h"

enum { N_WRITES_MAX = 4000, SECTOR_BYTES = 512, FILE_BYTES_MAX = 1 << 20 };

struct entry {
	size_t offset, n;
	unsigned char *bytes;
	uint64_t n_taken, n_flushed, n_overwritten; /* events, before this write */
};

static struct {
	bool is_on;
	const struct sample *sample;
	uint64_t n_flushed;
	size_t n;
	struct entry entries[N_WRITES_MAX];
} journal;

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
	if (!journal.is_on || journal.n == N_WRITES_MAX) {
		lseek(fd, offset, SEEK_SET);
		return write(fd, bytes, n);
	}
	journal.entries[journal.n] = (struct entry){ .offset = (size_t)offset,
		.n = n,
		.bytes = malloc(n),
		.n_taken = journal.sample ? journal.sample->n : 0,
		.n_flushed = journal.n_flushed,
		.n_overwritten = journal.sample ? journal.sample->writer.n_overwritten : 0 };
	memcpy(journal.entries[journal.n++].bytes, bytes, n);
	return (ssize_t)n;
}

static struct {
	unsigned char bytes[FILE_BYTES_MAX];
	size_t n;
} file;

static void apply(const struct entry *entry, size_t n)
{
	memcpy(file.bytes + entry->offset, entry->bytes, n);
	if (n && entry->offset + n > file.n)
		file.n = entry->offset + n;
}

ssize_t pread(int fd, void *bytes, size_t n, off_t offset)
{
	if (!journal.is_on) {
		lseek(fd, offset, SEEK_SET);
		return read(fd, bytes, n);
	}
	for (size_t i = 0; i < journal.n; i++)
		apply(&journal.entries[i], journal.entries[i].n);
	memcpy(bytes, file.bytes + offset, n);
	memset(&file, 0, sizeof(file));
	return (ssize_t)n;
}

static void record(int policy, uint64_t limit, uint32_t data_max, uint64_t n_events, unsigned int flush)
{
	const struct log_start start = sample_start(policy, limit, data_max);
	const int fd = memory_file();
	struct sample sample;

	for (size_t i = 0; i < journal.n; i++)
		free(journal.entries[i].bytes);
	memset(&journal, 0, sizeof(journal));
	memset(&file, 0, sizeof(file));
	journal.is_on = true;
	sample_begin(&sample, fd, &start);
	journal.sample = &sample;
	while (sample.n < n_events) {
		sample_event(&sample, data_max);
		if (sample.n % 100 == 7)
			sample_type(&sample, 65);
		if (sample.n % 31 == 30)
			sample_loss(&sample, 1);
		if (sample.n % flush == 0) {
			log_flush(&sample.writer);
			journal.n_flushed = sample.n;
		}
	}
	sample_finish(&sample);
	journal.is_on = false;
	sample_done(&sample);
	close(fd);
}

/*
 * Whether the present file has a run of events that begins at an allowed number and contains all events that
 * the writer had flushed before `entry`. The header is entry 0.
 */
static bool holds_flushed(const struct entry *entry, uint64_t first_max, uint64_t last_min, uint32_t data_max)
{
	struct found found = found_in(file.bytes, file.n, data_max);
	bool good = !found.error && found.events_are_good && found.n_damages <= 1;

	if (last_min > first_max)
		good = good && found.n_events && found.events[0] <= first_max &&
		       found.events[found.n_events - 1] + 1 >= last_min;
	good = good &&
	       (!found.n_events || found_run(&found, found.events[0], found.events[0] + found.n_events));
	if (!good)
		printf("# events %zu from %llu, expected up to %llu, to %llu; damages %llu; write at %zu\n",
			found.n_events, found.n_events ? (unsigned long long)found.events[0] : 0,
			(unsigned long long)first_max, (unsigned long long)last_min,
			(unsigned long long)found.n_damages, entry->offset);
	found_done(&found);
	return good;
}

/* Cuts every write wherever a file system can cut it: at the ends of sectors. */
static void test_cut_at_sectors(int policy, uint64_t limit, uint32_t data_max, uint64_t n_events,
	unsigned int flush, const char *what)
{
	bool good = true;

	record(policy, limit, data_max, n_events, flush);
	apply(&journal.entries[0], journal.entries[0].n);
	for (size_t i = 1; i < journal.n && good; i++) {
		const struct entry *entry = &journal.entries[i];

		for (size_t n = 0; n < entry->n && good;
			n += SECTOR_BYTES - (entry->offset + n) % SECTOR_BYTES) {
			apply(entry, n);
			good = holds_flushed(entry, entry->n_overwritten, entry->n_flushed, data_max);
		}
		apply(entry, entry->n);
		good = good && holds_flushed(entry, entry->n_overwritten, entry->n_flushed, data_max);
	}
	ok(good && journal.n < N_WRITES_MAX, "%s: a writer that is killed takes nothing that was flushed",
		what);
}

/*
 * Cuts a short log at every byte: at most one block is missing, and at most one range is damaged. A header
 * that is written again lies within a sector, so it is replaced as a whole or not at all.
 */
static void test_cut_at_bytes(int policy, const char *what)
{
	bool good = true;
	uint64_t before = 0;

	record(policy, 65536, 40, 150, 6); /* too few for a ring area to overwrite */
	for (size_t n = 0; n < journal.entries[0].n && good; n++) {
		struct found found;

		apply(&journal.entries[0], n);
		found = found_in(file.bytes, file.n, 40);
		good = found.error == EAGAIN;
	}
	ok(good, "%s: a header that is not whole yet is waited for", what);
	apply(&journal.entries[0], journal.entries[0].n);
	for (size_t i = 1; i < journal.n && good; i++) {
		const struct entry *entry = &journal.entries[i];
		struct found found = found_in(file.bytes, file.n, 40);

		before = found.n_blocks;
		found_done(&found);
		for (size_t n = 0; n <= entry->n && good; n += entry->offset ? 1 : entry->n) {
			apply(entry, n);
			found = found_in(file.bytes, file.n, 40);
			good = !found.error && found.n_blocks + 1 >= before && found.n_damages <= 1 &&
			       found.events_are_good;
			if (!good)
				printf("# write %zu of %zu at %zu cut at %zu: %zu blocks of %llu, %llu "
				       "damages\n",
					i, entry->n, entry->offset, n, found.n_blocks,
					(unsigned long long)before, (unsigned long long)found.n_damages);
			found_done(&found);
		}
	}
	ok(good, "%s: a write that is cut at any byte costs one block at most", what);
}

static void test_form(void)
{
	test_cut_at_sectors(POSIX_TRACE_APPEND, 0, 60, 600, 7, "APPEND");
	test_cut_at_sectors(POSIX_TRACE_LOOP, 16384, 60, 600, 7, "LOOP");
	test_cut_at_sectors(POSIX_TRACE_LOOP, 1024, 60, 600, 7, "LOOP of short cells");
	test_cut_at_sectors(POSIX_TRACE_LOOP, 16384, 60, 600, 1, "LOOP, flushed at each event");
	test_cut_at_sectors(POSIX_TRACE_LOOP, 49152, 1500, 600, 3, "LOOP of long events");
	test_cut_at_sectors(POSIX_TRACE_LOOP, 65536, 60, 40, 7, "LOOP whose area was never full");
	test_cut_at_bytes(POSIX_TRACE_APPEND, "APPEND");
	test_cut_at_bytes(POSIX_TRACE_LOOP, "LOOP");
}

int main(void)
{
	for_all_forms(test_form);
	for (size_t i = 0; i < journal.n; i++)
		free(journal.entries[i].bytes);
	return tap_done();
}
