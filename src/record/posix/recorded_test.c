/* SPDX-License-Identifier: MIT */
#include "record/posix/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/write.h"
#include "tests/tap.h"

enum { N_EVENTS = 3000, LOSS_AT = 100, N_LOST = 5, FIRST_TICKS = 1000000 };

static struct log_start start_of(int policy, enum log_clock clock)
{
	return (struct log_start){ .content = LOG_CONTENT_POSIX,
		.clock = clock,
		.pid = 1,
		.host = "host",
		.command = "command",
		.policy = policy,
		.limit = 256 << 10,
		.data_max = 1024 };
}

static void write_events(struct log_writer *log, int n_events)
{
	unsigned char data[64];

	for (int i = 0; i < n_events; i++) {
		struct log_event event = { .type = 65,
			.length = (uint16_t)(i % 64),
			.cpu = 1,
			.ticks = FIRST_TICKS + (uint64_t)i,
			.pid = 1,
			.tid = 1 };

		if (i == LOSS_AT)
			log_loss(log, &(struct log_loss){ .n_events = N_LOST });
		memset(data, i, sizeof(data));
		log_event(log, &event, data);
	}
}

/* A log in memory's file. */
static int write_log(int policy, enum log_clock clock, int n_events, bool with_end)
{
	const struct log_start start = start_of(policy, clock);
	const struct log_attributes attributes = { .stream_size = 4711,
		.stream_policy = POSIX_TRACE_FLUSH,
		.log_policy = (uint32_t)policy,
		.version = "version",
		.name = "name" };
	const struct log_end end = { .n_lost = N_LOST, .stream_overrun = 1, .log_full = 1 };
	int fd = memfd_create("log", MFD_CLOEXEC);
	size_t size = log_buffer_bytes(&start);
	void *buffer = malloc(size);
	struct log_writer log;

	log_begin(&log, fd, &start, false, buffer, size);
	log_attributes(&log, &attributes);
	log_type(&log, &(struct log_type){ .id = 65, .name = "mine" }, NULL);
	log_clock_pair(&log, &(struct log_clock_pair){ .ticks = FIRST_TICKS, .monotonic = 50 });
	write_events(&log, n_events);
	log_flush(&log);
	log_clock_pair(&log, &(struct log_clock_pair){ .ticks = FIRST_TICKS + 1000, .monotonic = 2050 });
	if (with_end)
		log_finish(&log, &end);
	free(buffer);
	return fd;
}

struct reading {
	int n;
	uint64_t first, last; /* sequence numbers */
	bool is_right;
};

static struct reading read_all(trace_id_t trid)
{
	struct reading reading = { .is_right = true };
	struct posix_trace_event_info info;
	unsigned char data[64];
	size_t length;
	int unavailable;

	while (posix_trace_getnext_event(trid, &info, data, sizeof(data), &length, &unavailable) == 0 &&
		!unavailable) {
		if (reading.n++ == 0)
			reading.first = info.posix_sequence_np;
		else
			reading.is_right = reading.is_right && info.posix_sequence_np > reading.last;
		reading.last = info.posix_sequence_np;
		reading.is_right = reading.is_right && info.posix_event_id == 65 &&
				   (length == 0 || length == data[0] % 64u || length == (data[0] & 63u));
	}
	return reading;
}

static void check_whole(void)
{
	int fd = write_log(POSIX_TRACE_APPEND, LOG_CLOCK_TSC, N_EVENTS, true);
	struct reading reading;
	trace_id_t trid = 0, second = 0;

	lseek(fd, 77, SEEK_SET);
	ok(posix_trace_open(fd, &trid) == 0, "a complete log is opened");
	ok(posix_trace_open(fd, &second) == 0 && second != trid, "twice, if wanted");
	ok(lseek(fd, 0, SEEK_CUR) == 77, "wherever the descriptor stands, and it stays there");
	close(fd);
	reading = read_all(trid);
	ok(reading.n == N_EVENTS && reading.is_right, "all events are read, though the descriptor is closed");
	ok(reading.first == 0 && reading.last == N_EVENTS - 1 + N_LOST,
		"lost ones leave a gap in the numbers");
	is_number((unsigned long long)read_all(trid).n, 0, "at the end nothing is available");
	ok(posix_trace_rewind(trid) == 0 && read_all(trid).n == N_EVENTS, "rewinding begins anew");
	is_number((unsigned long long)read_all(second).n, N_EVENTS, "another opening has its own cursor");
	ok(posix_trace_close(trid) == 0 && posix_trace_close(trid) == EINVAL &&
			posix_trace_rewind(trid) == EINVAL,
		"a closed one is none any more");
	posix_trace_close(second);
}

static void check_facts(void)
{
	int fd = write_log(POSIX_TRACE_APPEND, LOG_CLOCK_TSC, 10, true), unavailable, n = 0;
	struct posix_trace_status_info status, again;
	struct posix_trace_event_info info;
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_attr_t attr;
	trace_event_id_t id;
	trace_id_t trid;
	size_t size;

	posix_trace_open(fd, &trid);
	ok(posix_trace_get_attr(trid, &attr) == 0 && posix_trace_attr_getstreamsize(&attr, &size) == 0 &&
			size == 4711 && posix_trace_attr_getname(&attr, name) == 0 &&
			strcmp(name, "name") == 0,
		"a log has its stream's attributes");
	ok(posix_trace_get_status(trid, &status) == 0 &&
			status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN &&
			status.posix_log_full_status == POSIX_TRACE_FULL && status.posix_lost_np == N_LOST,
		"and its status");
	ok(posix_trace_get_status(trid, &again) == 0 && memcmp(&status, &again, sizeof(status)) == 0,
		"which asking does not change");
	ok(posix_trace_eventid_get_name(trid, 65, name) == 0 && strcmp(name, "mine") == 0,
		"names are the log's");
	ok(posix_trace_eventid_get_name(trid, POSIX_TRACE_STOP, name) == 0 &&
			posix_trace_eventid_get_name(trid, 66, name) == EINVAL,
		"the predefined ones are known, others are not");
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable) == 0 && !unavailable)
		n++;
	ok(n == 10 && id == 65, "the list has each type once");
	ok(posix_trace_eventtypelist_rewind(trid) == 0 &&
			posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable) == 0 && id == 1,
		"and begins anew");
	ok(posix_trace_getnext_event(trid, &info, NULL, 0, &size, &unavailable) == 0 &&
			info.posix_timestamp.tv_nsec == 50,
		"times lie on the line through the clock pairs");
	ok(posix_trace_trid_eventid_open(trid, "new", &id) == EINVAL && posix_trace_start(trid) == EINVAL &&
			posix_trace_shutdown(trid) == EINVAL,
		"what needs an active stream is refused");
	posix_trace_close(trid);
	close(fd);
}

static void check_pool(void)
{
	int fd = write_log(POSIX_TRACE_LOOP, LOG_CLOCK_MONOTONIC, 10000, true);
	struct reading reading;
	trace_id_t trid = 0;

	ok(posix_trace_open(fd, &trid) == 0, "a LOOP log is opened");
	reading = read_all(trid);
	ok(reading.is_right && reading.n > 2000 && reading.n < 10000, "its newest events are in order");
	ok(reading.last >= 9999 && reading.last - reading.first == (uint64_t)reading.n - 1 &&
			reading.first >= 10000 - (uint64_t)reading.n,
		"and are the last ones, without a gap");
	posix_trace_close(trid);
	close(fd);
}

/*
 * Whether it can be opened strictly, and loosely, and how many events are there then; -1: cannot be opened.
 */
static int try_open(int (*open_log)(int, trace_id_t *), int fd)
{
	trace_id_t trid;
	int n;

	if (open_log(fd, &trid) != 0)
		return -1;
	n = read_all(trid).n;
	posix_trace_close(trid);
	return n;
}

static void check_refused(void)
{
	int fd = write_log(POSIX_TRACE_APPEND, LOG_CLOCK_MONOTONIC, N_EVENTS, true);
	int memory = memfd_create("none", MFD_CLOEXEC), pipe_fds[2];
	off_t size = lseek(fd, 0, SEEK_END);
	trace_id_t trid;
	char path[64];

	ok(posix_trace_open(-1, &trid) == EBADF && posix_trace_open(fd, NULL) == EINVAL,
		"no descriptor, no trid");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	close(memory);
	memory = open(path, O_WRONLY | O_CLOEXEC);
	ok(posix_trace_open(memory, &trid) == EBADF, "a descriptor must be open for reading");
	close(memory);
	if (pipe(pipe_fds) == 0) {
		ok(posix_trace_open(pipe_fds[0], &trid) == EINVAL, "a pipe is no log");
		close(pipe_fds[0]);
		close(pipe_fds[1]);
	}
	ok(pwrite(fd, "x", 1, size) == 1 && posix_trace_open(fd, &trid) == EINVAL,
		"something behind the end is refused");
	ok(try_open(posix_trace_open_incomplete_np, fd) == N_EVENTS,
		"but does not keep from an incomplete opening");
	ok(pwrite(fd, "x", 1, size / 2) == 1 && try_open(posix_trace_open_incomplete_np, fd) > 0 &&
			try_open(posix_trace_open_incomplete_np, fd) < N_EVENTS,
		"damage costs what it hit");
	ok(pwrite(fd, "x", 1, 0) == 1 && posix_trace_open_incomplete_np(fd, &trid) == EINVAL,
		"no magic, no log");
	ok(ftruncate(fd, 0) == 0 && posix_trace_open_incomplete_np(fd, &trid) == EINVAL,
		"nor is an empty file");
	close(fd);
}

static void check_incomplete(void)
{
	int fd = write_log(POSIX_TRACE_APPEND, LOG_CLOCK_MONOTONIC, N_EVENTS, false);
	struct posix_trace_status_info status;
	trace_id_t trid;

	ok(try_open(posix_trace_open, fd) == -1, "a log without end is not complete");
	ok(try_open(posix_trace_open_incomplete_np, fd) == N_EVENTS, "and can be opened as that");
	posix_trace_open_incomplete_np(fd, &trid);
	ok(posix_trace_get_status(trid, &status) == 0 && status.posix_lost_np == N_LOST &&
			status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN,
		"losses are known then, too");
	ok(ftruncate(fd, 2000) == 0 && read_all(trid).n == 0,
		"a file that is cut while it is read just ends");
	posix_trace_close(trid);
	close(fd);
}

/* Wherever a log is cut or spoilt, there is an answer. */
static void check_every_damage(int policy)
{
	int fd = write_log(policy, LOG_CLOCK_TSC, 200, true), n_strict = 0, n = 0;
	off_t size = lseek(fd, 0, SEEK_END);
	unsigned char byte, other;

	for (off_t at = 0; at < size; at += at < 4000 ? 1 : 997) {
		if (pread(fd, &byte, 1, at) != 1)
			break;
		other = (unsigned char)~byte;
		if (pwrite(fd, &other, 1, at) == 1) {
			n_strict += try_open(posix_trace_open, fd) >= 0;
			n += try_open(posix_trace_open_incomplete_np, fd) >= 0;
		}
		if (pwrite(fd, &byte, 1, at) != 1)
			break;
	}
	ok(try_open(posix_trace_open, fd) == 200, "a log that is whole again is opened again");
	ok(n > 0 && n_strict < n, "spoilt bytes are seen (%d and %d openings)", n_strict, n);
	while (size > 0) {
		size -= size < 2000 ? 1 : 997;
		if (ftruncate(fd, size) < 0 || try_open(posix_trace_open, fd) >= 0)
			break;
		try_open(posix_trace_open_incomplete_np, fd);
	}
	ok(size <= 0, "a log that is cut anywhere is not complete");
	close(fd);
}

static void check_memory(void)
{
	int fd = write_log(POSIX_TRACE_APPEND, LOG_CLOCK_TSC, 200, true), error;
	trace_id_t trid;
	long n = 0;

	for (;; n++) {
		tap_fail_alloc_after(n);
		error = posix_trace_open(fd, &trid);
		tap_fail_alloc_after(-1);
		if (error != ENOMEM)
			break;
	}
	ok(error == 0 && n > 3, "a lack of memory is reported, wherever it comes");
	posix_trace_close(trid);
	close(fd);
}

int main(void)
{
	check_whole();
	check_facts();
	check_pool();
	check_refused();
	check_incomplete();
	check_every_damage(POSIX_TRACE_APPEND);
	check_every_damage(POSIX_TRACE_LOOP);
	check_memory();
	return tap_done();
}
