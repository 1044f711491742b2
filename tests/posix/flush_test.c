/* SPDX-License-Identifier: MIT */
/*
 * Between stream and log: what happens while the consumer does not come to write, which is shown by one that
 * is stopped; and what becomes of the descriptors of logs.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { N_MANY = 5000 };

static const struct shape flushed = { .size = 65536, .log_policy = POSIX_TRACE_APPEND };

/* --- a consumer that sleeps ----------------------------------------------------------------------------- */

static pid_t consumer_stop(int fd)
{
	pid_t consumer = consumer_of(fd);

	if (consumer == 0)
		skip("6.1 FLUSH: a stream is full while its log is not written", "consumers cannot be seen");
	else
		must(kill(consumer, SIGSTOP), "stop a consumer");
	return consumer;
}

static bool is_state(trace_id_t trid, int running, int full)
{
	struct posix_trace_status_info status = stream_status(trid);

	return status.posix_stream_status == running && status.posix_stream_full_status == full;
}

static bool runs_again(void *trid)
{
	return is_state(*(trace_id_t *)trid, POSIX_TRACE_RUNNING, POSIX_TRACE_NOT_FULL);
}

static bool is_automatic(const struct seen *event, trace_event_id_t type)
{
	int automatic = 1;

	if (type == POSIX_TRACE_STOP)
		memcpy(&automatic, event->data, sizeof(automatic));
	return event->info.posix_event_id == type && event->info.posix_pid == 0 && automatic != 0;
}

/* A stream that was full once gives a run of the oldest events, STOP, START, and the event behind. */
static void check_full_log(int fd)
{
	struct seen_list list = read_log(fd);
	size_t last = 0, n_before = 0, start, stop;

	while (n_before < list.n &&
		list.event[n_before].info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT &&
		number_of(&list.event[n_before]) == n_before)
		n_before++;
	stop = find_type(&list, POSIX_TRACE_STOP, 0);
	start = find_type(&list, POSIX_TRACE_START, stop);
	for (size_t i = 0; i < list.n; i++)
		if (list.event[i].info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT)
			last = i;
	ok(n_before > 100 && n_before < N_MANY && stop == n_before &&
			is_automatic(&list.event[stop], POSIX_TRACE_STOP),
		"6.1 FLUSH: the log has the oldest run, and an automatic STOP behind it (%zu)", n_before);
	ok(start < last && is_automatic(&list.event[start], POSIX_TRACE_START) &&
			number_of(&list.event[last]) == 77777,
		"6.1 FLUSH: and START before the next event that was recorded");
	seen_free(&list);
}

static void test_full(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&flushed, fd);
	struct posix_trace_status_info status;
	trace_event_set_t none;
	pid_t consumer;

	posix_trace_eventset_empty(&none);
	must(posix_trace_set_filter(trid, &none, POSIX_TRACE_SET_EVENTSET), "let START be recorded");
	must(posix_trace_clear(trid), "forget that");
	consumer = consumer_stop(fd);
	if (consumer == 0)
		return;
	put_numbers(0, N_MANY);
	status = stream_status(trid);
	ok(status.posix_stream_status == POSIX_TRACE_SUSPENDED &&
			status.posix_stream_full_status == POSIX_TRACE_FULL,
		"6.1 FLUSH: without space it stops by itself");
	ok(status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN && status.posix_lost_np > 0,
		"6.1 FLUSH: events that come while it is full set overrun");
	ok(posix_trace_start(trid) == 0 && posix_trace_stop(trid) == 0 &&
			is_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL),
		"16.5 start, stop: on a full FLUSH stream they return 0 and change nothing");
	must(kill(consumer, SIGCONT), "let a consumer go on");
	ok(comes_true(runs_again, &trid), "6.1 FLUSH: it runs again when it has been written");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 77777);
	must(posix_trace_shutdown(trid), "shut down");
	check_full_log(fd);
	close(fd);
}

/* Whether the log, which has no end yet, has all events. */
static bool is_written(void *fd)
{
	struct seen_list list;
	trace_id_t trid;
	size_t n;

	if (posix_trace_open_incomplete_np(*(int *)fd, &trid) != 0)
		return false;
	list = read_rest(trid);
	n = count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT);
	seen_free(&list);
	posix_trace_close(trid);
	return n == 10;
}

static void test_few(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&flushed, fd);

	put_numbers(0, 10);
	ok(comes_true(is_written, &fd),
		"6.1 FLUSH: a few events are written without a call, too, when some time has passed");
	posix_trace_shutdown(trid);
	close(fd);
}

static bool has_flushed(void *trid)
{
	return stream_status(*(trace_id_t *)trid).posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING;
}

static void test_meanwhile(void)
{
	const struct shape shape = { .size = 65536, .policy = POSIX_TRACE_UNTIL_FULL };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);
	pid_t consumer = consumer_stop(fd);
	struct seen_list list;
	unsigned int first;
	bool was_flushing;
	size_t n;

	if (consumer == 0)
		return;
	put_numbers(0, 10);
	is_number((unsigned)posix_trace_flush(trid), 0, "12 flush: returns before it is over");
	was_flushing = !has_flushed(&trid);
	put_numbers(10, 10);
	was_flushing &= !has_flushed(&trid);
	ok(was_flushing, "7 get_status: is FLUSHING as long as it lasts");
	must(kill(consumer, SIGCONT), "let a consumer go on");
	ok(comes_true(has_flushed, &trid), "7 get_status: and NOT_FLUSHING then");
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n == 20,
		"12 flush: events are recorded meanwhile");
	seen_free(&list);
	close(fd);
}

static void test_suspended(void)
{
	const struct shape shape = { .size = 16384, .policy = POSIX_TRACE_UNTIL_FULL };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);
	struct seen_list list;

	put_numbers(0, 10);
	must(posix_trace_stop(trid), "stop");
	stream_flush(trid);
	ok(is_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_NOT_FULL),
		"12 flush: a suspended stream stays suspended");
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT) == 10 &&
			count_type(&list, POSIX_TRACE_FLUSH_START) +
					count_type(&list, POSIX_TRACE_FLUSH_STOP) ==
				0 &&
			ends_with_stop(&list, false),
		"12 flush: of a suspended stream all is written, and no event of the flush");
	seen_free(&list);
	close(fd);
}

static void test_ended_full(void)
{
	const struct shape shape = { .size = 16384, .policy = POSIX_TRACE_UNTIL_FULL };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);

	put_numbers(0, N_MANY);
	must(posix_trace_shutdown(trid), "shut down");
	must(posix_trace_open(fd, &trid), "open a log");
	ok(is_state(trid, POSIX_TRACE_SUSPENDED, POSIX_TRACE_FULL),
		"7 get_status: when a stream was full at its end, its log is full");
	posix_trace_close(trid);
	close(fd);
}

/* --- clear ---------------------------------------------------------------------------------------------- */

enum { FILE_LIMIT = 3 << 20, FLUSH_MS = 30 };

/* More events than fit into the log, of a size that packing does not change much. */
static void put_long(void)
{
	static const char data[128];

	for (unsigned int i = 0; i < N_MANY; i++)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, sizeof(data));
}

/* Fills the log without getting the status, which would reset it as well. */
static void flush_often(trace_id_t trid)
{
	for (unsigned int i = 0; i < 20; i++) {
		put_long();
		must(posix_trace_flush(trid), "flush");
		sleep_ms(FLUSH_MS);
	}
}

/* The status of a log that may not grow so far; cleared first, or not. */
struct attempt {
	int fd;
	bool is_cleared;
	int error;
	struct posix_trace_status_info status;
};

static int log_outgrow(void *argument)
{
	const struct rlimit limit = { FILE_LIMIT, FILE_LIMIT };
	const struct shape shape = { .size = 1 << 20, .log_policy = POSIX_TRACE_APPEND };
	struct attempt *attempt = argument;
	trace_id_t trid;

	setrlimit(RLIMIT_FSIZE, &limit);
	trid = stream_run_log(&shape, attempt->fd);
	flush_often(trid);
	if (attempt->is_cleared)
		attempt->error = posix_trace_clear(trid);
	attempt->status = stream_status(trid);
	posix_trace_shutdown(trid);
	return 0;
}

static void test_clear_error(void)
{
	struct attempt *attempt = memory_shared(2 * sizeof(*attempt));

	for (int i = 0; i < 2; i++) {
		attempt[i].fd = file_without_name();
		attempt[i].is_cleared = i;
		must(in_child(log_outgrow, &attempt[i]), "fill a file");
		close(attempt[i].fd);
	}
	ok(attempt[0].status.posix_stream_flush_error == EFBIG &&
			attempt[1].status.posix_stream_flush_error == 0 && attempt[1].error == 0,
		"6.2 clear: the error of a flush before it is forgotten");
}

static void test_clear_overrun(void)
{
	const struct shape shape = {
		.size = 1 << 20, .log_size = 65536, .log_policy = POSIX_TRACE_UNTIL_FULL
	};
	int overrun[2];

	for (int i = 0; i < 2; i++) {
		int fd = file_without_name();
		trace_id_t trid = stream_run_log(&shape, fd);

		flush_often(trid);
		if (i == 1)
			must(posix_trace_clear(trid), "clear");
		overrun[i] = stream_status(trid).posix_log_overrun_status;
		posix_trace_shutdown(trid);
		close(fd);
	}
	ok(overrun[0] == POSIX_TRACE_OVERRUN && overrun[1] == POSIX_TRACE_NO_OVERRUN,
		"6.2 clear: the log's overrun is forgotten");
}

/* --- what an opened log keeps saying -------------------------------------------------------------------- */

static void test_recorded_status(void)
{
	const struct shape shape = { .size = 65536, .policy = POSIX_TRACE_LOOP };
	struct posix_trace_status_info first, second;
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd);
	struct seen_list list;

	put_numbers(0, N_MANY);
	must(posix_trace_shutdown(trid), "shut down");
	must(posix_trace_open(fd, &trid), "open a log");
	close(fd);
	first = stream_status(trid);
	second = stream_status(trid);
	ok(first.posix_stream_overrun_status == POSIX_TRACE_OVERRUN &&
			memcmp(&first, &second, sizeof(first)) == 0,
		"7 get_status: that of a log is never reset");
	list = read_rest(trid);
	ok(count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT) > 0,
		"12 open: the descriptor of a log may be closed before it is read");
	seen_free(&list);
	posix_trace_close(trid);
}

/* --- files ---------------------------------------------------------------------------------------------- */

static int create_with(int fd, int log_policy)
{
	const struct shape shape = { .size = 32768, .log_policy = log_policy };
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	shape_attr(&shape, &attr);
	error = posix_trace_create_withlog(getpid(), &attr, fd, &trid);
	return error ? error : posix_trace_shutdown(trid);
}

static void test_append(void)
{
	char path[] = "/tmp/posix-flush-XXXXXX";
	int fd = mkstemp(path), append = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	trace_id_t trid;

	must(write(fd, "what was there", 14) != 14, "write a file");
	ok(create_with(append, POSIX_TRACE_LOOP) == EINVAL &&
			create_with(append, POSIX_TRACE_UNTIL_FULL) == EINVAL,
		"12 create_withlog: a file opened with O_APPEND is EINVAL with LOOP and UNTIL_FULL");
	ok(create_with(append, POSIX_TRACE_APPEND) == 0, "12 create_withlog: and serves APPEND");
	ok(posix_trace_open(fd, &trid) == 0 && posix_trace_close(trid) == 0,
		"12 create_withlog: of which nothing is left but a log then");
	unlink(path);
	close(append);
	close(fd);
}

static void test_access_time(void)
{
	static const char sentence[] = "12 log: reading marks the time of access";
	const struct timespec long_ago[2] = { { 1000, 0 }, { 0, UTIME_OMIT } };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&flushed, fd);
	struct statvfs system;
	struct stat file;
	struct seen_list list;

	must(posix_trace_shutdown(trid), "shut down");
	if (fstatvfs(fd, &system) != 0 || system.f_flag & ST_NOATIME || futimens(fd, long_ago) != 0) {
		skip(sentence, "the file system is mounted so that reading marks nothing");
		close(fd);
		return;
	}
	list = read_log(fd);
	ok(fstat(fd, &file) == 0 && file.st_atim.tv_sec > 1000, "%s", sentence);
	seen_free(&list);
	close(fd);
}

int main(void)
{
	fixture_begin();
	test_full();
	test_few();
	test_meanwhile();
	test_suspended();
	test_ended_full();
	test_clear_error();
	test_clear_overrun();
	test_recorded_status();
	test_append();
	test_access_time();
	return tap_done();
}
