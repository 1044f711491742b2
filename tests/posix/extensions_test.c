/* SPDX-License-Identifier: MIT */
/* The functions of <trace.h> that end in _np go beyond the standard. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct shape plain = { .size = 1 << 20 };

static void put_many(unsigned int first, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, first + i);
}

/* --- posix_trace_attr_setcompress_np() ------------------------------------------------------------------ */

static int error_of_compressed(int log_policy, int fd)
{
	const struct shape shape = { .size = 1 << 16, .log_policy = log_policy };
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	shape_attr(&shape, &attr);
	must(posix_trace_attr_setcompress_np(&attr, 1), "setcompress_np");
	if (fd < 0)
		error = posix_trace_create(getpid(), &attr, &trid);
	else
		error = posix_trace_create_withlog(getpid(), &attr, fd, &trid);
	if (error == 0)
		posix_trace_shutdown(trid);
	return error;
}

static void test_compress_attribute(int log)
{
	trace_attr_t attr, never;
	int value = 7;

	memset(&never, 0, sizeof(never));
	must(posix_trace_attr_init(&attr), "init");
	ok(posix_trace_attr_getcompress_np(&attr, &value) == 0 && value == 0,
		"np compress: a log is not compressed unless it is asked for");
	ok(posix_trace_attr_setcompress_np(&attr, 9) == 0 &&
			posix_trace_attr_getcompress_np(&attr, &value) == 0 && value == 1,
		"np compress: other values become 1");
	ok(posix_trace_attr_setcompress_np(&never, 1) == EINVAL &&
			posix_trace_attr_getcompress_np(&never, &value) == EINVAL &&
			posix_trace_attr_setcompress_np(NULL, 1) == EINVAL &&
			posix_trace_attr_getcompress_np(&attr, NULL) == EINVAL,
		"np compress: an object that was not initialised and null pointers are EINVAL");
	is_number((unsigned)error_of_compressed(POSIX_TRACE_LOOP, log), EINVAL,
		"np compress: a LOOP log is EINVAL");
	is_number((unsigned)error_of_compressed(POSIX_TRACE_APPEND, -1), EINVAL,
		"np compress: a stream without log is EINVAL");
	is_number((unsigned)error_of_compressed(POSIX_TRACE_UNTIL_FULL, log), 0,
		"np compress: an UNTIL_FULL log may be");
}

static bool has_numbers(trace_id_t trid, unsigned int n)
{
	struct seen_list list = read_rest(trid);
	unsigned int next = 0;

	for (size_t i = 0; i < list.n; i++)
		if (list.event[i].info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT)
			next += number_of(&list.event[i]) == next;
	seen_free(&list);
	return next == n;
}

static void test_compress(void)
{
	const struct shape shape = { .size = 1 << 20, .log_policy = POSIX_TRACE_APPEND };
	const int log = file_without_name();
	trace_id_t trid, opened;
	trace_attr_t attr;
	int value = 0;

	test_compress_attribute(log);
	shape_attr(&shape, &attr);
	must(posix_trace_attr_setcompress_np(&attr, 1), "setcompress_np");
	must(posix_trace_create_withlog(getpid(), &attr, log, &trid), "create");
	must(posix_trace_start(trid), "start");
	put_many(0, 9000);
	ok(posix_trace_get_attr(trid, &attr) == 0 && posix_trace_attr_getcompress_np(&attr, &value) == 0 &&
			value == 1,
		"np compress: the stream has the attribute");
	must(posix_trace_shutdown(trid), "shut down");
	ok(lseek(log, 0, SEEK_END) < 9000 * 5, "np compress: the log is smaller");
	must(posix_trace_open(log, &opened), "open a compressed log");
	ok(has_numbers(opened, 9000), "np compress: its events are read");
	must(posix_trace_rewind(opened), "rewind");
	ok(has_numbers(opened, 9000), "np compress: and again after a rewind");
	value = 0;
	ok(posix_trace_get_attr(opened, &attr) == 0 && posix_trace_attr_getcompress_np(&attr, &value) == 0 &&
			value == 1,
		"np compress: a recorded stream has the attribute");
	must(posix_trace_close(opened), "close");
	close(log);
}

/* --- posix_trace_sysconf_np() --------------------------------------------------------------------------- */

static void test_sysconf(void)
{
	ok(posix_trace_sysconf_np(_SC_TRACE_EVENT_NAME_MAX) == TRACE_EVENT_NAME_MAX &&
			posix_trace_sysconf_np(_SC_TRACE_NAME_MAX) == TRACE_NAME_MAX &&
			posix_trace_sysconf_np(_SC_TRACE_SYS_MAX) == TRACE_SYS_MAX &&
			posix_trace_sysconf_np(_SC_TRACE_USER_EVENT_MAX) == TRACE_USER_EVENT_MAX,
		"2.1 sysconf_np: the four limits are those of <trace.h>");
	ok(posix_trace_sysconf_np(_SC_TRACE) >= 200112 &&
			posix_trace_sysconf_np(_SC_TRACE_EVENT_FILTER) >= 200112 &&
			posix_trace_sysconf_np(_SC_TRACE_INHERIT) >= 200112 &&
			posix_trace_sysconf_np(_SC_TRACE_LOG) >= 200112,
		"2.1 sysconf_np: the four options are there");
	is_number((unsigned long long)posix_trace_sysconf_np(_SC_PAGESIZE), (unsigned long long)-1,
		"2.1 sysconf_np: -1 for other names");
}

/* --- posix_trace_eventid_describe_np() ------------------------------------------------------------------ */

static __attribute__((noinline)) void put_from(const void *address)
{
	unsigned int number = 7;

	posix_trace_event_from_np(POSIX_TRACE_UNNAMED_USEREVENT, &number, sizeof(number), address);
	posix_trace_event_from_np((trace_event_id_t)1087, &number, sizeof(number), address);
}

static void test_event_from(void)
{
	trace_id_t trid = stream_run(&plain);
	struct seen event;

	put_from(&trid);
	ok(read_one(trid, &event) && event.info.posix_prog_address == &trid && event.n == sizeof(int) &&
			event.data[0] == 7,
		"np event_from: an event has the place that it is given");
	ok(!read_one(trid, &event) && stream_status(trid).posix_unknown_np == 1,
		"np event_from: a type that the program did not open is counted as unknown");
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
}

static void test_describe(void)
{
	const struct posix_trace_field_np fields[] = { { "speed", POSIX_TRACE_SIGNED_NP, 4 },
		{ "name", POSIX_TRACE_TEXT_NP, 0 } },
					  other[] = { { "speed", POSIX_TRACE_UNSIGNED_NP, 4 } },
					  bad_kind[] = { { "x", 99, 4 } },
					  bad_size[] = { { "x", POSIX_TRACE_SIGNED_NP, 3 } },
					  bad_rest[] = { { "x", POSIX_TRACE_BYTES_NP, 0 },
						  { "y", POSIX_TRACE_SIGNED_NP, 4 } },
					  bad_name[] = {
						  { "a name that is longer than thirty-one characters",
							  POSIX_TRACE_SIGNED_NP, 4 },
					  };
	trace_event_id_t type = type_open("extensions: described"), fresh = type_open("extensions: badly");

	is_number((unsigned)posix_trace_eventid_describe_np(type, fields, 2), 0,
		"np describe: fields of a type are taken");
	is_number((unsigned)posix_trace_eventid_describe_np(type, fields, 2), 0,
		"np describe: the same again is no error");
	is_number((unsigned)posix_trace_eventid_describe_np(type, other, 1), EEXIST,
		"np describe: another description is EEXIST");
	is_number((unsigned)posix_trace_eventid_describe_np(1087, fields, 2), EINVAL,
		"np describe: a type that the program did not open is EINVAL");
	is_number((unsigned)posix_trace_eventid_describe_np(fresh, bad_kind, 1), EINVAL,
		"np describe: an unknown kind is EINVAL");
	is_number((unsigned)posix_trace_eventid_describe_np(fresh, bad_size, 1), EINVAL,
		"np describe: a size that no number has is EINVAL");
	is_number((unsigned)posix_trace_eventid_describe_np(fresh, bad_rest, 2), EINVAL,
		"np describe: a field behind the rest of the data is EINVAL");
	is_number((unsigned)posix_trace_eventid_describe_np(fresh, bad_name, 1), EINVAL,
		"np describe: a field's name of more than 31 characters is EINVAL");
	is_number((unsigned)posix_trace_eventid_describe_np(fresh, fields, 2), 0,
		"np describe: a refused description leaves the type undescribed");
}

/* --- posix_trace_getfd_np() ----------------------------------------------------------------------------- */

static bool is_readable(int fd, int milliseconds)
{
	struct pollfd look = { .fd = fd, .events = POLLIN };

	return poll(&look, 1, milliseconds) == 1 && (look.revents & POLLIN);
}

static void *put_later(void *unused)
{
	sleep_ms(20);
	put_many(1, 1);
	return unused;
}

static void test_getfd(void)
{
	trace_id_t trid = stream_run(&plain), opened;
	int fd = -1, again = -2, log = file_without_name();
	pthread_t thread;
	struct seen_list list;

	is_number((unsigned)posix_trace_getfd_np(trid, &fd), 0, "np getfd: a stream has a descriptor");
	ok(posix_trace_getfd_np(trid, &again) == 0 && again == fd, "np getfd: the same at each call");
	put_many(0, 1);
	ok(is_readable(fd, 10000), "np getfd: it becomes readable after an event");
	list = read_all(trid);
	is_number(list.n, 1, "np getfd: the event is there then");
	seen_free(&list);
	pthread_create(&thread, NULL, put_later, NULL);
	for (int i = 0; i < 1000 && list.n == 0; i++) { /* it may become readable without an event */
		seen_free(&list);
		if (is_readable(fd, 10000))
			list = read_all(trid);
	}
	pthread_join(thread, NULL);
	ok(list.n == 1 && number_of(&list.event[0]) == 1,
		"np getfd: a thread that polls and reads gets every event");
	ok((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "np getfd: the descriptor is closed by exec");
	seen_free(&list);
	posix_trace_shutdown(trid);
	is_number((unsigned)posix_trace_getfd_np(trid, &fd), EINVAL, "np getfd: EINVAL after the shutdown");
	trid = stream_run_log(&plain, log);
	is_number((unsigned)posix_trace_getfd_np(trid, &fd), EINVAL, "np getfd: a stream with log is EINVAL");
	must(posix_trace_shutdown(trid), "shut down");
	must(posix_trace_open(log, &opened), "open a log");
	is_number((unsigned)posix_trace_getfd_np(opened, &fd), EINVAL, "np getfd: a log is EINVAL");
	posix_trace_close(opened);
	close(log);
}

/* --- posix_trace_getevents_np() ------------------------------------------------------------------------- */

struct batch {
	unsigned int n_events, next;
	bool is_run;
};

static void look_through(const unsigned char *bytes, size_t n, struct batch *batch)
{
	for (size_t at = 0; at + sizeof(struct posix_trace_record_np) <= n;) {
		struct posix_trace_record_np record;
		unsigned int number = 0;

		memcpy(&record, bytes + at, sizeof(record));
		memcpy(&number, bytes + at + sizeof(record), sizeof(number));
		batch->is_run &= record.posix_length == sizeof(number) && number == batch->next++ &&
				 record.posix_info.posix_pid == getpid() &&
				 record.posix_info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT;
		batch->n_events++;
		at += (sizeof(record) + record.posix_length + 7) / 8 * 8;
	}
}

static void test_getevents(void)
{
	static _Alignas(16) unsigned char bytes[10000];
	trace_id_t trid = stream_run(&plain);
	struct batch batch = { .is_run = true };
	unsigned int n_calls = 0;
	size_t n = 99;
	struct seen event = { 0 };

	ok(posix_trace_getevents_np(trid, bytes, sizeof(bytes), &n) == 0 && n == 0,
		"np getevents: 0 bytes when no event is there");
	put_many(0, 2000);
	while (posix_trace_getevents_np(trid, bytes, sizeof(bytes), &n) == 0 && n > 0 && n <= sizeof(bytes)) {
		look_through(bytes, n, &batch);
		n_calls++;
	}
	ok(batch.is_run && batch.n_events == 2000,
		"np getevents: every event comes once, in order, with its data");
	ok(n_calls < 500, "np getevents: many at once");
	put_many(7, 1);
	is_number((unsigned)posix_trace_getevents_np(trid, bytes, 8, &n), EINVAL,
		"np getevents: a buffer that cannot hold the next event is EINVAL");
	ok(read_one(trid, &event) && number_of(&event) == 7, "np getevents: and nothing is consumed then");
	posix_trace_shutdown(trid);
	is_number((unsigned)posix_trace_getevents_np(trid, bytes, sizeof(bytes), &n), EINVAL,
		"np getevents: EINVAL after the shutdown");
}

static void test_getevents_of_log(void)
{
	static _Alignas(16) unsigned char bytes[4000];
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&plain, fd);
	size_t n = 0, n_events = 0;
	int error;

	put_many(0, 500);
	must(posix_trace_shutdown(trid), "shut down");
	must(posix_trace_open(fd, &trid), "open a log");
	while ((error = posix_trace_getevents_np(trid, bytes, sizeof(bytes), &n)) == 0 && n > 0)
		for (size_t at = 0; at < n;) {
			struct posix_trace_record_np record;

			memcpy(&record, bytes + at, sizeof(record));
			n_events += record.posix_info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT;
			at += (sizeof(record) + record.posix_length + 7) / 8 * 8;
		}
	ok(error == 0 && n_events == 500, "np getevents: reads logs as well");
	posix_trace_close(trid);
	close(fd);
}

/* --- posix_trace_snapshot_np() -------------------------------------------------------------------------- */

static void test_snapshot(void)
{
	const struct shape shape = { .size = 50000 };
	trace_id_t trid = stream_run(&shape);
	int fd = file_without_name(), second = file_without_name();
	struct seen_list list, live;
	unsigned int first, live_first;
	size_t n, live_n;

	put_many(0, 20000);
	is_number((unsigned)posix_trace_snapshot_np(trid, fd), 0,
		"np snapshot: a running LOOP stream is written");
	put_many(20000, 5);
	is_number((unsigned)posix_trace_snapshot_np(trid, second), 0, "np snapshot: and again");
	list = read_log(fd);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n > 0 && first + n == 20000,
		"np snapshot: it is a complete log of the newest run");
	ok(is_ordered(&list) && list.n > 2 && list.event[0].info.posix_event_id == POSIX_TRACE_OVERFLOW,
		"np snapshot: what was overwritten is reported in front");
	live = read_all(trid);
	ok(is_run(&live, POSIX_TRACE_UNNAMED_USEREVENT, &live_first, &live_n) && live_first + live_n == 20005,
		"np snapshot: it consumes nothing, and recording goes on");
	seen_free(&list);
	list = read_log(second);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first + n == 20005,
		"np snapshot: a later one has what came later");
	seen_free(&list);
	seen_free(&live);
	is_number((unsigned)posix_trace_snapshot_np(-1, fd), EINVAL,
		"np snapshot: a trid that is none is EINVAL");
	ok(posix_trace_snapshot_np(trid, -1) == EBADF, "np snapshot: a descriptor that is none is EBADF");
	posix_trace_shutdown(trid);
	close(fd);
	close(second);
}

static trace_id_t crash_trid;
static int crash_fd;

static void save_and_die(int signal)
{
	posix_trace_snapshot_np(crash_trid, crash_fd);
	_exit(signal == SIGSEGV ? 77 : 1);
}

static int child_crash(void *fd)
{
	struct sigaction action = { .sa_handler = save_and_die };
	struct rlimit none = { 0, 0 };
	volatile int *nothing = NULL;

	setrlimit(RLIMIT_CORE, &none);
	crash_fd = *(int *)fd;
	crash_trid = stream_run(&plain);
	sigaction(SIGSEGV, &action, NULL);
	put_many(0, 1000);
	raise(SIGSEGV);
	return nothing == NULL;
}

static void test_snapshot_in_crash(void)
{
	int fd = file_without_name(), status = in_child(child_crash, &fd);
	struct seen_list list = read_log(fd);
	unsigned int first;
	size_t n;

	ok(WIFEXITED(status) && WEXITSTATUS(status) == 77,
		"np snapshot: returns in the handler of a fatal signal");
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n == 1000,
		"np snapshot: the log that it wrote there is complete and whole");
	seen_free(&list);
	close(fd);
}

static _Atomic bool is_over;

static void *put_all_the_while(void *unused)
{
	for (unsigned int i = 0; !is_over; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	return unused;
}

/* An event that is overwritten while it is copied is reported as a loss, as to any reader. */
static bool has_told_gaps(const struct seen_list *list)
{
	bool is_told = true;
	unsigned int last = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (list->event[i].info.posix_event_id == POSIX_TRACE_OVERFLOW)
			is_told = true;
		if (list->event[i].info.posix_event_id != POSIX_TRACE_UNNAMED_USEREVENT)
			continue;
		if (number_of(&list->event[i]) != last + 1 && !is_told)
			return false;
		last = number_of(&list->event[i]);
		is_told = false;
	}
	return true;
}

static void test_snapshot_under_load(void)
{
	const struct shape shape = { .size = 50000 };
	trace_id_t trid = stream_run(&shape);
	pthread_t thread;
	size_t n_events = 0;
	bool is_good = true;

	pthread_create(&thread, NULL, put_all_the_while, NULL);
	for (int i = 0; i < 20; i++) {
		int fd = file_without_name();
		struct seen_list list;

		is_good &= posix_trace_snapshot_np(trid, fd) == 0;
		list = read_log(fd);
		is_good &= has_told_gaps(&list) && is_ordered(&list);
		n_events += list.n;
		seen_free(&list);
		close(fd);
	}
	is_over = true;
	pthread_join(thread, NULL);
	ok(is_good && n_events > 0,
		"np snapshot: while a thread records all the while every gap is reported");
	posix_trace_shutdown(trid);
}

/* --- posix_trace_open_incomplete_np() ------------------------------------------------------------------- */

static bool is_not_flushing(void *trid)
{
	return stream_status(*(trace_id_t *)trid).posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING;
}

static void test_open_incomplete(void)
{
	const struct shape shape = { .size = 1 << 20, .log_policy = POSIX_TRACE_APPEND };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd), opened;
	struct seen_list list;
	unsigned int first;
	size_t n;

	put_many(0, 3000);
	must(posix_trace_flush(trid), "flush");
	comes_true(is_not_flushing, &trid);
	is_number((unsigned)posix_trace_open_incomplete_np(fd, &opened), 0,
		"np open_incomplete: the log of an active stream is opened");
	list = read_rest(opened);
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && n == 3000 && first == 0,
		"np open_incomplete: it holds what was flushed");
	seen_free(&list);
	posix_trace_close(opened);
	must(posix_trace_shutdown(trid), "shut down");
	ok(posix_trace_open_incomplete_np(fd, &opened) == 0 && posix_trace_close(opened) == 0,
		"np open_incomplete: takes complete logs as well");
	ok(ftruncate(fd, 0) == 0 && posix_trace_open_incomplete_np(fd, &opened) == EINVAL,
		"np open_incomplete: what is no log is EINVAL");
	close(fd);
}

/* --- a consumer that was killed ------------------------------------------------------------------------- */

static void test_killed_consumer(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&plain, fd);
	struct posix_trace_status_info status;
	pid_t consumer = consumer_of(fd);
	unsigned int n_looks = 0;

	if (consumer == 0) {
		skip("12 a killed consumer ends a flush", "its descriptors cannot be seen");
		return;
	}
	put_many(0, 10);
	kill(consumer, SIGSTOP);
	must(posix_trace_flush(trid), "flush");
	is_number((unsigned)stream_status(trid).posix_stream_flush_status, POSIX_TRACE_FLUSHING,
		"12 flush: goes on as long as the consumer may still do it");
	kill(consumer, SIGKILL);
	while ((status = stream_status(trid)).posix_stream_flush_status == POSIX_TRACE_FLUSHING &&
		n_looks++ < 10000)
		sleep_ms(1);
	ok(status.posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING &&
			status.posix_stream_flush_error == EIO,
		"12 flush: has ended with EIO when the consumer was killed");
	is_number((unsigned)stream_status(trid).posix_stream_flush_error, 0,
		"12 flush: which is reported once");
	is_number((unsigned)posix_trace_flush(trid), EIO, "12 flush: without a consumer is EIO");
	is_number((unsigned)posix_trace_clear(trid), EIO, "12 clear: without a consumer is EIO");
	is_number((unsigned)posix_trace_shutdown(trid), EIO, "12 shutdown: without a consumer is EIO");
	is_number((unsigned)posix_trace_stop(trid), EINVAL, "12 shutdown: and the stream is gone");
	close(fd);
}

int main(void)
{
	fixture_begin();
	test_compress();
	test_sysconf();
	test_event_from();
	test_describe();
	test_getfd();
	test_getevents();
	test_getevents_of_log();
	test_snapshot();
	test_snapshot_in_crash();
	test_snapshot_under_load();
	test_open_incomplete();
	test_killed_consumer();
	return tap_done();
}
