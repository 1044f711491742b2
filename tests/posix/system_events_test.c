/* SPDX-License-Identifier: MIT */
/* Process, place and time of system events; and that they find room as other events do. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N_MANY = 20000, FUNCTION_BYTES = 4096 };

static const struct shape loop = { .size = 65536 };

/* --- their processes ------------------------------------------------------------------------------------ */

static bool is_nobodys(const struct seen_list *list, trace_event_id_t type)
{
	size_t i = find_type(list, type, 0);
	const struct posix_trace_event_info *info = &list->event[i].info;

	return i < list->n && info->posix_pid == 0 && info->posix_thread_id == 0 && info->posix_tid_np == 0 &&
	       !info->posix_prog_address;
}

static void test_made_ones(void)
{
	const struct shape until_full = { .size = 16384, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&loop);
	struct seen caller = { 0 };
	struct seen_list list;

	put_numbers(0, N_MANY);
	list = read_all(trid);
	ok(is_nobodys(&list, POSIX_TRACE_OVERFLOW) && is_nobodys(&list, POSIX_TRACE_RESUME),
		"5 OVERFLOW, RESUME: they are of no process, no thread and no place");
	seen_free(&list);
	posix_trace_shutdown(trid);
	trid = stream_make(&until_full);
	must(posix_trace_start(trid), "start");
	put_numbers(0, N_MANY);
	list = read_all(trid);
	ok(is_nobodys(&list, POSIX_TRACE_STOP), "5 STOP: one that came by itself is of no process");
	seen_free(&list);
	/* START may come when the stream restarts, or with the next event. */
	must(posix_trace_stop(trid), "stop");
	must(posix_trace_clear(trid), "clear");
	must(posix_trace_start(trid), "start");
	put_numbers(0, N_MANY);
	read_one(trid, &caller);
	list = read_all(trid);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	if (count_type(&list, POSIX_TRACE_START) == 0) {
		seen_free(&list);
		list = read_all(trid);
	}
	ok(caller.info.posix_pid == getpid() && is_nobodys(&list, POSIX_TRACE_START),
		"5 START: one that came by itself is of no process");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_flushes(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&loop, fd);
	struct seen_list list;

	put_numbers(0, 10);
	stream_flush(trid);
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_nobodys(&list, POSIX_TRACE_FLUSH_START) && is_nobodys(&list, POSIX_TRACE_FLUSH_STOP),
		"5 FLUSH_START, FLUSH_STOP: they are of no process, whichever process writes the log");
	seen_free(&list);
	close(fd);
}

/* --- where they come from ------------------------------------------------------------------------------- */

static __attribute__((noinline)) void control_here(trace_id_t trid)
{
	trace_event_set_t set;

	posix_trace_eventset_empty(&set);
	must(posix_trace_start(trid), "start");
	must(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), "set the filter");
	must(posix_trace_stop(trid), "stop");
}

static __attribute__((noinline)) void end_here(trace_id_t trid)
{
	must(posix_trace_start(trid), "start");
	must(posix_trace_shutdown(trid), "shut down");
}

static bool is_called_in(const struct seen *event, void (*function)(trace_id_t))
{
	return (uintptr_t)event->info.posix_prog_address - (uintptr_t)function < FUNCTION_BYTES &&
	       event->info.posix_pid == getpid() && event->info.posix_thread_id == pthread_self();
}

static void test_addresses(void)
{
	int fd = file_without_name();
	trace_id_t trid = stream_make_log(&loop, fd);
	struct seen_list list;
	size_t i, n_here = 0;

	control_here(trid);
	end_here(trid);
	list = read_log(fd);
	i = find_type(&list, POSIX_TRACE_START, 0);
	for (size_t k = 0; k < 3 && i + k < list.n; k++)
		n_here += is_called_in(&list.event[i + k], control_here);
	ok(i + 3 < list.n && list.event[i + 1].info.posix_event_id == POSIX_TRACE_FILTER &&
			list.event[i + 2].info.posix_event_id == POSIX_TRACE_STOP && n_here == 3,
		"5 START, FILTER, STOP: their address lies in the function that called");
	i = find_type(&list, POSIX_TRACE_STOP, i + 3);
	ok(i < list.n && is_called_in(&list.event[i], end_here),
		"5 STOP: that of the shutdown lies in the function that called it");
	seen_free(&list);
	close(fd);
}

/* --- when they come ------------------------------------------------------------------------------------- */

/*
 * The first event, a pause, and then so many that the first one is lost: begin and end of when it was made.
 */
static void lose_first(int64_t ret_span[2])
{
	ret_span[0] = now_ns(CLOCK_MONOTONIC);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 0);
	ret_span[1] = now_ns(CLOCK_MONOTONIC);
	sleep_ms(80);
	put_numbers(1, N_MANY);
}

static bool is_overflow_of(const struct seen_list *list, const int64_t span[2])
{
	const int64_t tolerance = 20000000; /* clocks that are converted */
	size_t i = find_type(list, POSIX_TRACE_OVERFLOW, 0);
	int64_t time = i < list->n ? time_ns(&list->event[i].info.posix_timestamp) : 0;

	return i < list->n && time >= span[0] - tolerance && time <= span[1] + tolerance;
}

static void test_time_of_overflow(void)
{
	int fd = file_without_name();
	const struct shape logged = { .size = 65536, .policy = POSIX_TRACE_LOOP };
	trace_id_t trid = stream_run(&loop);
	struct seen_list list;
	int64_t span[2];

	lose_first(span);
	list = read_all(trid);
	ok(is_overflow_of(&list, span),
		"5 OVERFLOW: its time is that of the first event that was overwritten");
	seen_free(&list);
	sleep_ms(80);
	lose_first(span);
	list = read_all(trid);
	ok(is_overflow_of(&list, span),
		"5 OVERFLOW: that of the next gap is that of the first event lost since");
	seen_free(&list);
	posix_trace_shutdown(trid);
	trid = stream_run_log(&logged, fd);
	lose_first(span);
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	ok(is_overflow_of(&list, span), "5 OVERFLOW: in a log, too");
	seen_free(&list);
	close(fd);
}

/* --- what room they take -------------------------------------------------------------------------------- */

static size_t system_size(const trace_attr_t *attr)
{
	size_t size = 1;

	must(posix_trace_attr_getmaxsystemeventsize(attr, &size), "get an event's size");
	return size;
}

static size_t user_size(const trace_attr_t *attr, size_t n)
{
	size_t size = 1;

	must(posix_trace_attr_getmaxusereventsize(attr, n, &size), "get an event's size");
	return size;
}

/* START, STOP, FILTER and events of the program in turn, as many as the stream's size allows. */
static size_t put_mixed(trace_id_t trid, const trace_attr_t *attr, size_t left)
{
	static const size_t lengths[] = { 0, 200, 8, 40, 3 };
	unsigned char data[200] = { 0 };
	trace_event_set_t set;
	size_t n = 0;

	posix_trace_eventset_empty(&set);
	for (;; n++) {
		const bool is_system = n % 6 == 5;
		size_t length = lengths[n % 5],
		       size = is_system ? system_size(attr) : user_size(attr, length);

		if (size > left)
			return n;
		left -= size;
		if (is_system)
			must(posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET), "set the filter");
		else
			posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, length);
	}
}

static void test_mixed(int policy, const char *name)
{
	const struct shape shape = { .size = 100000, .data_size = 256, .policy = policy };
	trace_id_t trid = stream_run(&shape);
	trace_attr_t attr;
	struct seen_list list;
	size_t size, n;

	must(posix_trace_get_attr(trid, &attr), "get attributes");
	must(posix_trace_attr_getstreamsize(&attr, &size), "get the stream's size");
	n = put_mixed(trid, &attr, size);
	list = read_all(trid);
	ok(list.n == n && n > 100 && stream_status(trid).posix_lost_np == 0,
		"4 no loss: %s keeps events of program and system whose sizes sum up to stream-min-size",
		name);
	seen_free(&list);
	posix_trace_shutdown(trid);
}

/* --- a STOP that waits ---------------------------------------------------------------------------------- */

static void put_empty(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
}

/* Takes events without data, until one comes that has some: that stays. */
static bool read_up_to_stop(trace_id_t trid)
{
	struct posix_trace_record_np record;
	size_t n = 1;
	int error = 0;

	while (n > 0 && error == 0)
		error = posix_trace_getevents_np(trid, &record, sizeof(record), &n);
	return error == EINVAL;
}

static void test_waiting_stop(void)
{
	const struct shape shape = { .size = 16384, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&shape);
	struct seen_list list;
	bool has_seen;

	put_empty(N_MANY);
	has_seen = read_up_to_stop(trid);
	must(posix_trace_clear(trid), "clear");
	must(posix_trace_start(trid), "start");
	put_empty(N_MANY);
	list = read_all(trid);
	ok(has_seen && count_type(&list, POSIX_TRACE_STOP) == 1 &&
			list.event[list.n - 1].info.posix_event_id == POSIX_TRACE_STOP,
		"6.2 clear: a STOP that was not taken is forgotten, and the next one is reported");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

int main(void)
{
	fixture_begin();
	test_made_ones();
	test_flushes();
	test_addresses();
	test_time_of_overflow();
	test_mixed(POSIX_TRACE_LOOP, "LOOP");
	test_mixed(POSIX_TRACE_UNTIL_FULL, "UNTIL_FULL");
	test_waiting_stop();
	return tap_done();
}
