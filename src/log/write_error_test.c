/* SPDX-License-Identifier: MIT */
/* Logs in a file or pipe that refuses bytes: which bytes are written afterwards, and how such a log ends. */
#include "log/write.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "log/log_test.h"

/*
 * The room of a file that becomes full in the middle of a test with plain or packed events; frames take a
 * part of it.
 */
static long room(long n_bytes)
{
	return sample_zstd ? n_bytes / 10 : n_bytes;
}

struct drain {
	int fd;
	struct image image;
};

static void *drain(void *argument)
{
	struct drain *pipe = argument;
	ssize_t n;

	pipe->image.bytes = malloc(1 << 22);
	while ((n = read(pipe->fd, pipe->image.bytes + pipe->image.n, 3000)) > 0)
		pipe->image.n += (size_t)n;
	return NULL;
}

/* A log in a pipe that refuses all bytes after a number of them, and later accepts them again. */
static void test_pipe(int flags, long fail_after, const char *what)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 100);
	struct sample sample;
	struct found found;
	struct drain other;
	pthread_t thread;
	int fds[2], error = 0, n_errors = 0;

	if (pipe2(fds, O_CLOEXEC) < 0 || fcntl(fds[1], F_SETFL, flags) < 0)
		return;
	other = (struct drain){ .fd = fds[0] };
	pthread_create(&thread, NULL, drain, &other);
	sample_begin(&sample, fds[1], &start);
	tap_fail_write_after(fail_after);
	errno = 4711;
	while (sample.n < 3000) {
		error = sample_event(&sample, 100);
		if (!error && sample.n % 500 == 0)
			error = log_flush(&sample.writer);
		if (!error)
			continue;
		n_errors++;
		if (sample_event(&sample, 100) != ENOSPC)
			break;
		tap_fail_write_after(-1);
		log_resume(&sample.writer);
	}
	sample_finish(&sample);
	ok(errno == 4711, "%s: errno is kept", what);
	close(fds[1]);
	pthread_join(thread, NULL);
	found = found_in(other.image.bytes, other.image.n, 100);
	ok(found_run(&found, 0, 3000) && found.has_end, "%s: everything arrives", what);
	ok(n_errors == (fail_after >= 0) && found.n_damages == (fail_after >= 0),
		"%s: only a write that failed leaves damage", what);
	found_done(&found);
	free(other.image.bytes);
	close(fds[0]);
	sample_done(&sample);
}

/* posix_trace_clear() works after an error: the pipe keeps a torn block, and the log goes on behind it. */
static void test_restart_after_error(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 100);
	struct image image = { .bytes = malloc(1 << 16) };
	struct sample sample;
	struct found found;
	int fds[2];
	ssize_t n;

	if (pipe(fds) < 0)
		return;
	sample_begin(&sample, fds[1], &start);
	while (sample.n < 20)
		sample_event(&sample, 100);
	tap_fail_write_after(333);
	ok(log_flush(&sample.writer) == ENOSPC, "a block is torn");
	tap_fail_write_after(-1);
	ok(log_restart(&sample.writer) == 0, "a pipe that had an error is begun anew");
	while (sample.n < 30)
		sample_event(&sample, 100);
	sample_finish(&sample);
	n = read(fds[0], image.bytes, 1 << 16);
	image.n = n > 0 ? (size_t)n : 0;
	found = found_in(image.bytes, image.n, 100);
	ok(found_run(&found, 20, 30) && found.n_damages == 1 && found.damage_bytes == 336,
		"events from then on are read, and the torn block is reported");
	is_number(found.end.n_events, found.n_events, "the end counts what the pipe has, and nothing else");
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fds[0]);
	close(fds[1]);
}

static void test_pipe_that_breaks(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 100);
	struct sample sample;
	int fds[2];

	if (pipe(fds) < 0)
		return;
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	ok(sample_begin(&sample, fds[1], &start) == EPIPE, "a pipe without a reader is EPIPE");
	ok(sample_event(&sample, 100) == EPIPE && sample_finish(&sample) == EPIPE,
		"and remains so at every later call");
	close(fds[1]);
	sample_done(&sample);
}

static void test_full_device(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 100);
	struct sample sample;
	const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	ok(sample_begin(&sample, fd, &start) == ENOSPC, "a full device is ENOSPC");
	sample_done(&sample);
	close(fd);
}

/*
 * A file that may not grow beyond a limit. The limit is lifted at the first error, like a full disk that gets
 * room.
 */
static void test_full_disk(int policy)
{
	const struct log_start start = sample_start(policy, 1 << 18, 100);
	char path[] = "/tmp/rastrum-log-XXXXXX";
	const int fd = mkstemp(path);
	struct rlimit limit, tight;
	struct sample sample;
	struct image image;
	struct found found;
	int n_errors = 0;

	unlink(path);
	signal(SIGXFSZ, SIG_IGN);
	sample_begin(&sample, fd, &start);
	getrlimit(RLIMIT_FSIZE, &limit);
	tight = limit;
	tight.rlim_cur = (rlim_t)(policy == POSIX_TRACE_LOOP ? 50001 : room(50001));
	setrlimit(RLIMIT_FSIZE, &tight);
	while (sample.n < 2000) {
		const int error = sample_event(&sample, 100);

		if (!error)
			continue;
		n_errors += error == EFBIG;
		if (n_errors == 1 && log_resume(&sample.writer) != EFBIG)
			break;
		setrlimit(RLIMIT_FSIZE, &limit);
		if (log_resume(&sample.writer) != 0 || ++n_errors > 3)
			break;
	}
	sample_finish(&sample);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 100);
	ok(n_errors == 2, "a file that may not grow is an error until it may (policy %d)", policy);
	ok(found_run(&found, found.end.n_overwritten, 2000) && !found.n_damages && found.has_end,
		"then nothing is lost or damaged");
	found_done(&found);
	free(image.bytes);
	close(fd);
	sample_done(&sample);
}

/* Ends a log as the consumer does: events that are taken out of it are counted as lost. */
static int end_somehow(struct sample *sample)
{
	struct log_given given = { 0 }, sum = { 0 };
	bool has_stop = false, gave;
	int error;

	do {
		const struct log_event stop = {
			.type = 3, .cpu = LOG_NO_CPU, .length = 4, .address = 1u << 30
		};
		const struct log_loss loss = { .n_events = sum.n_events };

		error = has_stop ? 0 : log_event_beyond(&sample->writer, &stop, &(int){ 1 });
		has_stop = has_stop || !error;
		if (!error)
			error = log_loss(&sample->writer, &loss);
		if (!error)
			error = log_clock_pair(&sample->writer, &(struct log_clock_pair){ 0 });
		if (!error)
			error = log_finish(&sample->writer, &(struct log_end){ .n_lost = sum.n_events });
		gave = error && log_give_way(&sample->writer, &given);
		/* The newest events are given first: the earlier STOP is one of them. */
		sum.n_events += given.n_events - (given.n_events > 0 && has_stop);
		has_stop = has_stop && given.n_events == 0;
	} while (gave);
	return error;
}

/* Ends a log with room for n_bytes, with blocks of one event or of as many as fit. flags are the file's. */
static bool end_within(rlim_t n_bytes, bool is_each_flushed, int flags, uint64_t *ret_n_lost)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 40);
	struct rlimit limit, tight;
	const int fd = memory_file();
	struct sample sample;
	struct image image;
	struct found found;
	bool is_good;
	int error = 0;

	fcntl(fd, F_SETFL, flags);
	getrlimit(RLIMIT_FSIZE, &limit);
	tight = (struct rlimit){ n_bytes, limit.rlim_max };
	setrlimit(RLIMIT_FSIZE, &tight);
	sample_begin(&sample, fd, &start);
	sample_type(&sample, 65);
	while (sample.n < 3000 && !error) {
		error = sample_event(&sample, 40);
		if (!error && is_each_flushed)
			error = log_flush(&sample.writer);
	}
	error = end_somehow(&sample);
	setrlimit(RLIMIT_FSIZE, &limit);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 40);
	is_good = !error && found.has_end && !found.n_damages && found.n_events > 0 &&
		  found.events[found.n_events - 1] == 1u << 30 && found.end.n_events == found.n_events &&
		  found.n_lost == found.end.n_lost && found.n_events - 1 + found.n_lost == sample.n;
	for (size_t i = 0; i + 1 < found.n_events; i++)
		is_good = is_good && found.events[i] == i;
	*ret_n_lost = found.n_lost;
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
	return is_good;
}

static void test_end_without_room(bool is_each_flushed, int flags, const char *what)
{
	uint64_t n_lost, n_lost_max = 0;
	unsigned int n_good = 0, n_sizes = 0;

	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t n_bytes = (rlim_t)room(70000), last = n_bytes + 600; n_bytes < last; n_bytes += 7) {
		n_good += end_within(n_bytes, is_each_flushed, flags, &n_lost);
		n_lost_max = n_lost > n_lost_max ? n_lost : n_lost_max;
		n_sizes++;
	}
	ok(n_good == n_sizes, "%s without room gives way for its end, wherever the room ended (%u of %u)",
		what, n_good, n_sizes);
	ok(n_lost_max < 65536 / 40 && n_lost_max > 0, "by one block at most (%llu events)",
		(unsigned long long)n_lost_max);
}

/* Two writers append to one file: the bytes of the other one are not taken back. */
static void test_shared_append(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 40);
	const int fd = memory_file();
	struct log_given given;
	struct sample sample;
	struct image image;
	int n_given = 0;

	fcntl(fd, F_SETFL, O_APPEND);
	sample_begin(&sample, fd, &start);
	while (sample.n < 1000) {
		sample_event(&sample, 40);
		log_flush(&sample.writer);
	}
	ok(write(fd, "another's", 9) == 9, "another process appends to the file of a log");
	do
		sample.writer.error = ENOSPC;
	while (log_give_way(&sample.writer, &given) && ++n_given < 20);
	image = image_of(fd);
	ok(n_given < 20 && memcmp(image.bytes + image.n - 9, "another's", 9) == 0,
		"it is not taken out of it again");
	free(image.bytes);
	sample_done(&sample);
	close(fd);
}

/* The file of a LOOP log may not grow behind its area, and holes in the area do not help. */
static bool end_behind_area(rlim_t n_more)
{
	const struct log_start start = sample_start(POSIX_TRACE_LOOP, 1 << 18, 40);
	const int fd = memory_file();
	struct rlimit limit, tight;
	struct sample sample;
	struct image image;
	struct found found;
	bool is_good;

	sample_begin(&sample, fd, &start);
	getrlimit(RLIMIT_FSIZE, &limit);
	tight = (struct rlimit){ sample.writer.end + n_more, limit.rlim_max };
	setrlimit(RLIMIT_FSIZE, &tight);
	for (unsigned int i = 0; i < 500; i++)
		sample_event(&sample, 40);
	log_flush(&sample.writer);
	for (uint32_t id = 65; id < 200 && !sample.writer.error; id++)
		sample_type(&sample, id);
	is_good = sample.writer.error == EFBIG && end_somehow(&sample) == 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	image = image_of(fd);
	found = found_in(image.bytes, image.n, 40);
	is_good = is_good && found.has_end && !found.n_damages && found.n_events == 501;
	found_done(&found);
	free(image.bytes);
	sample_done(&sample);
	close(fd);
	return is_good;
}

static void test_end_behind_area(void)
{
	unsigned int n_good = 0, n_sizes = 0;

	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t n_more = 1000; n_more < 1600; n_more += 7, n_sizes++)
		n_good += end_behind_area(n_more);
	is_number(n_good, n_sizes,
		"a log with an area that may not grow gives its last descriptions for its end");
}

static void test_nothing_to_give(void)
{
	const struct log_start start = sample_start(POSIX_TRACE_APPEND, 0, 40);
	const int fd = memory_file();
	struct log_given given;
	struct sample sample;
	unsigned int n;

	sample_begin(&sample, fd, &start);
	while (sample.n < 20)
		sample_event(&sample, 40);
	ok(!log_give_way(&sample.writer, &given), "a log without an error gives nothing");
	sample.writer.error = EIO;
	ok(!log_give_way(&sample.writer, &given) && sample.writer.error == EIO,
		"nor does one with an error that is not of room");
	sample.writer.error = ENOSPC;
	ok(log_give_way(&sample.writer, &given) && given.n_events == 10 && sample.writer.error == 0,
		"half of what waits is given first");
	for (n = 0; n < 10 && sample.writer.n_events > 0; n++) {
		sample.writer.error = ENOSPC;
		log_give_way(&sample.writer, &given);
	}
	is_number(n, 4, "then half of that, and so on");
	sample.writer.error = ENOSPC;
	ok(!log_give_way(&sample.writer, &given), "when no event was written, that is all there is");
	sample_done(&sample);
	close(fd);
}

static void test_form(void)
{
	test_pipe(0, -1, "a pipe");
	test_pipe(O_NONBLOCK, -1, "a pipe that does not block");
	test_pipe(0, room(50001), "a pipe that failed in the middle of a block");
	test_restart_after_error();
	test_pipe_that_breaks();
	test_full_device();
	test_full_disk(POSIX_TRACE_APPEND);
	test_full_disk(POSIX_TRACE_LOOP);
	test_end_without_room(false, 0, "a log");
	test_end_without_room(true, 0, "a log of small blocks");
	test_end_without_room(false, O_APPEND, "a log that is appended");
	test_end_without_room(true, O_APPEND, "one of small blocks");
	test_shared_append();
	test_end_behind_area();
	test_nothing_to_give();
}

int main(void)
{
	for_all_forms(test_form);
	return tap_done();
}
