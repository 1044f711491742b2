/* SPDX-License-Identifier: MIT */
/*
 * The promises of a stream about loss: all events whose sizes sum up to stream-min-size, the newest run with
 * LOOP, the oldest with UNTIL_FULL, and what the reader gets in between.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 100000, N_THREADS = 4, MAX_DATA = 256, TURN_TRIES = 100 };

/* --- no loss within stream-min-size --------------------------------------------------------------------- */

static size_t real_size(trace_id_t trid)
{
	trace_attr_t attr;
	size_t size = 0;

	must(posix_trace_get_attr(trid, &attr), "get attributes");
	must(posix_trace_attr_getstreamsize(&attr, &size), "get the stream's size");
	return size;
}

static size_t size_of_event(trace_id_t trid, size_t n)
{
	trace_attr_t attr;
	size_t size = 0;

	must(posix_trace_get_attr(trid, &attr), "get attributes");
	must(posix_trace_attr_getmaxusereventsize(&attr, n, &size), "get an event's size");
	return size;
}

/* How long the data of event i is; a fixed length, or a mix that looks random and is always the same. */
static size_t length_of(size_t fixed, unsigned int i)
{
	uint32_t x = i * 2654435761u;

	if (fixed != (size_t)-1)
		return fixed;
	x ^= x >> 15;
	return x % (MAX_DATA + 1);
}

/* Threads that take turns share this: the n-th of them makes every n-th event, on whatever processor. */
struct turns {
	trace_id_t trid;
	size_t fixed;
	unsigned int n_events;
	sem_t turn[N_THREADS];
};
struct turn_taker {
	struct turns *turns;
	unsigned int which, n_threads;
};

static void put_length(trace_event_id_t type, unsigned int number, size_t n)
{
	unsigned char data[MAX_DATA];

	memset(data, (int)(number & 0xff), sizeof(data));
	memcpy(data, &number, n < sizeof(number) ? n : sizeof(number));
	posix_trace_event(type, data, n);
}

/* At once where the thread before runs on another processor, and without the processor that others want. */
static void await_turn(sem_t *turn)
{
	for (unsigned int i = 0; i < TURN_TRIES; i++)
		if (sem_trywait(turn) == 0)
			return;
	while (sem_wait(turn) != 0)
		continue;
}

static void *take_turns(void *argument)
{
	struct turn_taker *taker = argument;
	struct turns *turns = taker->turns;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(taker->which % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	if (taker->n_threads > 1)
		sched_setaffinity(0, sizeof(cpus), &cpus); /* one may be refused: then it runs anywhere */
	for (unsigned int i = taker->which; i < turns->n_events; i += taker->n_threads) {
		await_turn(&turns->turn[taker->which]);
		put_length(POSIX_TRACE_UNNAMED_USEREVENT, i, length_of(turns->fixed, i));
		sem_post(&turns->turn[(taker->which + 1) % taker->n_threads]);
	}
	return NULL;
}

static void put_in_turns(struct turns *turns, unsigned int n_threads)
{
	pthread_t thread[N_THREADS];
	struct turn_taker taker[N_THREADS];

	for (unsigned int i = 0; i < n_threads; i++)
		sem_init(&turns->turn[i], 0, i == 0);
	for (unsigned int i = 0; i < n_threads; i++) {
		taker[i] = (struct turn_taker){ turns, i, n_threads };
		pthread_create(&thread[i], NULL, take_turns, &taker[i]);
	}
	for (unsigned int i = 0; i < n_threads; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < n_threads; i++)
		sem_destroy(&turns->turn[i]);
}

/* The greatest number of events whose sizes sum up to no more than the stream's. */
static unsigned int events_that_fit(trace_id_t trid, size_t fixed)
{
	size_t left = real_size(trid), sizes[MAX_DATA + 1];
	unsigned int n = 0;

	for (size_t i = 0; i <= MAX_DATA; i++)
		sizes[i] = size_of_event(trid, i);
	while (sizes[length_of(fixed, n)] <= left)
		left -= sizes[length_of(fixed, n++)];
	return n;
}

/*
 * Events of two processors that are nearer to each other than this may be swapped (XSH 2.11.3: the resolution
 * is ours); threads that take turns are nearer.
 */
enum { SWAP_NS = 1000 };

static bool are_near(const struct seen *before, const struct seen *event)
{
	return time_ns(&event->info.posix_timestamp) - time_ns(&before->info.posix_timestamp) <= SWAP_NS;
}

/* Whether an event is the one made as number i. */
static bool is_made_as(const struct seen *event, const struct turns *turns, unsigned int i)
{
	size_t n = length_of(turns->fixed, i);
	unsigned int expected = n < sizeof(i) ? i & ((1u << (8 * n)) - 1) : i;

	return event->info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT && event->n == n &&
	       number_of(event) == expected;
}

/* Puts events that were swapped back in the order in which they were made, as far as they are near enough. */
static void seen_unswap(struct seen_list *list, const struct turns *turns, size_t at, unsigned int expected)
{
	for (size_t k = at + 1; k < list->n && k <= at + N_THREADS; k++) {
		struct seen kept = list->event[k];

		if (!is_made_as(&kept, turns, expected))
			continue;
		if (!are_near(&list->event[at], &kept))
			return;
		memmove(&list->event[at + 1], &list->event[at], (k - at) * sizeof(kept));
		list->event[at] = kept;
		return;
	}
}

static bool is_whole(struct seen_list *list, const struct turns *turns)
{
	if (list->n != turns->n_events)
		return false;
	for (unsigned int i = 0; i < list->n; i++) {
		if (!is_made_as(&list->event[i], turns, i))
			seen_unswap(list, turns, i, i);
		if (!is_made_as(&list->event[i], turns, i))
			return false;
	}
	return true;
}

/*
 * Whether the numbers in a list are a run; of what was swapped at the very edge of the run one event may be
 * in it and the other not.
 */
static bool is_run_of_turns(struct seen_list *list, const struct turns *turns, size_t *ret_n)
{
	size_t i = find_type(list, POSIX_TRACE_UNNAMED_USEREVENT, 0), n_all, k = 0;
	unsigned int next;
	bool is_good = true;

	n_all = *ret_n = count_type(list, POSIX_TRACE_UNNAMED_USEREVENT);
	next = i < list->n ? number_of(&list->event[i]) : 0;
	for (; i < list->n; i = find_type(list, POSIX_TRACE_UNNAMED_USEREVENT, i + 1), k++) {
		if (number_of(&list->event[i]) != next)
			seen_unswap(list, turns, i, next);
		if (number_of(&list->event[i]) != next && k > N_THREADS && k + N_THREADS < n_all)
			is_good = false;
		next = number_of(&list->event[i]) + 1;
	}
	return is_good;
}

static bool nothing_lost(int policy, size_t fixed, unsigned int n_threads, unsigned int n_rounds)
{
	const struct shape shape = { .size = SIZE, .data_size = MAX_DATA, .policy = policy };
	trace_id_t trid = stream_run(&shape);
	struct turns turns = { .trid = trid, .fixed = fixed, .n_events = events_that_fit(trid, fixed) };
	bool is_good = true;

	for (unsigned int round = 0; round < n_rounds; round++) {
		struct seen_list list;
		struct posix_trace_status_info status;

		put_in_turns(&turns, n_threads);
		status = stream_status(trid);
		list = read_all(trid);
		is_good &= is_whole(&list, &turns) &&
			   status.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN &&
			   status.posix_lost_np == 0 && status.posix_stream_status == POSIX_TRACE_RUNNING;
		if (!is_good && round < n_rounds)
			printf("# policy %d: %zu of %u events, lost %llu, overrun %d, running %d\n", policy,
				list.n, turns.n_events, status.posix_lost_np,
				status.posix_stream_overrun_status, status.posix_stream_status);
		seen_free(&list);
		if (!is_good)
			break;
	}
	posix_trace_shutdown(trid);
	return is_good;
}

static const struct load {
	const char *name;
	size_t fixed;
} loads[] = { { "no data", 0 }, { "8 bytes", 8 }, { "40 bytes", 40 }, { "200 bytes", 200 },
	{ "lengths at random", (size_t)-1 } };

static void test_no_loss(const struct load *load)
{
	ok(nothing_lost(POSIX_TRACE_UNTIL_FULL, load->fixed, 1, 3),
		"17 no loss: UNTIL_FULL keeps all events of exactly stream-min-size (%s, one thread)",
		load->name);
	ok(nothing_lost(POSIX_TRACE_LOOP, load->fixed, 1, 3),
		"17 no loss: LOOP keeps all events of exactly stream-min-size (%s, one thread)", load->name);
	ok(nothing_lost(POSIX_TRACE_UNTIL_FULL, load->fixed, N_THREADS, 2),
		"4 no loss: UNTIL_FULL keeps all events of stream-min-size whichever threads make them (%s)",
		load->name);
	ok(nothing_lost(POSIX_TRACE_LOOP, load->fixed, N_THREADS, 2),
		"4 no loss: LOOP keeps all events of stream-min-size whichever threads make them (%s)",
		load->name);
}

static void test_no_loss_after_wrap(void)
{
	const struct shape shape = { .size = SIZE, .data_size = MAX_DATA };
	trace_id_t trid = stream_run(&shape);
	struct turns turns = { .trid = trid, .fixed = 40, .n_events = events_that_fit(trid, 40) };
	struct turns before = { .trid = trid, .fixed = (size_t)-1, .n_events = 9001 };
	struct seen_list list;
	size_t n = 0;

	put_in_turns(&before, N_THREADS);
	put_in_turns(&turns, 1);
	list = read_all(trid);
	for (size_t i = list.n; i-- > 0 && n < turns.n_events; n++)
		if (number_of(&list.event[i]) != turns.n_events - 1 - n || list.event[i].n != 40)
			break;
	is_number(n, turns.n_events,
		"4 no loss: a LOOP stream that has wrapped holds the last stream-min-size");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_no_loss_of_system_events(void)
{
	const struct shape shape = { .size = SIZE, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&shape);
	trace_attr_t attr;
	trace_event_set_t set;
	struct seen_list list;
	size_t size = 1, n;

	must(posix_trace_get_attr(trid, &attr), "get attributes");
	must(posix_trace_attr_getmaxsystemeventsize(&attr, &size), "get an event's size");
	must(posix_trace_eventset_empty(&set), "empty a set");
	n = real_size(trid) / size;
	for (size_t i = 0; i < n; i++)
		must(posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET), "set the filter");
	list = read_all(trid);
	ok(n > 0 && list.n == n && count_type(&list, POSIX_TRACE_FILTER) == n,
		"4 no loss: system events whose sizes sum up to stream-min-size are all recorded");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

/* --- LOOP ----------------------------------------------------------------------------------------------- */

enum { N_MANY = 20000 };

static void put_many(trace_event_id_t type, unsigned int first, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		put_number(type, first + i);
}

static void test_loop(unsigned int n_threads, const char *by)
{
	const struct shape shape = { .size = SIZE };
	trace_id_t trid = stream_run(&shape);
	struct turns turns = { .trid = trid, .fixed = 4, .n_events = N_MANY };
	struct posix_trace_status_info status;
	struct seen_list list;
	size_t n = 0;
	bool is_in_order;
	int64_t before = now_ns(CLOCK_MONOTONIC), after;

	put_in_turns(&turns, n_threads);
	after = now_ns(CLOCK_MONOTONIC);
	status = stream_status(trid);
	is_number((unsigned)status.posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
		"6.1 LOOP: overwriting sets overrun");
	list = read_all(trid);
	is_in_order = is_ordered(&list); /* before what was swapped is put back */
	ok(list.n > 2 && list.event[0].info.posix_event_id == POSIX_TRACE_OVERFLOW &&
			list.event[1].info.posix_event_id == POSIX_TRACE_RESUME,
		"17 LOOP: OVERFLOW and RESUME come in front of the oldest event (%s)", by);
	ok(is_run_of_turns(&list, &turns, &n) && list.n == n + 2,
		"17 LOOP: behind them is a run without a gap, and nothing else (%s)", by);
	ok(list.n && number_of(&list.event[list.n - 1]) == N_MANY - 1,
		"6.1 LOOP: the run ends with the newest event (%s)", by);
	ok(n * size_of_event(trid, 4) >= SIZE - size_of_event(trid, 4),
		"6.1 LOOP: the run is at least as long as stream-min-size promises (%s)", by);
	ok(is_in_order, "6.1 LOOP: time does not go back from OVERFLOW to the newest event (%s)", by);
	if (list.n > 2) {
		const struct seen *event = list.event;

		ok(event[0].n == 0 && event[1].n == 0, "5 OVERFLOW, RESUME: they have no data");
		is_number((uint64_t)time_ns(&event[1].info.posix_timestamp),
			(uint64_t)time_ns(&event[2].info.posix_timestamp),
			"5 RESUME: its time is that of the first event after the gap");
		ok(time_ns(&event[0].info.posix_timestamp) >= before - 50000000 &&
				time_ns(&event[0].info.posix_timestamp) <= after,
			"5 OVERFLOW: its time is that of the first event that was lost");
		is_number(stream_status(trid).posix_lost_np, N_MANY - n,
			"6.1 LOOP: the loss that is reported is the loss");
	}
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_loop_gaps(void)
{
	const struct shape shape = { .size = SIZE };
	trace_id_t trid = stream_run(&shape);
	struct seen_list list;
	struct seen event;
	unsigned int first;
	size_t n;

	put_many(POSIX_TRACE_UNNAMED_USEREVENT, 0, N_MANY);
	is_number((unsigned)stream_status(trid).posix_stream_full_status, POSIX_TRACE_FULL,
		"6.1 LOOP: it is full then");
	is_number((unsigned)stream_status(trid).posix_stream_full_status, POSIX_TRACE_FULL,
		"16.6 LOOP: it stays full until something is read, flushed or cleared");
	for (int i = 0; i < 100; i++)
		read_one(trid, &event);
	put_many(POSIX_TRACE_UNNAMED_USEREVENT, N_MANY, N_MANY);
	list = read_all(trid);
	ok(count_type(&list, POSIX_TRACE_OVERFLOW) == 1 && count_type(&list, POSIX_TRACE_RESUME) == 1,
		"6.1 LOOP: a reader that is overtaken gets one pair for one gap");
	ok(is_run(&list, POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first + n == 2 * N_MANY,
		"6.1 LOOP: and then gets the newest run");
	is_number((unsigned)stream_status(trid).posix_stream_full_status, POSIX_TRACE_NOT_FULL,
		"16.6 LOOP: a stream that was read empty is not full");
	seen_free(&list);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 77);
	list = read_all(trid);
	ok(list.n == 1 && number_of(&list.event[0]) == 77,
		"6.1 LOOP: after the gap no other gap is reported");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

/* --- UNTIL_FULL ----------------------------------------------------------------------------------------- */

static bool is_auto_stop(const struct seen *event)
{
	int automatic = 0;

	if (event->info.posix_event_id != POSIX_TRACE_STOP || event->n != sizeof(automatic))
		return false;
	memcpy(&automatic, event->data, sizeof(automatic));
	return automatic != 0;
}

static void test_until_full(unsigned int n_threads, const char *by)
{
	const struct shape shape = { .size = SIZE, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&shape);
	struct turns turns = { .trid = trid, .fixed = 4, .n_events = N_MANY };
	struct posix_trace_status_info status;
	struct seen_list list;
	size_t n;
	bool is_in_order;

	put_in_turns(&turns, n_threads);
	status = stream_status(trid);
	ok(status.posix_stream_status == POSIX_TRACE_SUSPENDED &&
			status.posix_stream_full_status == POSIX_TRACE_FULL,
		"6.1 UNTIL_FULL: without space it stops by itself (%s)", by);
	is_number((unsigned)status.posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
		"6.1 UNTIL_FULL: an event that comes while it is full sets overrun");
	list = read_all(trid);
	is_in_order = is_ordered(&list); /* before what was swapped is put back */
	ok(is_run_of_turns(&list, &turns, &n) && list.n && number_of(&list.event[0]) == 0,
		"17 UNTIL_FULL: it holds the oldest run without a gap (%s)", by);
	ok(n * size_of_event(trid, 4) >= SIZE - size_of_event(trid, 4),
		"6.1 UNTIL_FULL: the run is at least as long as stream-min-size promises (%s)", by);
	ok(list.n == n + 1 && is_auto_stop(&list.event[n]),
		"17 UNTIL_FULL: an automatic STOP comes behind the last event (%s)", by);
	ok(is_in_order, "6.1 UNTIL_FULL: time does not go back up to STOP (%s)", by);
	is_number(status.posix_lost_np, N_MANY - n, "6.1 UNTIL_FULL: the loss that is reported is the loss");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_restart(void)
{
	const struct shape shape = { .size = SIZE, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_make(&shape);
	struct posix_trace_status_info status;
	struct seen_list list;
	struct seen start = { 0 };

	must(posix_trace_start(trid), "start");
	put_many(POSIX_TRACE_UNNAMED_USEREVENT, 0, N_MANY);
	stream_status(trid);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 0);
	is_number((unsigned)stream_status(trid).posix_stream_overrun_status, POSIX_TRACE_OVERRUN,
		"16.7 overrun: each event generated while suspended and full sets it anew");
	is_number((unsigned)stream_status(trid).posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
		"7 overrun: without a new loss it stays reset");
	list = read_all(trid);
	status = stream_status(trid);
	ok(status.posix_stream_status == POSIX_TRACE_RUNNING &&
			status.posix_stream_full_status == POSIX_TRACE_NOT_FULL,
		"6.1 UNTIL_FULL: a stream that was read empty runs again");
	/* START may come when the stream restarts, or with the next event. */
	if (list.n)
		start = list.event[list.n - 1];
	seen_free(&list);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 42);
	list = read_all(trid);
	if (list.n == 2)
		start = list.event[0];
	ok(start.info.posix_event_id == POSIX_TRACE_START && list.n &&
			number_of(&list.event[list.n - 1]) == 42,
		"17 UNTIL_FULL: START is reported before the next recorded event");
	ok(start.n == sizeof(trace_event_set_t),
		"5 START: one that came by itself has the filter for its data, too");
	seen_free(&list);
	must(posix_trace_stop(trid), "stop");
	list = read_all(trid);
	ok(list.n == 1 && list.event[0].info.posix_event_id == POSIX_TRACE_STOP &&
			!is_auto_stop(&list.event[0]),
		"5 STOP: after an automatic stop and start, that of posix_trace_stop() is not automatic");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_many_restarts(void)
{
	const struct shape shape = { .size = 8192, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&shape);
	struct seen event;
	unsigned int next = 0, last = 0, n_stops = 0;
	bool is_good = true, was_stopped = false;

	for (int round = 0; round < 30; round++) {
		put_many(POSIX_TRACE_UNNAMED_USEREVENT, next, N_MANY);
		next += N_MANY;
		while (read_one(trid, &event)) {
			if (event.info.posix_event_id == POSIX_TRACE_STOP) {
				was_stopped = true;
				n_stops++;
				continue;
			}
			if (event.info.posix_event_id != POSIX_TRACE_UNNAMED_USEREVENT)
				continue;
			is_good &= number_of(&event) == last + 1 || was_stopped || number_of(&event) == 0;
			last = number_of(&event);
			was_stopped = false;
		}
	}
	ok(is_good && n_stops > 20,
		"6.1 UNTIL_FULL: over many stops and starts every gap lies behind a STOP");
	posix_trace_shutdown(trid);
}

int main(void)
{
	fixture_begin();
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		test_no_loss(&loads[i]);
	test_no_loss_after_wrap();
	test_no_loss_of_system_events();
	test_loop(1, "one thread");
	test_loop(N_THREADS, "four threads");
	test_loop_gaps();
	test_until_full(1, "one thread");
	test_until_full(N_THREADS, "four threads");
	test_restart();
	test_many_restarts();
	return tap_done();
}
