/* SPDX-License-Identifier: MIT */
/* Logs as they are read: what an opened log gives and refuses, and what is no log. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct shape plain = { .size = 1 << 20, .log_policy = POSIX_TRACE_APPEND };

/* --- an opened log -------------------------------------------------------------------------------------- */

static int make_log(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&plain, fd);

	put_numbers(0, 300);
	must(posix_trace_shutdown(trid), "shut down");
	return fd;
}

static void test_recorded_reading(void)
{
	int fd = make_log(), flag = 0;
	trace_id_t trid, other;
	struct seen event;
	struct seen_list first, second;
	struct timespec past = { 0, 0 };

	if (lseek(fd, 7, SEEK_SET) != 7)
		must(errno, "seek");
	must(posix_trace_open(fd, &trid), "open a log");
	must(posix_trace_open(fd, &other), "open a log again");
	first = read_rest(trid);
	ok(lseek(fd, 0, SEEK_CUR) == 7, "12 open: the file offset is neither used nor moved");
	ok(posix_trace_getnext_event(trid, &event.info, event.data, sizeof(event.data), &event.n, &flag) ==
				0 &&
			flag != 0,
		"11 getnext_event: at the end of a log it returns 0 and sets unavailable");
	flag = 0;
	ok(posix_trace_timedgetnext_event(
		   trid, &event.info, event.data, sizeof(event.data), &event.n, &flag, &past) == 0 &&
			flag != 0,
		"16.11 timedgetnext_event: at the end of a log it does the same");
	is_number((unsigned)posix_trace_trygetnext_event(
			  trid, &event.info, event.data, sizeof(event.data), &event.n, &flag),
		EINVAL, "11 trygetnext_event: a log is EINVAL");
	second = read_rest(other);
	ok(first.n == second.n && first.n >= 300 &&
			number_of(&first.event[5]) == number_of(&second.event[5]) &&
			first.event[5].info.posix_sequence_np == second.event[5].info.posix_sequence_np,
		"12 open: two opens of one log are independent");
	seen_free(&second);
	is_number((unsigned)posix_trace_rewind(trid), 0, "12 rewind: a log is rewound");
	is_number((unsigned)posix_trace_timedgetnext_event(
			  trid, &event.info, event.data, 2, &event.n, &flag, &past),
		0, "16.11 timedgetnext_event: reads a log's events");
	ok(event.n <= 2 && (first.event[0].n <= 2 ||
				   event.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_READ),
		"11 reading: data of a log is cut to the buffer, too");
	posix_trace_rewind(trid);
	second = read_rest(trid);
	ok(second.n == first.n, "12 rewind: all is read again from the oldest event, what was cut too");
	is_number((unsigned)posix_trace_close(trid), 0, "12 close: a log is closed");
	ok(fcntl(fd, F_GETFD) >= 0, "12 close: the descriptor stays open");
	is_number((unsigned)posix_trace_close(trid), EINVAL, "3 close: twice is EINVAL");
	posix_trace_close(other);
	seen_free(&first);
	seen_free(&second);
	close(fd);
}

static void test_recorded_refusals(void)
{
	int fd = make_log(), n = 0;
	trace_event_set_t set;
	trace_event_id_t id;
	trace_id_t trid;

	posix_trace_eventset_empty(&set);
	must(posix_trace_open(fd, &trid), "open a log");
	const int got[] = { posix_trace_start(trid), posix_trace_stop(trid), posix_trace_clear(trid),
		posix_trace_flush(trid), posix_trace_shutdown(trid), posix_trace_get_filter(trid, &set),
		posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET) };
	for (size_t i = 0; i < sizeof(got) / sizeof(got[0]); i++)
		n += got[i] != EINVAL;
	is_number((unsigned)n, 0,
		"12 open: start, stop, clear, flush, shutdown and filters refuse a log with EINVAL");
	is_number((unsigned)posix_trace_trid_eventid_open(trid, "log: new", &id), EINVAL,
		"16.12 trid_eventid_open: a log is EINVAL");
	ok(posix_trace_eventid_equal(trid, 70, 70) != 0 && posix_trace_eventid_equal(trid, 70, 71) == 0,
		"12 eventid_equal: is allowed on a log");
	posix_trace_close(trid);
	close(fd);
}

static void test_recorded_attr(void)
{
	const struct shape shape = { .size = 123456,
		.data_size = 99,
		.log_size = 777777,
		.policy = POSIX_TRACE_UNTIL_FULL,
		.log_policy = POSIX_TRACE_UNTIL_FULL,
		.inheritance = POSIX_TRACE_INHERITED };
	int fd = file_without_name(), policy = 0, log_policy = 0;
	trace_attr_t attr, live, logged;
	trace_id_t trid;
	char name[TRACE_NAME_MAX + 1];
	struct timespec then, now;
	size_t size[6];

	shape_attr(&shape, &attr);
	must(posix_trace_attr_setname(&attr, "log attributes"), "set the name");
	must(posix_trace_create_withlog(getpid(), &attr, fd, &trid), "create a stream with a log");
	must(posix_trace_get_attr(trid, &live), "get attributes");
	must(posix_trace_shutdown(trid), "shut down");
	must(posix_trace_open(fd, &trid), "open a log");
	is_number(
		(unsigned)posix_trace_get_attr(trid, &logged), 0, "12 get_attr: a log gives its attributes");
	posix_trace_attr_getname(&logged, name);
	is_text(name, "log attributes", "12 get_attr: the name is the stream's");
	posix_trace_attr_getstreamsize(&live, &size[0]);
	posix_trace_attr_getstreamsize(&logged, &size[1]);
	posix_trace_attr_getmaxdatasize(&live, &size[2]);
	posix_trace_attr_getmaxdatasize(&logged, &size[3]);
	posix_trace_attr_getlogsize(&live, &size[4]);
	posix_trace_attr_getlogsize(&logged, &size[5]);
	ok(size[0] == size[1] && size[2] == size[3] && size[4] == size[5] && size[4] == 777777,
		"12 get_attr: the sizes are the stream's");
	posix_trace_attr_getstreamfullpolicy(&logged, &policy);
	posix_trace_attr_getlogfullpolicy(&logged, &log_policy);
	ok(policy == POSIX_TRACE_UNTIL_FULL && log_policy == POSIX_TRACE_UNTIL_FULL,
		"12 get_attr: the policies are the stream's");
	posix_trace_attr_getclockres(&live, &then);
	posix_trace_attr_getclockres(&logged, &now);
	ok(time_ns(&then) == time_ns(&now) && time_ns(&now) > 0,
		"12 get_attr: the resolution of its stamps is the stream's");
	posix_trace_attr_getinherited(&logged, &policy);
	is_number((unsigned)policy, POSIX_TRACE_INHERITED, "12 get_attr: the inheritance is the stream's");
	posix_trace_attr_getcreatetime(&live, &then);
	posix_trace_attr_getcreatetime(&logged, &now);
	ok(time_ns(&then) == time_ns(&now), "12 get_attr: the creation time is the stream's");
	ok(stream_status(trid).posix_stream_status == POSIX_TRACE_SUSPENDED,
		"7 get_status: a log's stream is suspended");
	posix_trace_close(trid);
	close(fd);
}

static int log_of_child(void *fd)
{
	trace_event_id_t mine = type_open("log: only of the child");
	trace_id_t trid = stream_run_log(&plain, *(int *)fd);

	put_number(mine, 1);
	return posix_trace_shutdown(trid);
}

static void test_recorded_names(void)
{
	int fd = file_without_name(), flag = 0;
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	trace_event_id_t id = 0;
	trace_id_t trid;
	struct seen_list list;
	unsigned int n_types = 0, n_found = 0;

	is_number((unsigned)in_child(log_of_child, &fd), 0, "12 log: another process may write it");
	type_open("log: only of the parent");
	must(posix_trace_open(fd, &trid), "open a log");
	list = read_rest(trid);
	for (size_t i = 0; i < list.n; i++)
		if (number_of(&list.event[i]) == 1 &&
			posix_trace_eventid_get_name(trid, list.event[i].info.posix_event_id, name) == 0)
			n_found += strcmp(name, "log: only of the child") == 0;
	is_number(n_found, 1,
		"8 eventid_get_name: names of a log come from the log, whatever the reader has opened");
	n_found = 0;
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &flag) == 0 && !flag && n_types++ < 5000)
		if (posix_trace_eventid_get_name(trid, id, name) == 0)
			n_found += strcmp(name, "log: only of the child") == 0 ||
				   strcmp(name, "posix_trace_start") == 0;
	ok(n_found == 2 && n_types >= 10,
		"12 eventtypelist: the types of a log are listed, predefined ones too");
	ok(posix_trace_eventtypelist_rewind(trid) == 0 &&
			posix_trace_eventtypelist_getnext_id(trid, &id, &flag) == 0 && !flag,
		"12 eventtypelist: and rewound");
	is_number((unsigned)posix_trace_eventid_get_name(trid, 1087, name), EINVAL,
		"8 eventid_get_name: an identifier that the log does not have is EINVAL");
	seen_free(&list);
	posix_trace_close(trid);
	close(fd);
}
/* --- what is no log ------------------------------------------------------------------------------------- */

static int error_of_open(int fd)
{
	trace_id_t trid;
	int error = posix_trace_open(fd, &trid);

	if (error == 0)
		posix_trace_close(trid);
	return error;
}

static int copy_of(int fd, off_t n)
{
	int copy = file_without_name();
	char bytes[4096];

	for (off_t at = 0; at < n;) {
		ssize_t got = pread(fd, bytes, n - at < 4096 ? (size_t)(n - at) : 4096, at);

		if (got <= 0 || pwrite(copy, bytes, (size_t)got, at) != got)
			break;
		at += got;
	}
	return copy;
}

static void byte_flip(int fd, off_t at)
{
	unsigned char byte = 0;

	if (pread(fd, &byte, 1, at) == 1) {
		byte ^= 0x55;
		if (pwrite(fd, &byte, 1, at) != 1)
			must(errno, "write a file");
	}
}

static void test_incomplete(int fd, off_t size)
{
	bool is_refused = true;

	for (off_t n = 0; n < size; n = n * 3 / 2 + 1) {
		int copy = copy_of(fd, n);

		is_refused &= error_of_open(copy) == EINVAL;
		close(copy);
	}
	ok(is_refused, "12 open: a log that is cut anywhere is EINVAL");
	int copy = copy_of(fd, size - 8);
	is_number((unsigned)error_of_open(copy), EINVAL, "12 open: a log without its last bytes is EINVAL");
	close(copy);
}

static void test_damaged(int fd, off_t size)
{
	bool is_refused = true, is_told = true;

	for (off_t at = 0; at < 16; at++) {
		int copy = copy_of(fd, size);

		byte_flip(copy, at);
		is_refused &= error_of_open(copy) == EINVAL;
		close(copy);
	}
	ok(is_refused, "12 open: another magic, version, byte order or word size is EINVAL");
	for (off_t at = 16; at < size; at += 1 + at / 20) {
		int copy = copy_of(fd, size), error;

		byte_flip(copy, at);
		error = error_of_open(copy);
		is_told &= error == 0 || error == EINVAL;
		close(copy);
	}
	ok(is_told, "12 open: a log with one bad byte anywhere is opened or EINVAL, and nothing worse");
	int copy = copy_of(fd, size);
	byte_flip(copy, size / 2);
	is_number((unsigned)error_of_open(copy), EINVAL,
		"12 open: a log with a bad byte among its events is EINVAL");
	close(copy);
}

static void test_not_logs(void)
{
	int fd = make_log(), text = file_without_name(), fds[2], error;
	int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char path[] = "/tmp/posix-log-XXXXXX";
	int both = mkstemp(path), writing = open(path, O_WRONLY | O_CLOEXEC);
	struct stat file;

	unlink(path);
	if (fstat(fd, &file) != 0 || write(text, "This is no log.\n", 16) != 16 || pipe(fds) != 0)
		must(errno, "prepare files");
	is_number((unsigned)error_of_open(text), EINVAL, "12 open: a text is EINVAL");
	ok(ftruncate(text, 0) == 0 && error_of_open(text) == EINVAL, "12 open: an empty file is EINVAL");
	ok(ftruncate(text, 1 << 20) == 0 && error_of_open(text) == EINVAL,
		"12 open: a file of zeros is EINVAL");
	is_number((unsigned)error_of_open(folder), EINVAL, "12 open: a folder is EINVAL");
	is_number((unsigned)error_of_open(fds[0]), EINVAL, "12 open: a pipe is EINVAL");
	error = error_of_open(-1);
	ok(error == EBADF || error == EINVAL, "3 open: a descriptor that is none is refused");
	error = error_of_open(writing);
	ok(error == EBADF || error == EINVAL,
		"12 open: a descriptor that is not open for reading is refused");
	test_incomplete(fd, file.st_size);
	test_damaged(fd, file.st_size);
	const int all[] = { fd, text, folder, both, writing, fds[0], fds[1] };
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		close(all[i]);
}
static void test_file_times(void)
{
	int fd = make_log();
	struct stat file;
	int64_t now = now_ns(CLOCK_REALTIME);

	ok(fstat(fd, &file) == 0 && llabs(time_ns(&file.st_mtim) - now) < 60000000000,
		"12 log: writing marks the time of modification");
	close(fd);
}
int main(void)
{
	fixture_begin();
	test_recorded_reading();
	test_recorded_refusals();
	test_recorded_attr();
	test_recorded_names();
	test_not_logs();
	test_file_times();
	return tap_done();
}
