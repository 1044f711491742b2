/* SPDX-License-Identifier: MIT */
#include "log/write.h"

#include "log/log_test.h"

static void test_all_kinds(int policy, const char *name)
{
	const struct log_start start = sample_start(policy, 1 << 20, 100);
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;
	struct log_module module = { .pid = 77, .address = 0x1000, .size = 0x2000, .n_build_id = 3 };
	struct log_attributes attributes = { .stream_size = 1, .name = "stream" };
	static const enum log_kind kinds[] = { LOG_ATTRIBUTES, LOG_TYPE, LOG_MODULE, LOG_TASK, LOG_CLOCK_PAIR,
		LOG_SESSION, LOG_EVENTS, LOG_LOSS, LOG_EVENTS, LOG_END };
	bool are_there = true;

	ok(sample_begin(&sample, fd, &start) == 0, "%s: a log is begun", name);
	log_attributes(&sample.writer, &attributes);
	sample_type(&sample, 65);
	log_module(&sample.writer, &module, "/bin/prog");
	log_task(&sample.writer, &(struct log_task){ .pid = 77, .tid = 78, .name = "main" }, NULL);
	log_clock_pair(&sample.writer, &(struct log_clock_pair){ .ticks = 1, .monotonic = 2, .realtime = 3 });
	log_session(&sample.writer, &(struct log_session){ .mode = LOG_SESSION_SINGLE, .channels = 1 });
	while (sample.n < 10)
		sample_event(&sample, 100);
	sample_loss(&sample, 4);
	while (sample.n < 30)
		sample_event(&sample, 100);
	ok(sample_finish(&sample) == 0, "%s: a log is finished", name);

	image = image_of(fd);
	found = found_in(image.bytes, image.n, 100);
	ok(!found.error && !found.n_damages, "%s: it has no damage", name);
	ok(found.header.content == LOG_CONTENT_POSIX && found.header.clock == LOG_CLOCK_MONOTONIC &&
			found.header.clock_hz == 1000000000 && found.header.start_seconds == 1700000000 &&
			found.header.start_nanoseconds == 5 && found.header.pid == 77 &&
			strcmp(found.header.host, "box") == 0 &&
			strcmp(found.header.command, "prog arg") == 0,
		"%s: the header has what was given", name);
	ok(found.n_blocks == 10, "%s: every block is found", name);
	for (size_t i = 0; i < found.n_blocks && i < 10; i++) {
		const struct log_item *item = &found.blocks[i];
		const uint64_t sequence = item->block.sequence;

		are_there = are_there && sequence < 10 && item->block.kind == kinds[sequence];
	}
	ok(are_there, "%s: their sequence is the order in which they were given", name);
	ok(found_run(&found, 0, 30), "%s: events come back as given", name);
	is_number(found.n_lost, 4, "a loss comes back as given");
	ok(memcmp(found.blocks[0].body, &attributes, sizeof(attributes)) == 0,
		"%s: attributes come back as given", name);
	ok(found.blocks[2].block.length == sizeof(module) + 9 &&
			memcmp(found.blocks[2].body + sizeof(module), "/bin/prog", 9) == 0,
		"%s: a module has its path", name);
	ok(found.has_end && found.end.n_events == 30 && found.end.n_lost == 3 && !found.end.n_overwritten &&
			found.end.reason == LOG_END_EXIT,
		"%s: the end counts", name);
	ok(lseek(fd, 0, SEEK_CUR) == (off_t)image.n, "%s: the descriptor stands behind the log", name);
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

static void test_until_full(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_UNTIL_FULL, 1000, 0);
	struct log_event event = { .type = 3, .cpu = LOG_NO_CPU };
	uint64_t n_taken;
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;
	int error = 0;

	sample_begin(&sample, fd, &start);
	while (!sample.writer.is_full && !error)
		error = sample_event(&sample, 0);
	ok(!error, "the event that finds no room makes the log full, which is no error");
	event.address = n_taken = sample.n;
	is_number(sample.writer.n_events, n_taken, "and is refused");
	ok(sample_event(&sample, 0) == 0 && sample.writer.n_events == n_taken, "as are all that follow");
	ok(log_event_beyond(&sample.writer, &event, NULL) == 0,
		"the STOP of a full log is taken nevertheless");
	ok(sample_type(&sample, 66) == 0, "descriptions are, too");
	sample_finish(&sample);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 0);
	ok(found.n_events == n_taken + 1 && found.events[n_taken] == n_taken, "all of them are in the log");
	found_done(&found);
	free(image.bytes);

	log_restart(&sample.writer);
	ok(!sample.writer.is_full && sample_event(&sample, 0) == 0,
		"a log that is begun anew has room again");
	sample_done(&sample);
	close(fd);
}

static uint64_t bytes_of_events(const struct found *found)
{
	uint64_t n = 0;

	for (size_t i = 0; i < found->n_blocks; i++)
		n += found->blocks[i].block.kind == LOG_EVENTS ? block_bytes(&found->blocks[i]) : 0;
	return n;
}

/* The blocks of events in a log have as many bytes as allowed: not more, and at most an event or two less. */
static void test_limit(uint64_t limit, unsigned int flush)
{
	const struct log_start start = sample_start(POSIX_TRACE_UNTIL_FULL, limit, 100);
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, fd, &start);
	while (!sample.writer.is_full && sample_event(&sample, 100) == 0)
		if (flush && sample.n % flush == 0)
			log_flush(&sample.writer);
	sample_finish(&sample);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 100);
	ok(bytes_of_events(&found) <= limit && bytes_of_events(&found) + 300 > limit &&
			found_run(&found, 0, sample.n),
		"an UNTIL_FULL log of %llu bytes has %llu of %llu events", (unsigned long long)limit,
		(unsigned long long)bytes_of_events(&found), (unsigned long long)sample.n);
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

static void test_limits(void)
{
	test_limit(1, 0);
	test_limit(100, 0);
	test_limit(1001, 0);
	test_limit(65536, 0);
	test_limit(200003, 0);
	test_limit(200003, 50);
	test_limit(1 << 20, 0);
}

static void test_refusals(void)
{
	struct log_start start = sample_start(POSIX_TRACE_LOOP, 65536, 64);
	static unsigned char data[LOG_DATA_MAX];
	const struct log_event longer = { .length = LOG_DATA_MAX };
	const struct log_type many = { .n_fields = LOG_FIELDS_MAX + 1 };
	struct sample sample;
	int fds[2], fd;
	char path[] = "/tmp/rastrum-log-XXXXXX";

	if (pipe(fds) < 0)
		return;
	ok(sample_begin(&sample, fds[1], &start) == ESPIPE, "a pipe cannot loop");
	sample_done(&sample);
	close(fds[0]);
	close(fds[1]);
	close(mkstemp(path));
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ok(sample_begin(&sample, fd, &start) == ESPIPE, "a file that is open for appending only cannot loop");
	sample_done(&sample);
	start.policy = POSIX_TRACE_APPEND;
	ok(sample_begin(&sample, fd, &start) == 0 && sample_event(&sample, 64) == 0 &&
			sample_finish(&sample) == 0,
		"but can take a log that grows");
	sample_done(&sample);
	close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ok(sample_begin(&sample, fd, &start) != 0, "a descriptor that cannot be written is refused");
	sample_done(&sample);
	close(fd);
	unlink(path);
	start.policy = POSIX_TRACE_FLUSH;
	ok(sample_begin(&sample, -1, &start) == EINVAL, "FLUSH is no policy of a log");
	sample_done(&sample);

	fd = memory_file();
	start.policy = POSIX_TRACE_APPEND;
	ok(log_begin(&sample.writer, fd, &start, false, data, 4000) == EINVAL,
		"a buffer that is too small is refused");
	sample_begin(&sample, fd, &start);
	ok(log_event(&sample.writer, &longer, data) == EMSGSIZE &&
			log_type(&sample.writer, &many, NULL) == EINVAL,
		"an event or a type that is too large is refused");
	ok(sample_event(&sample, 64) == 0 && sample_finish(&sample) == 0, "and does not spoil the log");
	sample_done(&sample);
	close(fd);
}

static void test_largest_events(int policy)
{
	const struct log_start start = sample_start(policy, LOG_DATA_MAX + 1000, 0);
	static unsigned char data[LOG_DATA_MAX];
	const struct log_event event = { .length = LOG_DATA_MAX };
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, fd, &start);
	ok(log_event(&sample.writer, &event, data) == 0 && log_event(&sample.writer, &event, data) == 0 &&
			sample_finish(&sample) == 0,
		"the longest events fit, whatever the limit of the log (policy %d)", policy);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 0);
	ok(found.n_events == (policy == POSIX_TRACE_LOOP ? 1 : 2) && !found.n_damages, "and are read again");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

static void test_from_here(int policy)
{
	const struct log_start start = sample_start(policy, 1 << 16, 100);
	const size_t size = log_buffer_bytes(&start);
	static unsigned char old[400000];
	const int fd = memory_file();
	struct sample sample = { .buffer = malloc(size) };
	struct image image;
	struct found found;

	memset(old, 'R', sizeof(old));
	if (write(fd, old, sizeof(old)) < 0 || lseek(fd, 1003, SEEK_SET) < 0)
		return;
	log_begin(&sample.writer, fd, &start, true, sample.buffer, size);
	while (sample.n < 2000)
		sample_event(&sample, 100);
	sample_type(&sample, 65);
	while (sample.n < 2500) {
		sample_event(&sample, 100);
		log_flush(&sample.writer);
	}
	ok(sample_finish(&sample) == 0, "a log may begin anywhere in a file (policy %d)", policy);
	image = image_of(fd);
	ok(memcmp(image.bytes, old, 1003) == 0, "what stands in front of it stays");
	found = found_in(image.bytes + 1003, image.n - 1003, 100);
	ok(!found.n_damages && found.has_end && found_run(&found, found.end.n_overwritten, 2500),
		"and it reads as any other");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

static void test_restart(int policy)
{
	const struct log_start start = sample_start(policy, 1 << 16, 100);
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;
	unsigned int n_types = 0;

	sample_begin(&sample, fd, &start);
	sample_type(&sample, 65);
	while (sample.n < 5000)
		sample_event(&sample, 100);
	sample_type(&sample, 66);
	ok(log_restart(&sample.writer) == 0, "a log is begun anew (policy %d)", policy);
	while (sample.n < 5100)
		sample_event(&sample, 100);
	sample_finish(&sample);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 100);
	for (size_t i = 0; i < found.n_blocks; i++)
		n_types += found.blocks[i].block.kind == LOG_TYPE;
	ok(found_run(&found, 5000, 5100) && !found.n_damages, "earlier events are gone without a trace");
	ok(found.end.n_events == 100 && found.end.n_overwritten == 0, "and not counted");
	is_number(
		n_types, policy == POSIX_TRACE_LOOP ? 2 : 1, "descriptions in front of the first event stay");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

/* Losses in front of all events, such as losses of the kernel's switches. */
static void test_restart_behind_loss(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 100);
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;

	sample_begin(&sample, fd, &start);
	sample_type(&sample, 65);
	log_loss(&sample.writer, &(struct log_loss){ .n_events = 4 });
	log_restart(&sample.writer);
	while (sample.n < 10)
		sample_event(&sample, 100);
	log_loss(&sample.writer, &(struct log_loss){ .n_events = 3 });
	sample_finish(&sample);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 100);
	ok(found_run(&found, 0, 10) && found.n_lost == 3 && found.end.n_lost == 3,
		"losses in front of the first event are gone, too, when a log is begun anew");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

static void test_form(void)
{
	test_all_kinds(POSIX_TRACE_APPEND, "APPEND");
	test_all_kinds(POSIX_TRACE_UNTIL_FULL, "UNTIL_FULL");
	test_all_kinds(POSIX_TRACE_LOOP, "LOOP");
	test_until_full();
	test_limits();
	test_refusals();
	test_largest_events(POSIX_TRACE_APPEND);
	test_largest_events(POSIX_TRACE_LOOP);
	test_from_here(POSIX_TRACE_APPEND);
	test_from_here(POSIX_TRACE_LOOP);
	test_restart_behind_loss();
	test_restart(POSIX_TRACE_APPEND);
	test_restart(POSIX_TRACE_LOOP);
}

int main(void)
{
	for_all_forms(test_form);
	return tap_done();
}
