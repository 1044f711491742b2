/* SPDX-License-Identifier: MIT */
/* posix_trace_get_status() returns the status of a stream, and resets a part of it. */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than any stream of these tests can hold. */
enum { N_TOO_MANY = 50000 };

static void put_many(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
}

static void test_initial(trace_id_t trid, const char *which)
{
	struct posix_trace_status_info status;

	memset(&status, 0x77, sizeof(status));
	must(posix_trace_get_status(trid, &status), "get the status");
	ok(status.posix_stream_status == POSIX_TRACE_SUSPENDED &&
			status.posix_stream_full_status == POSIX_TRACE_NOT_FULL &&
			status.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"7 get_status: a new stream %s is suspended, not full, without overrun", which);
	ok(status.posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING &&
			status.posix_stream_flush_error == 0,
		"7 get_status: a new stream %s is not flushing and has no flush error", which);
	ok(status.posix_log_overrun_status == POSIX_TRACE_NO_OVERRUN &&
			status.posix_log_full_status == POSIX_TRACE_NOT_FULL,
		"7 get_status: a new stream %s has a log that is not full, without overrun", which);
	ok(status.posix_lost_np == 0 && status.posix_lost_now_np == 0 && status.posix_unknown_np == 0,
		"7 get_status: a new stream %s has lost nothing", which);
}

static void test_reset(int policy, const char *name)
{
	const struct shape shape = { .size = 32768, .policy = policy };
	trace_id_t trid = stream_run(&shape);
	struct posix_trace_status_info first, second, third;

	put_many(N_TOO_MANY);
	first = stream_status(trid);
	second = stream_status(trid);
	put_many(N_TOO_MANY);
	third = stream_status(trid);
	ok(first.posix_stream_overrun_status == POSIX_TRACE_OVERRUN &&
			second.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"7 get_status: it resets the overrun of a %s stream", name);
	is_number((unsigned)third.posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
		"7 get_status: the next loss sets the overrun again");
	is_number((unsigned)second.posix_stream_full_status, POSIX_TRACE_FULL,
		"7 get_status: it does not reset the full status");
	ok(first.posix_log_overrun_status == POSIX_TRACE_NO_OVERRUN &&
			first.posix_log_full_status == POSIX_TRACE_NOT_FULL,
		"7 get_status: a %s stream without log never shows a log's overrun", name);
	ok(first.posix_lost_np > 0 && first.posix_lost_now_np == first.posix_lost_np &&
			second.posix_lost_now_np == 0 && second.posix_lost_np == first.posix_lost_np &&
			third.posix_lost_np == first.posix_lost_np + third.posix_lost_now_np,
		"7 get_status: posix_lost_now_np counts from call to call, posix_lost_np from the start (%s)",
		name);
	ok(first.posix_high_water_np >= first.posix_used_np && first.posix_used_np >= 32768,
		"7 get_status: a full %s stream uses at least its size, and the high water is no lower",
		name);
	posix_trace_shutdown(trid);
}

/* --- what a log does not take --------------------------------------------------------------------------- */

static void test_log_losses(void)
{
	const struct shape shape = { .size = 1 << 20,
		.log_size = 8 * 1000,
		.policy = POSIX_TRACE_UNTIL_FULL,
		.log_policy = POSIX_TRACE_UNTIL_FULL };
	int fd = file_without_name();
	trace_id_t trid = stream_run_log(&shape, fd), opened;
	struct posix_trace_status_info full, again, last;
	struct seen_list list;
	size_t n;

	put_numbers(0, 2000);
	must(posix_trace_flush(trid), "flush");
	do
		full = stream_status(trid);
	while (full.posix_stream_flush_status == POSIX_TRACE_FLUSHING);
	again = stream_status(trid);
	put_numbers(2000, 10);
	must(posix_trace_flush(trid), "flush");
	do
		last = stream_status(trid);
	while (last.posix_stream_flush_status == POSIX_TRACE_FLUSHING);
	must(posix_trace_shutdown(trid), "shut down");
	list = read_log(fd);
	n = count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT);
	seen_free(&list);
	ok(n > 0 && n < 2000 && full.posix_lost_np >= 2000 - n && full.posix_lost_np <= 2000 - n + 2 &&
			full.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"7 get_status: posix_lost_np counts what a full log did not take (%zu and %llu)", n,
		full.posix_lost_np);
	ok(again.posix_lost_now_np == 0 && again.posix_lost_np == full.posix_lost_np,
		"7 get_status: and posix_lost_now_np counts it once");
	ok(last.posix_lost_np >= full.posix_lost_np + 10, "7 get_status: what is lost later is added");
	must(posix_trace_open(fd, &opened), "open a log");
	ok(stream_status(opened).posix_lost_np >= last.posix_lost_np, "7 get_status: the log has no less");
	posix_trace_close(opened);
	close(fd);
}

static void test_clear(void)
{
	const struct shape plain = { .size = 32768, .policy = POSIX_TRACE_UNTIL_FULL },
			   logged = { .size = 1 << 20,
				   .log_size = 8 * 1000,
				   .policy = POSIX_TRACE_UNTIL_FULL,
				   .log_policy = POSIX_TRACE_UNTIL_FULL };
	int fd = file_without_name();
	trace_id_t trid = stream_run(&plain);
	struct posix_trace_status_info status;

	put_many(N_TOO_MANY);
	must(posix_trace_clear(trid), "clear");
	status = stream_status(trid);
	ok(status.posix_lost_np == 0 && status.posix_lost_now_np == 0,
		"6.2 clear: what was lost before it counts no more, as of a stream just made");
	posix_trace_shutdown(trid);
	trid = stream_run_log(&logged, fd);
	put_numbers(0, 2000);
	stream_flush(trid);
	must(posix_trace_clear(trid), "clear");
	status = stream_status(trid);
	ok(status.posix_lost_np == 0 && status.posix_lost_now_np == 0,
		"6.2 clear: nor what a full log did not take");
	posix_trace_shutdown(trid);
	close(fd);
}

static void test_used(void)
{
	const struct shape shape = { .size = 32768, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&shape);
	struct posix_trace_status_info full, empty;
	struct seen_list list;

	put_many(N_TOO_MANY);
	full = stream_status(trid);
	list = read_all(trid);
	empty = stream_status(trid);
	ok(full.posix_used_np >= 32768, "7 get_status: a full stream uses at least its size");
	ok(empty.posix_used_np < full.posix_used_np && empty.posix_high_water_np >= full.posix_used_np,
		"7 get_status: reading gives space back and leaves the high water where it was");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_unknown(void)
{
	const struct shape shape = { .size = 32768 };
	trace_id_t trid = stream_run(&shape);

	put_number(1087, 1);
	put_number(0xfffffff0u, 1);
	is_number(stream_status(trid).posix_unknown_np, 2,
		"10 get_status: events with an identifier that the program did not open are counted");
	posix_trace_shutdown(trid);
}

/* --- the snapshot and the reset are one step ------------------------------------------------------------ */

struct race {
	trace_id_t trid;
	_Atomic bool is_over;
	_Atomic unsigned int n_rounds;
};

static void *lose_events(void *argument)
{
	struct race *race = argument;

	for (unsigned int i = 0; i < 400000 || race->n_rounds < 200; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	race->is_over = true;
	return NULL;
}

static void test_atomic(void)
{
	const struct shape shape = { .size = 8192 };
	struct race race = { .trid = stream_run(&shape) };
	unsigned long long n_lost = 0;
	struct posix_trace_status_info status;
	bool is_marked = true, is_last;
	pthread_t thread;

	pthread_create(&thread, NULL, lose_events, &race);
	do {
		is_last = race.is_over;
		status = stream_status(race.trid);
		n_lost += status.posix_lost_now_np;
		is_marked &= (status.posix_lost_now_np > 0) ==
			     (status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN);
		race.n_rounds++;
	} while (!is_last);
	pthread_join(thread, NULL);
	status = stream_status(race.trid);
	n_lost += status.posix_lost_now_np;
	is_number(
		n_lost, status.posix_lost_np, "7 get_status: no loss disappears between snapshot and reset");
	ok(is_marked, "7 get_status: overrun is shown exactly when something was lost since the last call");
	posix_trace_shutdown(race.trid);
}

int main(void)
{
	const struct shape plain = { .size = 32768 };
	trace_id_t trid;
	int fd = file_without_name();

	fixture_begin();
	trid = stream_make(&plain);
	test_initial(trid, "without log");
	posix_trace_shutdown(trid);
	trid = stream_make_log(&plain, fd);
	test_initial(trid, "with log");
	posix_trace_shutdown(trid);
	test_reset(POSIX_TRACE_LOOP, "LOOP");
	test_reset(POSIX_TRACE_UNTIL_FULL, "UNTIL_FULL");
	test_log_losses();
	test_clear();
	test_used();
	test_unknown();
	test_atomic();
	return tap_done();
}
