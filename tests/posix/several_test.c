/* SPDX-License-Identifier: MIT */
/*
 * One event in several streams: it has the same time in all of them, as long as nothing interrupts the thread
 * between one and the next; and whatever interrupts it, each stream has all events in order of time.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <sys/rseq.h>
#endif

enum { N_STREAMS = 3, N_QUIET = 5000, N_THREADS = 3, N_LOUD = 20000 };

static const struct shape large = { .size = 16 << 20, .policy = POSIX_TRACE_UNTIL_FULL };

static void make_all(trace_id_t trids[N_STREAMS])
{
	for (int i = 0; i < N_STREAMS; i++)
		trids[i] = stream_run(&large);
}

static void read_and_end(trace_id_t trids[N_STREAMS], struct seen_list lists[N_STREAMS])
{
	for (int i = 0; i < N_STREAMS; i++) {
		lists[i] = read_all(trids[i]);
		posix_trace_shutdown(trids[i]);
	}
}

static long long nanoseconds(const struct seen *event)
{
	return event->info.posix_timestamp.tv_sec * 1000000000LL + event->info.posix_timestamp.tv_nsec;
}

/* --- nothing interrupts --------------------------------------------------------------------------------- */

/*
 * Streams have the time of day each on its own: the same ticks are some nanoseconds apart, but always as
 * many.
 */
static size_t count_same_time(const struct seen_list *one, const struct seen_list *other)
{
	long long before = 0;
	size_t n = 0;

	for (size_t i = 0; i < one->n; i++) {
		const long long apart = nanoseconds(&other->event[i]) - nanoseconds(&one->event[i]);

		n += i > 0 && llabs(apart - before) <= 1;
		before = apart;
	}
	return n;
}

/*
 * Whether the kernel's clock is the counter that the recorder reads inside its sequence: kvm-clock and hpet
 * are not.
 */
static bool has_counter(void)
{
	char source[16] = "";
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");

	if (file) {
		if (!fgets(source, sizeof(source), file))
			source[0] = '\0';
		fclose(file);
	}
	return strcmp(source, "tsc\n") == 0;
}

static void test_same_time(void)
{
	trace_id_t trids[N_STREAMS];
	struct seen_list lists[N_STREAMS];
	unsigned int first = 0;
	size_t n = 0;
	bool is_whole = true;

	make_all(trids);
	put_numbers(0, N_QUIET);
	read_and_end(trids, lists);
	for (int i = 0; i < N_STREAMS; i++)
		is_whole &= is_run(&lists[i], POSIX_TRACE_UNNAMED_USEREVENT, &first, &n) && first == 0 &&
			    n == N_QUIET && lists[i].n == N_QUIET;
	ok(is_whole, "10 event: each of several streams has every event");
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	if (!__rseq_size || !has_counter()) {
		skip("10 event: an event has one time in all streams",
			"no restartable sequences, or the clock is not the time stamp counter");
	} else {
		ok(is_whole && count_same_time(&lists[0], &lists[1]) >= N_QUIET / 10 * 9 &&
				count_same_time(&lists[0], &lists[2]) >= N_QUIET / 10 * 9,
			"10 event: an event has one time in all streams, unless something interrupts the "
			"thread");
	}
#else
	(void)has_counter;
	skip("10 event: an event has one time in all streams", "no restartable sequences");
	(void)count_same_time(&lists[0], &lists[1]);
#endif
	for (int i = 0; i < N_STREAMS; i++)
		seen_free(&lists[i]);
}

/* --- threads and handlers do ---------------------------------------------------------------------------- */

static _Atomic unsigned int n_handled;

static void put_from_handler(int signal)
{
	(void)signal;
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, ~0u);
	n_handled++;
}

static void *put_many(void *unused)
{
	for (unsigned int i = 0; i < N_LOUD; i++)
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, i);
	return unused;
}

/* A timer whose signal any thread may take. */
static timer_t start_timer(void)
{
	struct sigaction action = { .sa_handler = put_from_handler, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec times = { { 0, 50000 }, { 0, 50000 } };
	timer_t timer;

	sigaction(SIGUSR1, &action, NULL);
	must(timer_create(CLOCK_MONOTONIC, &event, &timer) ? errno : 0, "create a timer");
	timer_settime(timer, 0, &times, NULL);
	return timer;
}

static size_t count_backwards(const struct seen_list *list)
{
	size_t n = 0;

	for (size_t i = 1; i < list->n; i++)
		n += nanoseconds(&list->event[i]) < nanoseconds(&list->event[i - 1]);
	return n;
}

static void test_order(void)
{
	trace_id_t trids[N_STREAMS];
	struct seen_list lists[N_STREAMS];
	pthread_t threads[N_THREADS];
	size_t n_backwards = 0, n_wrong = 0;
	timer_t timer;

	make_all(trids);
	timer = start_timer();
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, put_many, NULL);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	timer_delete(timer);
	signal(SIGUSR1, SIG_IGN);
	read_and_end(trids, lists);
	for (int i = 0; i < N_STREAMS; i++) {
		n_backwards += count_backwards(&lists[i]);
		n_wrong += lists[i].n != N_THREADS * N_LOUD + n_handled;
		seen_free(&lists[i]);
	}
	ok(n_handled > 0 && n_wrong == 0,
		"10 event: threads and handlers record in several streams, none is lost");
	ok(n_backwards == 0, "10 event: in each, all are in order of time");
}

int main(void)
{
	fixture_begin();
	test_same_time();
	test_order();
	return tap_done();
}
