/* SPDX-License-Identifier: MIT */
/*
 * Logs as they are written: what descriptors serve, what a log holds, policies, flush. How logs are read is
 * in log_open_test.c, how controllers end in log_end_test.c.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct shape plain = { .size = 1 << 20, .log_policy = POSIX_TRACE_APPEND };

/* --- descriptors ---------------------------------------------------------------------------------------- */

static int error_of_log(int fd, int log_policy)
{
	const struct shape shape = { .size = 32768, .log_policy = log_policy };
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	shape_attr(&shape, &attr);
	error = posix_trace_create_withlog(getpid(), &attr, fd, &trid);
	if (error == 0)
		posix_trace_shutdown(trid);
	return error;
}

static void test_descriptors(void)
{
	int pair[2], pipe_fds[2], file = file_without_name();
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), reading = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int full = open("/dev/full", O_RDWR | O_CLOEXEC);

	is_number((unsigned)error_of_log(-1, POSIX_TRACE_LOOP), EBADF,
		"3 create_withlog: descriptor -1 is EBADF");
	is_number((unsigned)error_of_log(987, POSIX_TRACE_APPEND), EBADF,
		"3 create_withlog: a descriptor that is not open is EBADF");
	is_number((unsigned)error_of_log(reading, POSIX_TRACE_APPEND), EBADF,
		"12 create_withlog: a descriptor that is not open for writing is EBADF");
	is_number((unsigned)error_of_log(file, POSIX_TRACE_LOOP), 0,
		"12 create_withlog: a regular file serves LOOP");
	is_number((unsigned)error_of_log(file, POSIX_TRACE_UNTIL_FULL), 0,
		"12 create_withlog: a regular file serves UNTIL_FULL");
	is_number((unsigned)error_of_log(file, POSIX_TRACE_APPEND), 0,
		"12 create_withlog: a regular file serves APPEND");
	is_number((unsigned)error_of_log(null, POSIX_TRACE_APPEND), 0,
		"12 create_withlog: a character device serves APPEND");
	is_number((unsigned)error_of_log(null, POSIX_TRACE_LOOP), EINVAL,
		"12 create_withlog: a character device with LOOP is EINVAL");
	is_number((unsigned)error_of_log(null, POSIX_TRACE_UNTIL_FULL), EINVAL,
		"12 create_withlog: a character device with UNTIL_FULL is EINVAL");
	is_number((unsigned)error_of_log(full, POSIX_TRACE_APPEND), ENOSPC,
		"3 create_withlog: ENOSPC when the log cannot be set up");
	if (pipe(pipe_fds) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		must(errno, "make a pipe");
	is_number((unsigned)error_of_log(pipe_fds[1], POSIX_TRACE_LOOP), EINVAL,
		"12 create_withlog: a pipe with LOOP is EINVAL");
	is_number((unsigned)error_of_log(pipe_fds[1], POSIX_TRACE_UNTIL_FULL), EINVAL,
		"12 create_withlog: a pipe with UNTIL_FULL is EINVAL");
	is_number((unsigned)error_of_log(pipe_fds[0], POSIX_TRACE_APPEND), EBADF,
		"12 create_withlog: the reading end of a pipe is EBADF");
	is_number((unsigned)error_of_log(pair[0], POSIX_TRACE_APPEND), 0,
		"12 create_withlog: a socket serves APPEND");
	const int fds[] = { pair[0], pair[1], pipe_fds[0], pipe_fds[1], file, null, reading, full };
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
}

struct drain {
	int from, to;
};

static void *drain_pipe(void *argument)
{
	struct drain *drain = argument;
	char bytes[4096];
	ssize_t n;

	while ((n = read(drain->from, bytes, sizeof(bytes))) > 0)
		if (pwrite(drain->to, bytes, (size_t)n, lseek(drain->to, 0, SEEK_END)) != n)
			break;
	return NULL;
}

static void test_pipe(void)
{
	int fds[2];
	struct drain drain;
	pthread_t thread;
	trace_id_t trid;
	struct seen_list list;
	unsigned int first;
	size_t n;

	if (pipe2(fds, O_CLOEXEC) != 0)
		must(errno, "make a pipe");
	drain = (struct drain){ fds[0], file_without_name() };
	pthread_create(&thread, NULL, drain_pipe, &drain);
	trid = stream_run_log(&plain, fds[1]);
	put_numbers(0, 5000);
	is_number((unsigned)posix_trace_shutdown(trid), 0,
		"12 shutdown: a log that goes through a pipe is finished");
	close(fds[1]);
	pthread_join(thread, NULL);
	list = read_log(drain.to);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n == 5000,
		"12 create_withlog: what came out of a pipe is a complete log");
	seen_free(&list);
	close(fds[0]);
	close(drain.to);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void test_descriptor_stays(void)
{
	char path[] = "/tmp/posix-log-XXXXXX", junk[100000];
	int both = mkstemp(path), fd = open(path, O_WRONLY | O_CLOEXEC);
	trace_id_t trid;
	struct seen_list list;

	memset(junk, 'j', sizeof(junk));
	if (fd < 0 || write(fd, junk, sizeof(junk)) != (ssize_t)sizeof(junk))
		must(errno, "write a file");
	trid = stream_run_log(&plain, fd);
	put_numbers(0, 100);
	is_number((unsigned)posix_trace_shutdown(trid), 0,
		"12 create_withlog: a write-only descriptor is enough");
	ok(is_open(fd), "16.22 shutdown: the caller's descriptor stays open");
	list = read_log(both);
	is_number(count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT), 100,
		"12 create_withlog: the log begins at offset 0 and the file is emptied first");
	seen_free(&list);
	trid = stream_run_log(&plain, fd);
	close(fd);
	put_numbers(0, 100);
	is_number((unsigned)posix_trace_shutdown(trid), 0,
		"16.22 create_withlog: the caller may close the descriptor at once");
	list = read_log(both);
	is_number(count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT), 100,
		"16.22 create_withlog: and the log is whole");
	seen_free(&list);
	close(both);
	unlink(path);
}
/* --- contents ------------------------------------------------------------------------------------------- */

static void test_shutdown_running(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&plain, fd);
	struct seen_list list;
	unsigned int first;
	size_t n;

	put_numbers(0, 1000);
	is_number((unsigned)posix_trace_shutdown(trid), 0,
		"6.3 shutdown: of a running stream with log returns 0");
	ok(posix_trace_open(fd, &trid) == 0, "6.3 shutdown: when it returns the log is complete");
	list = read_rest(trid);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n == 1000 && first == 0,
		"12 log: it holds all events in order");
	ok(ends_with_stop(&list, 0), "16.17 shutdown: the STOP that it writes is not automatic");
	ok(is_ordered(&list), "12 log: its events are in the order of time");
	seen_free(&list);
	posix_trace_close(trid);
	close(fd);
}

static void test_same_events(void)
{
	const struct shape shape = { .size = 1 << 20, .data_size = 24 };
	int fd = file_without_name();
	trace_id_t live = stream_run(&shape), trid = stream_run_log(&shape, fd);
	trace_event_id_t type = type_open("log: same events");
	struct seen_list direct, logged;
	bool is_same = true;
	size_t k = 0;

	for (unsigned int i = 0; i < 200; i++) {
		unsigned char data[40];

		memset(data, (int)i, sizeof(data));
		posix_trace_event(type, data, i % 41);
	}
	posix_trace_shutdown(trid);
	direct = read_all(live);
	logged = read_log(fd);
	for (size_t i = find_type(&logged, type, 0); i < logged.n && k < direct.n;
		i = find_type(&logged, type, i + 1)) {
		const struct seen *a = &logged.event[i], *b = &direct.event[k++];

		is_same &= a->n == b->n && memcmp(a->data, b->data, a->n) == 0 &&
			   a->info.posix_pid == b->info.posix_pid &&
			   a->info.posix_thread_id == b->info.posix_thread_id &&
			   a->info.posix_tid_np == b->info.posix_tid_np &&
			   a->info.posix_prog_address == b->info.posix_prog_address &&
			   a->info.posix_truncation_status == b->info.posix_truncation_status &&
			   llabs(time_ns(&a->info.posix_timestamp) - time_ns(&b->info.posix_timestamp)) <
				   50000000;
	}
	ok(is_same && k == 200, "12 log: an event reads the same from a log as from a stream");
	seen_free(&direct);
	seen_free(&logged);
	posix_trace_shutdown(live);
	close(fd);
}

static void test_active_refusals(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&plain, fd), opened;
	struct posix_trace_event_info info;
	struct timespec past = { 0, 0 };
	char bytes[8];
	size_t n;
	int flag;

	put_numbers(0, 10);
	ok(posix_trace_getnext_event(trid, &info, bytes, 8, &n, &flag) == EINVAL &&
			posix_trace_trygetnext_event(trid, &info, bytes, 8, &n, &flag) == EINVAL &&
			posix_trace_timedgetnext_event(trid, &info, bytes, 8, &n, &flag, &past) == EINVAL,
		"16.10 reading: an active stream with log is EINVAL");
	ok(posix_trace_close(trid) == EINVAL && posix_trace_rewind(trid) == EINVAL,
		"16.13 close, rewind: an active stream with log is EINVAL");
	stream_flush(trid);
	is_number((unsigned)posix_trace_open(fd, &opened), EINVAL,
		"16.30 open: the log of an active stream is EINVAL");
	must(posix_trace_shutdown(trid), "shut down");
	is_number((unsigned)posix_trace_open(fd, &opened), 0, "12 open: after the shutdown it opens");
	posix_trace_close(opened);
	close(fd);
}
/* --- policies ------------------------------------------------------------------------------------------- */

enum { LOG_SIZE = 100000, N_MANY = 30000, DESCRIPTIONS = 20000 };

static struct posix_trace_status_info log_status(int fd)
{
	struct posix_trace_status_info status;
	trace_id_t trid;

	must(open_log(fd, &trid), "open a log");
	status = stream_status(trid);
	must(posix_trace_close(trid), "close a log");
	return status;
}

static trace_id_t run_full(int log_policy, int fd, struct posix_trace_status_info *ret_status)
{
	const struct shape shape = { .size = 4 << 20, .log_size = LOG_SIZE, .log_policy = log_policy };
	trace_id_t trid = stream_run_log(&shape, fd);

	put_numbers(0, N_MANY);
	*ret_status = stream_flush(trid);
	return trid;
}

static void test_log_until_full(void)
{
	int fd = file_without_name();
	struct posix_trace_status_info status, again;
	trace_id_t trid = run_full(POSIX_TRACE_UNTIL_FULL, fd, &status);
	struct seen_list list;
	struct stat file;
	unsigned int first;
	size_t n;

	is_number((unsigned)status.posix_log_full_status, POSIX_TRACE_FULL,
		"12 log UNTIL_FULL: a full log is FULL");
	is_number((unsigned)status.posix_log_overrun_status, POSIX_TRACE_OVERRUN,
		"12 log UNTIL_FULL: events that found no room set the log's overrun");
	must(posix_trace_get_status(trid, &again), "get the status once more");
	is_number((unsigned)again.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN,
		"7 get_status: it resets the log's overrun");
	is_number((unsigned)again.posix_log_full_status, POSIX_TRACE_FULL,
		"7 get_status: it does not reset the log's full status");
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first == 0 && n > 0 && n < N_MANY,
		"12 log UNTIL_FULL: it keeps the oldest run, later events are discarded");
	ok(list.n && list.event[list.n - 1].info.posix_event_id == POSIX_TRACE_STOP,
		"17 log UNTIL_FULL: it ends with STOP");
	ok(fstat(fd, &file) == 0 && file.st_size < LOG_SIZE + DESCRIPTIONS,
		"12 log UNTIL_FULL: the events are no more than log-max-size");
	status = log_status(fd);
	ok(status.posix_log_full_status == POSIX_TRACE_FULL &&
			status.posix_log_overrun_status == POSIX_TRACE_OVERRUN,
		"16.29 log: its status is the accumulated one, though get_status has reset it before");
	seen_free(&list);
	close(fd);
}

static void test_log_loop(void)
{
	int fd = file_without_name();
	struct posix_trace_status_info status;
	trace_id_t trid = run_full(POSIX_TRACE_LOOP, fd, &status);
	struct seen_list list;
	unsigned int first;
	size_t n;
	struct stat file;

	is_number((unsigned)status.posix_log_overrun_status, POSIX_TRACE_OVERRUN,
		"12 log LOOP: overwriting sets the log's overrun");
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first + n == N_MANY && first > 0,
		"17 log LOOP: it is a run of the newest events without a gap");
	ok(n * sizeof(unsigned int) * 3 > LOG_SIZE / 4, "12 log LOOP: the run fills the log");
	ok(ends_with_stop(&list, 0), "12 log LOOP: the STOP of the shutdown is its last event");
	ok(fstat(fd, &file) == 0 && file.st_size < LOG_SIZE + DESCRIPTIONS,
		"12 log LOOP: the events are no more than log-max-size");
	seen_free(&list);
	close(fd);
}

static void test_log_append(void)
{
	int fd = file_without_name();
	struct posix_trace_status_info status;
	trace_id_t trid = run_full(POSIX_TRACE_APPEND, fd, &status);
	struct seen_list list;
	unsigned int first;
	size_t n;

	ok(status.posix_log_overrun_status == POSIX_TRACE_NO_OVERRUN &&
			status.posix_log_full_status == POSIX_TRACE_NOT_FULL,
		"12 log APPEND: log-max-size does not matter");
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first == 0 && n == N_MANY,
		"17 log APPEND: it keeps all");
	seen_free(&list);
	close(fd);
}
/* --- flush ---------------------------------------------------------------------------------------------- */

static void test_flush(int policy, const char *name)
{
	const struct shape shape = { .size = 200000, .policy = policy, .log_policy = POSIX_TRACE_APPEND };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);
	struct posix_trace_status_info status = { 0 };
	struct seen_list list;
	unsigned int first;
	size_t n;

	for (unsigned int i = 0; i < 10 && status.posix_stream_flush_error == 0; i++) {
		put_numbers(i * 1000, 1000);
		status = stream_flush(trid);
	}
	ok(status.posix_lost_np == 0 && status.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"12 flush: space that was flushed is free afterwards (%s)", name);
	is_number((unsigned)status.posix_stream_flush_error, 0, "12 flush: no error, no flush error");
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first == 0 && n == 10000,
		"12 flush: a log of many flushes holds all (%s)", name);
	ok(count_type(&list, POSIX_TRACE_FLUSH_START) > 0 && count_type(&list, POSIX_TRACE_FLUSH_STOP) > 0,
		"5 flush: FLUSH_START and FLUSH_STOP are recorded (%s)", name);
	n = find_type(&list, POSIX_TRACE_FLUSH_START, 0);
	ok(n < list.n && find_type(&list, POSIX_TRACE_FLUSH_STOP, n) < list.n && list.event[n].n == 0,
		"5 flush: FLUSH_STOP comes behind FLUSH_START, and they have no data (%s)", name);
	seen_free(&list);
	close(fd);
}

static bool runs_again(void *trid)
{
	return stream_status(*(trace_id_t *)trid).posix_stream_status == POSIX_TRACE_RUNNING;
}

static void test_automatic_flush(void)
{
	const struct shape shape = { .size = 100000, .log_policy = POSIX_TRACE_APPEND };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);
	unsigned int n_put = 0;
	struct seen_list list;
	bool is_again = true;
	size_t last;

	for (int round = 0; round < 5; round++) {
		put_numbers(n_put, 20000);
		n_put += 20000;
		is_again &= comes_true(runs_again, &trid);
	}
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, n_put);
	ok(is_again, "6.1 FLUSH: a full stream is emptied into its log without a call, and runs again");
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	last = list.n;
	while (last > 0 && list.event[last - 1].info.posix_event_id != POSIX_TRACE_UNNAMED_USEREVENT)
		last--;
	ok(last > 0 && number_of(&list.event[last - 1]) == n_put,
		"6.1 FLUSH: events after that are in the log");
	ok(is_ordered(&list), "6.1 FLUSH: its events are in the order of time");
	seen_free(&list);
	close(fd);
}

static void test_loop_with_log(void)
{
	const struct shape shape = {
		.size = 50000, .policy = POSIX_TRACE_LOOP, .log_policy = POSIX_TRACE_APPEND
	};
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);
	struct seen_list list;
	unsigned int first;
	size_t n;

	put_numbers(0, N_MANY);
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first + n == N_MANY && first > 0,
		"6.1 LOOP with log: without a flush the newest run goes to the log");
	ok(list.n > 2 && list.event[0].info.posix_event_id == POSIX_TRACE_OVERFLOW &&
			list.event[1].info.posix_event_id == POSIX_TRACE_RESUME,
		"16.32 LOOP with log: OVERFLOW and RESUME are written in front of it");
	ok(log_status(fd).posix_stream_overrun_status == POSIX_TRACE_OVERRUN,
		"16.29 log: the stream's overrun is in its status");
	seen_free(&list);
	close(fd);
}

static void test_clear(void)
{
	const struct shape shape = {
		.size = 1 << 20, .log_size = 100000, .log_policy = POSIX_TRACE_UNTIL_FULL
	};
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);
	struct seen_list list;
	unsigned int first;
	size_t n;

	put_numbers(0, 10000);
	stream_flush(trid);
	is_number((unsigned)posix_trace_clear(trid), 0, "6.2 clear: a stream with log is cleared");
	is_number((unsigned)stream_status(trid).posix_log_full_status, POSIX_TRACE_NOT_FULL,
		"6.2 clear: its log is not full then");
	put_numbers(50000, 100);
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n == 100 && first == 50000,
		"6.2 clear: the log begins anew with the events after it");
	seen_free(&list);
	close(fd);
}
int main(void)
{
	fixture_begin();
	signal(SIGPIPE, SIG_IGN);
	test_descriptors();
	test_pipe();
	test_descriptor_stays();
	test_shutdown_running();
	test_same_events();
	test_active_refusals();
	test_log_until_full();
	test_log_loop();
	test_log_append();
	test_flush(POSIX_TRACE_FLUSH, "FLUSH");
	test_flush(POSIX_TRACE_UNTIL_FULL, "UNTIL_FULL");
	test_flush(POSIX_TRACE_LOOP, "LOOP");
	test_automatic_flush();
	test_loop_with_log();
	test_clear();
	return tap_done();
}
