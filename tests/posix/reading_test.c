/* SPDX-License-Identifier: MIT */
/*
 * Reading an active stream: waiting, time-outs, signals, several readers, truncation. Logs are in log_test.c.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct shape plain = { .size = 1 << 20 };
enum { FOREVER = -1 };

/* --- a reader in a thread of its own -------------------------------------------------------------------- */

struct reader {
	trace_id_t trid;
	int64_t deadline; /* nanoseconds of CLOCK_REALTIME, or FOREVER */
	_Atomic bool is_done;
	int error, unavailable;
	struct seen event;
	pthread_t thread;
};

static int timed_read(struct reader *reader, int64_t deadline)
{
	struct timespec time = { deadline / 1000000000, deadline % 1000000000 };

	return posix_trace_timedgetnext_event(reader->trid, &reader->event.info, reader->event.data,
		sizeof(reader->event.data), &reader->event.n, &reader->unavailable, &time);
}

static void *read_in_thread(void *argument)
{
	struct reader *reader = argument;

	reader->unavailable = -77;
	if (reader->deadline == FOREVER)
		reader->error =
			posix_trace_getnext_event(reader->trid, &reader->event.info, reader->event.data,
				sizeof(reader->event.data), &reader->event.n, &reader->unavailable);
	else
		reader->error = timed_read(reader, reader->deadline);
	reader->is_done = true;
	return NULL;
}

static void reader_start(struct reader *reader, trace_id_t trid, int64_t deadline)
{
	*reader = (struct reader){ .trid = trid, .deadline = deadline };
	pthread_create(&reader->thread, NULL, read_in_thread, reader);
}

static bool waits_still(const struct reader *reader)
{
	sleep_ms(30);
	return !reader->is_done;
}

/* --- waiting -------------------------------------------------------------------------------------------- */

static void test_wakes_on_event(void)
{
	trace_id_t trid = stream_run(&plain);
	struct reader reader;

	reader_start(&reader, trid, FOREVER);
	ok(waits_still(&reader), "11 getnext_event: on an empty stream it waits");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 21);
	pthread_join(reader.thread, NULL);
	ok(reader.error == 0 && reader.unavailable == 0 && number_of(&reader.event) == 21,
		"17 getnext_event: an event wakes it");
	must(posix_trace_stop(trid), "stop");
	read_one(trid, &reader.event);
	reader_start(&reader, trid, FOREVER);
	ok(waits_still(&reader), "11 getnext_event: on an empty suspended stream it waits");
	must(posix_trace_start(trid), "start");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 22);
	pthread_join(reader.thread, NULL);
	ok(reader.error == 0 && number_of(&reader.event) == 22,
		"11 getnext_event: and gets what comes after a start");
	reader_start(&reader, trid, now_ns(CLOCK_REALTIME) + 60000000000);
	ok(waits_still(&reader), "11 timedgetnext_event: on an empty stream it waits");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 23);
	pthread_join(reader.thread, NULL);
	ok(reader.error == 0 && reader.unavailable == 0 && number_of(&reader.event) == 23,
		"17 timedgetnext_event: an event wakes it");
	posix_trace_shutdown(trid);
}

static void test_no_lost_wakeup(void)
{
	trace_id_t trid = stream_run(&plain);
	int64_t before = now_ns(CLOCK_MONOTONIC);
	bool is_good = true;

	for (unsigned int i = 0; i < 60; i++) {
		struct reader reader;

		reader_start(&reader, trid, now_ns(CLOCK_REALTIME) + 20000000000);
		for (unsigned int k = 0; k < i * 300; k++)
			__asm__ volatile("");
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
		pthread_join(reader.thread, NULL);
		is_good &= reader.error == 0 && number_of(&reader.event) == i;
	}
	ok(is_good && now_ns(CLOCK_MONOTONIC) - before < 15000000000,
		"15 getnext_event: an event that comes while it falls asleep wakes it");
	posix_trace_shutdown(trid);
}

/* --- time-outs ------------------------------------------------------------------------------------------ */

static int error_until(trace_id_t trid, long seconds, long nanoseconds, struct seen *ret_event)
{
	struct timespec time = { seconds, nanoseconds };
	int unavailable;

	return posix_trace_timedgetnext_event(trid, &ret_event->info, ret_event->data,
		sizeof(ret_event->data), &ret_event->n, &unavailable, &time);
}

static void test_times(void)
{
	trace_id_t trid = stream_run(&plain);
	struct seen event = { 0 };
	struct reader reader = { .trid = trid };
	int64_t deadline;

	is_number((unsigned)error_until(trid, 1, 0, &event), ETIMEDOUT,
		"11 timedgetnext_event: a time that has passed is ETIMEDOUT at once");
	is_number((unsigned)error_until(trid, -1, 0, &event), ETIMEDOUT,
		"11 timedgetnext_event: a time before 1970 is ETIMEDOUT");
	is_number((unsigned)error_until(trid, 1, -1, &event), EINVAL,
		"11 timedgetnext_event: negative nanoseconds are EINVAL");
	is_number((unsigned)error_until(trid, 1, 1000000000, &event), EINVAL,
		"11 timedgetnext_event: a second of nanoseconds is EINVAL");
	deadline = now_ns(CLOCK_REALTIME) + 50000000;
	is_number((unsigned)timed_read(&reader, deadline), ETIMEDOUT,
		"17 timedgetnext_event: a time-out wakes it");
	ok(now_ns(CLOCK_REALTIME) >= deadline,
		"11 timedgetnext_event: not before the absolute time of CLOCK_REALTIME");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	ok(error_until(trid, 1, 0, &event) == 0 && number_of(&event) == 1,
		"11 timedgetnext_event: an event that is there is given though the time has passed");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 2);
	ok(error_until(trid, 1, -5, &event) == 0 && number_of(&event) == 2,
		"11 timedgetnext_event: an event that is there is given though the time is bad");
	posix_trace_shutdown(trid);
}

/* --- signals -------------------------------------------------------------------------------------------- */

static void do_nothing(int signal)
{
	(void)signal;
}

static void reader_interrupt(struct reader *reader)
{
	for (int i = 0; i < 20000 && !reader->is_done; i++) {
		pthread_kill(reader->thread, SIGUSR1);
		sleep_ms(1);
	}
}

static void test_signals(int flags, const char *how)
{
	struct sigaction action = { .sa_handler = do_nothing, .sa_flags = flags };
	trace_id_t trid = stream_run(&plain);
	struct reader reader;
	struct seen event = { 0 };

	sigaction(SIGUSR1, &action, NULL);
	reader_start(&reader, trid, FOREVER);
	reader_interrupt(&reader);
	pthread_join(reader.thread, NULL);
	ok(reader.error == EINTR, "17 getnext_event: a signal that was caught wakes it with EINTR (%s)", how);
	reader_start(&reader, trid, now_ns(CLOCK_REALTIME) + 60000000000);
	reader_interrupt(&reader);
	pthread_join(reader.thread, NULL);
	ok(reader.error == EINTR, "17 timedgetnext_event: a signal that was caught wakes it with EINTR (%s)",
		how);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 51);
	ok(read_one(trid, &event) && number_of(&event) == 51,
		"11 getnext_event: EINTR has consumed nothing (%s)", how);
	posix_trace_shutdown(trid);
}

static void test_ignored_signal(void)
{
	struct sigaction action = { .sa_handler = SIG_IGN };
	trace_id_t trid = stream_run(&plain);
	struct reader reader;
	bool waited;

	sigaction(SIGUSR1, &action, NULL);
	reader_start(&reader, trid, FOREVER);
	for (int i = 0; i < 20; i++) {
		pthread_kill(reader.thread, SIGUSR1);
		sleep_ms(1);
	}
	waited = waits_still(&reader);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 61);
	pthread_join(reader.thread, NULL);
	ok(waited && reader.error == 0 && number_of(&reader.event) == 61,
		"11 getnext_event: a signal that is ignored does not wake it");
	posix_trace_shutdown(trid);
}

/* --- shutdown ------------------------------------------------------------------------------------------- */

static void test_shutdown(void)
{
	trace_id_t trid = stream_run(&plain);
	struct reader reader[4];
	bool is_good = true, waited = true;

	for (int i = 0; i < 4; i++)
		reader_start(&reader[i], trid, i % 2 ? FOREVER : now_ns(CLOCK_REALTIME) + 60000000000);
	for (int i = 0; i < 4; i++)
		waited &= waits_still(&reader[i]);
	is_number((unsigned)posix_trace_shutdown(trid), 0, "6.3 shutdown: waiting readers do not hinder it");
	for (int i = 0; i < 4; i++) {
		pthread_join(reader[i].thread, NULL);
		is_good &= reader[i].error == EINVAL;
	}
	ok(waited && is_good, "17 shutdown: waiting readers are woken with EINVAL");
}

/* --- cancellation --------------------------------------------------------------------------------------- */

static _Atomic int n_blocked = -1;

/* How many of the signals that programs use a thread has blocked when it is cancelled. */
static void count_blocked(void *unused)
{
	sigset_t blocked;
	int n = 0;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	for (int number = 1; number < 32; number++)
		n += sigismember(&blocked, number) == 1;
	n_blocked = n;
	(void)unused;
}

static void *read_cancelled(void *argument)
{
	pthread_cleanup_push(count_blocked, NULL);
	read_in_thread(argument);
	pthread_cleanup_pop(0);
	return NULL;
}

/* The request is there before it waits. */
static void *read_condemned(void *argument)
{
	pthread_cancel(pthread_self());
	return read_cancelled(argument);
}

static void test_cancellation(void *(*read)(void *), const char *when)
{
	trace_id_t trid = stream_run(&plain);
	struct reader reader = { .trid = trid, .deadline = FOREVER };
	struct seen event = { 0 };
	void *result = NULL;

	n_blocked = -1;
	pthread_create(&reader.thread, NULL, read, &reader);
	waits_still(&reader);
	if (read == read_cancelled)
		pthread_cancel(reader.thread);
	pthread_join(reader.thread, &result);
	ok(result == PTHREAD_CANCELED, "10 getnext_event: a thread that waits can be cancelled (%s)", when);
	is_number((unsigned)n_blocked, 0, "10 getnext_event: and has its signals back");
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 71);
	ok(read_one(trid, &event) && number_of(&event) == 71 && posix_trace_shutdown(trid) == 0,
		"10 getnext_event: the stream is free then, and nothing of it is consumed");
}

/* A stream that is still used keeps its place among those of the process. */
static void test_many_cancelled(void)
{
	unsigned int n = 0;

	for (; n <= TRACE_SYS_MAX; n++) {
		struct reader reader = { .deadline = FOREVER };

		if (posix_trace_create(getpid(), NULL, &reader.trid) != 0)
			break;
		pthread_create(&reader.thread, NULL, read_condemned, &reader);
		pthread_join(reader.thread, NULL);
		posix_trace_shutdown(reader.trid);
	}
	is_number(n, TRACE_SYS_MAX + 1, "10 getnext_event: a thread that was cancelled holds no stream");
}

/* --- several readers ------------------------------------------------------------------------------------ */

enum { N_READERS = 4, N_EVENTS = 20000 };
static _Atomic unsigned char n_times[N_EVENTS];
static _Atomic unsigned int n_got;
static _Atomic bool is_backwards;

static void *read_share(void *argument)
{
	struct reader reader = { .trid = *(trace_id_t *)argument };
	unsigned int last = 0;

	while (n_got < N_EVENTS) {
		unsigned int number;
		int error = timed_read(&reader, now_ns(CLOCK_REALTIME) + 20000000);

		if (error == ETIMEDOUT)
			continue;
		if (error != 0)
			break;
		number = number_of(&reader.event);
		if (number < last)
			is_backwards = true;
		last = number;
		n_times[number % N_EVENTS]++;
		n_got++;
	}
	return NULL;
}

static void test_several_readers(void)
{
	trace_id_t trid = stream_run(&plain);
	pthread_t thread[N_READERS];
	bool is_once = true;

	for (int i = 0; i < N_READERS; i++)
		pthread_create(&thread[i], NULL, read_share, &trid);
	for (unsigned int i = 0; i < N_EVENTS; i++) {
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
		if (i % 500 == 499)
			sleep_ms(1);
	}
	for (int i = 0; i < N_READERS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < N_EVENTS; i++)
		is_once &= n_times[i] == 1;
	ok(is_once, "11 reading: each event goes to exactly one of several readers");
	ok(!is_backwards, "11 reading: and each of them reads its events in order");
	posix_trace_shutdown(trid);
}

/* --- truncation, order ---------------------------------------------------------------------------------- */

static void test_truncation(void)
{
	const struct shape narrow = { .size = 65536, .data_size = 32 };
	trace_id_t trid = stream_run(&narrow);
	struct posix_trace_event_info info;
	unsigned char data[64], got[64];
	size_t n = 99;
	int unavailable = -1;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)(i + 1);
	for (int i = 0; i < 2; i++)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, 20);
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, 64);
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, 20);
	memset(got, 0xcc, sizeof(got));
	ok(posix_trace_trygetnext_event(trid, &info, got, 7, &n, &unavailable) == 0 && n == 7 &&
			memcmp(got, data, 7) == 0 && got[7] == 0xcc,
		"11 reading: of data longer than the buffer the first num_bytes are given");
	is_number((unsigned)info.posix_truncation_status, POSIX_TRACE_TRUNCATED_READ,
		"11 reading: it is marked TRUNCATED_READ");
	ok(posix_trace_trygetnext_event(trid, &info, got, 20, &n, &unavailable) == 0 && n == 20 &&
			info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED,
		"11 reading: the rest is gone, the next event is given whole in a buffer that just holds it");
	ok(posix_trace_trygetnext_event(trid, &info, got, 4, &n, &unavailable) == 0 && n == 4 &&
			info.posix_truncation_status == POSIX_TRACE_TRUNCATED_READ,
		"11 reading: TRUNCATED_READ takes the place of TRUNCATED_RECORD");
	ok(posix_trace_trygetnext_event(trid, &info, NULL, 0, &n, &unavailable) == 0 && n == 0 &&
			unavailable == 0 && info.posix_truncation_status == POSIX_TRACE_TRUNCATED_READ,
		"11 reading: no bytes and a NULL buffer are legal");
	ok(posix_trace_trygetnext_event(trid, &info, got, sizeof(got), &n, &unavailable) == 0 &&
			unavailable != 0,
		"11 trygetnext_event: on an empty stream it returns 0 and sets unavailable");
	posix_trace_shutdown(trid);
}

static void *put_share(void *type)
{
	for (unsigned int i = 0; i < 3000; i++)
		put_number(*(trace_event_id_t *)type, i);
	return NULL;
}

static void test_order(void)
{
	const struct shape shape = { .size = 4 << 20 };
	trace_id_t trid = stream_run(&shape);
	trace_event_id_t type[4];
	pthread_t thread[4];
	struct seen_list list;
	bool is_good = true, is_numbered = true;

	for (int i = 0; i < 4; i++) {
		char name[32];

		snprintf(name, sizeof(name), "reading: order %d", i);
		type[i] = type_open(name);
		pthread_create(&thread[i], NULL, put_share, &type[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	list = read_all(trid);
	for (int i = 0; i < 4; i++) {
		unsigned int first;
		size_t n;

		is_good &= is_run(&list, type[i], &first, &n) && n == 3000 && first == 0;
	}
	for (size_t i = 1; i < list.n; i++)
		is_numbered &=
			list.event[i].info.posix_sequence_np == list.event[i - 1].info.posix_sequence_np + 1;
	ok(is_ordered(&list), "16.31 reading: events of several threads come in the order of time");
	ok(is_good, "11 reading: the events of each thread come in the order of generation");
	ok(is_numbered, "11 reading: sequence numbers have no gap when nothing was lost");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_several_streams(void)
{
	trace_id_t trid = stream_run(&plain), other = stream_run(&plain);
	struct seen event = { 0 };

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	read_one(trid, &event);
	ok(!read_one(trid, &event), "11 reading: each event of an active stream is reported once");
	ok(read_one(other, &event) && number_of(&event) == 1,
		"11 reading: reading one stream takes nothing from another");
	posix_trace_shutdown(trid);
	posix_trace_shutdown(other);
}

int main(void)
{
	fixture_begin();
	test_wakes_on_event();
	test_no_lost_wakeup();
	test_times();
	test_signals(0, "without SA_RESTART");
	test_signals(SA_RESTART, "with SA_RESTART");
	test_ignored_signal();
	test_shutdown();
	test_cancellation(read_cancelled, "while it waits");
	test_cancellation(read_condemned, "before it waits");
	test_many_cancelled();
	test_several_readers();
	test_truncation();
	test_order();
	test_several_streams();
	return tap_done();
}
