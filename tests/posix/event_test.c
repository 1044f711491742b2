/* SPDX-License-Identifier: MIT */
/*
 * posix_trace_event(): what it records, what it leaves alone, and that signal handlers may call it anywhere.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const struct shape plain = { .size = 65536 };

/* --- what is recorded ----------------------------------------------------------------------------------- */

static void test_contents(void)
{
	trace_event_id_t type = type_open("event: contents");
	trace_id_t trid = stream_run(&plain);
	int64_t before = now_ns(CLOCK_MONOTONIC), after, then;
	struct seen event = { 0 };
	char text[] = "payload of an event";

	posix_trace_event(type, text, sizeof(text));
	after = now_ns(CLOCK_MONOTONIC);
	memset(text, 'x', sizeof(text));
	ok(read_one(trid, &event) && event.info.posix_event_id == type, "10 event: its type is recorded");
	ok(event.n == 20 && memcmp(event.data, "payload of an event", 20) == 0,
		"10 event: its data is copied when it is recorded");
	is_number((unsigned)event.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED,
		"10 event: data within max-data-size is not truncated");
	is_number((unsigned)event.info.posix_pid, (unsigned)getpid(), "10 event: its process is recorded");
	ok(event.info.posix_thread_id == pthread_self(), "16.20 event: its thread's pthread_t is recorded");
	is_number((unsigned)event.info.posix_tid_np, (unsigned)syscall(SYS_gettid),
		"16.20 event: the kernel's number of its thread is recorded");
	then = time_ns(&event.info.posix_timestamp);
	ok(then >= before - 50000000 && then <= after + 50000000, "14 event: its time is CLOCK_MONOTONIC's");
	ok(event.info.posix_timestamp.tv_nsec >= 0 && event.info.posix_timestamp.tv_nsec < 1000000000,
		"14 event: its nanoseconds are less than a second");
	ok(event.info.posix_cpu_np >= -1 && event.info.posix_cpu_np < 65536,
		"10 event: its processor is a number or -1");
	posix_trace_shutdown(trid);
}

static __attribute__((noinline)) void put_at_first_place(trace_event_id_t type)
{
	put_number(type, 1);
	posix_trace_event(type, NULL, 0);
	__asm__ volatile("");
}

static __attribute__((noinline)) void put_at_second_place(trace_event_id_t type)
{
	posix_trace_event(type, NULL, 0);
	__asm__ volatile("" ::: "memory");
}

static void test_address(void)
{
	trace_event_id_t type = type_open("event: address");
	trace_id_t trid = stream_run(&plain);
	struct seen_list list;
	void *address[4] = { NULL };

	for (int i = 0; i < 2; i++)
		put_at_second_place(type);
	put_at_first_place(type);
	list = read_all(trid);
	for (size_t i = 0; i < list.n && i < 4; i++)
		address[i] = list.event[i].info.posix_prog_address;
	ok(list.n == 4 && address[0] && address[0] == address[1],
		"10 event: one place of call has one address");
	ok(list.n == 4 && address[3] != address[0] && address[3] != address[2],
		"10 event: other places of call have other addresses");
	ok((uintptr_t)address[0] - (uintptr_t)put_at_second_place < 4096 &&
			(uintptr_t)address[3] - (uintptr_t)put_at_first_place < 4096,
		"16.21 event: the address lies in the function that made the call");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void *put_from_thread(void *ret_tid)
{
	*(pid_t *)ret_tid = (pid_t)syscall(SYS_gettid);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 11);
	return NULL;
}

static void test_thread(void)
{
	trace_id_t trid = stream_run(&plain);
	pthread_t thread, kept;
	struct seen event = { 0 };
	pid_t tid = 0;

	pthread_create(&thread, NULL, put_from_thread, &tid);
	kept = thread;
	pthread_join(thread, NULL);
	ok(read_one(trid, &event) && event.info.posix_thread_id == kept && event.info.posix_tid_np == tid,
		"16.20 event: one of another thread has that thread, also when it has ended");
	posix_trace_shutdown(trid);
}

static void test_processor(void)
{
	trace_id_t trid = stream_run(&plain);
	cpu_set_t before, one;
	bool is_told = true;

	sched_getaffinity(0, sizeof(before), &before);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		struct seen event = { 0 };

		CPU_ZERO(&one);
		CPU_SET((size_t)i, &one);
		if (!CPU_ISSET((size_t)i, &before) || sched_setaffinity(0, sizeof(one), &one) != 0)
			continue;
		put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
		is_told &= read_one(trid, &event) &&
			   (event.info.posix_cpu_np == i || event.info.posix_cpu_np == -1);
	}
	sched_setaffinity(0, sizeof(before), &before);
	ok(is_told, "10 event: its processor is recorded where it is known");
	posix_trace_shutdown(trid);
}

static void test_no_data(void)
{
	trace_id_t trid = stream_run(&plain);
	struct seen event = { .n = 99 };

	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	ok(read_one(trid, &event) && event.n == 0 &&
			event.info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED,
		"10 event: the pointer may be NULL when there is no data");
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, "x", 0);
	ok(read_one(trid, &event) && event.n == 0,
		"10 event: a length of 0 is no data, whatever the pointer");
	posix_trace_shutdown(trid);
}

static void test_truncation(void)
{
	const struct shape narrow = { .size = 65536, .data_size = 16 },
			   wide = { .size = 65536, .data_size = 100 };
	trace_id_t first = stream_run(&narrow), second = stream_run(&wide);
	unsigned char data[200];
	struct seen event = { 0 };

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (unsigned char)i;
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, 16);
	ok(read_one(first, &event) && event.n == 16 &&
			event.info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED,
		"10 event: data of exactly max-data-size is recorded whole");
	read_one(second, &event);
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, 100);
	ok(read_one(first, &event) && event.n == 16 && memcmp(event.data, data, 16) == 0 &&
			event.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_RECORD,
		"10 event: longer data is cut to max-data-size and marked TRUNCATED_RECORD");
	ok(read_one(second, &event) && event.n == 100 && memcmp(event.data, data, 100) == 0 &&
			event.info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED,
		"10 event: one stream may keep whole what another cuts");
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, data, 17);
	ok(read_one(first, &event) && event.n == 16 &&
			event.info.posix_truncation_status == POSIX_TRACE_TRUNCATED_RECORD,
		"10 event: one byte too many is cut");
	posix_trace_shutdown(first);
	posix_trace_shutdown(second);
}

/* --- what is not ---------------------------------------------------------------------------------------- */

static void test_no_effect(void)
{
	trace_id_t trid;
	struct seen event = { 0 };

	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	ok(true, "10 event: without a stream it has no effect");
	trid = stream_run(&plain);
	ok(!read_one(trid, &event), "10 event: what came before a stream was made is not in it");
	put_number(1080, 1);
	put_number(0, 2);
	put_number(0xffffffffu, 3);
	put_number(0x10000 + POSIX_TRACE_UNNAMED_USEREVENT, 4);
	ok(!read_one(trid, &event), "10 event: identifiers that the program did not open are ignored");
	is_number(stream_status(trid).posix_unknown_np, 4, "10 event: and counted");
	posix_trace_shutdown(trid);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	ok(true, "10 event: after the shutdown it has no effect");
}

static void test_errno(void)
{
	const struct shape shape = { .size = 8192, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&shape);
	bool is_kept = true;

	for (unsigned int i = 0; i < 5000; i++) {
		errno = 12345;
		put_number(i % 7 ? POSIX_TRACE_UNNAMED_USEREVENT : 1080, i);
		is_kept &= errno == 12345;
	}
	ok(is_kept, "10 event: errno is kept, also by the first event and by those that are lost");
	posix_trace_shutdown(trid);
}

/* --- cancellation --------------------------------------------------------------------------------------- */

struct cancelled {
	trace_id_t trid;
	_Atomic int step;
};

static void *be_cancelled(void *argument)
{
	struct cancelled *cancelled = argument;
	struct seen event;
	int unavailable;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	cancelled->step = 1;
	while (cancelled->step == 1)
		sched_yield();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 1);
	cancelled->step = 3;
	posix_trace_stop(cancelled->trid);
	posix_trace_start(cancelled->trid);
	posix_trace_trygetnext_event(
		cancelled->trid, &event.info, event.data, sizeof(event.data), &event.n, &unavailable);
	cancelled->step = 4;
	pthread_testcancel();
	cancelled->step = 5;
	return NULL;
}

static void test_cancellation(void)
{
	struct cancelled cancelled = { .trid = stream_run(&plain) };
	pthread_t thread;

	pthread_create(&thread, NULL, be_cancelled, &cancelled);
	while (cancelled.step == 0)
		sched_yield();
	pthread_cancel(thread);
	cancelled.step = 2;
	pthread_join(thread, NULL);
	ok(cancelled.step >= 3, "10 event: is no cancellation point");
	ok(cancelled.step >= 4, "10 start, stop, trygetnext_event: are no cancellation points");
	is_number((unsigned)cancelled.step, 4, "10 event: a request to cancel waits meanwhile");
	posix_trace_shutdown(cancelled.trid);
}

/* --- handlers that interrupt it ------------------------------------------------------------------------- */

enum { N_TIMERS = 3, N_WANTED = 600, N_MAIN_MAX = 400000 };
static trace_event_id_t handler_type;
static _Atomic int n_handled, depth, deepest;
static timer_t timers[N_TIMERS];

/*
 * Each timer fires once, until it is set again. Timers that fire by themselves bury a machine whose signals
 * take longer than their period: each handler would be interrupted before it ends.
 */
static void set_timers(void)
{
	for (int i = 0; i < N_TIMERS; i++) {
		const struct itimerspec times = { { 0, 0 }, { 0, 50000 + 7001 * i } };

		timer_settime(timers[i], 0, &times, NULL);
	}
}

/*
 * Two events: the second one is interrupted by the same handler now and then. The outermost handler sets the
 * timers again.
 */
static void put_from_handler(int signal)
{
	unsigned int pair[2] = { 0, 0 };

	int here = ++depth;

	(void)signal;
	if (n_handled >= 4 * N_WANTED - 2 * N_TIMERS) {
		depth--;
		return;
	}
	if (here > deepest)
		deepest = here;
	pair[0] = (unsigned int)n_handled++;
	posix_trace_event(handler_type, pair, sizeof(pair));
	pair[1] = 1;
	posix_trace_event(handler_type, pair, sizeof(pair));
	if (--depth == 0)
		set_timers();
}

static void start_timers(const int signals[N_TIMERS])
{
	for (int i = 0; i < N_TIMERS; i++) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signals[i] };
		struct sigaction action = { .sa_handler = put_from_handler,
			.sa_flags = SA_NODEFER | SA_RESTART };

		sigaction(signals[i], &action, NULL);
		if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) != 0)
			must(errno, "create a timer");
	}
	set_timers();
}

static void check_handled(struct seen_list *list, unsigned int n_main)
{
	static unsigned char halves[4 * N_WANTED][2];
	unsigned int next = 0, n_twice = 0, n_missing = 0;
	bool is_gapless = true;

	for (size_t i = 0; i < list->n; i++) {
		const struct seen *event = &list->event[i];
		unsigned int pair[2];

		if (event->info.posix_event_id != handler_type) {
			is_gapless &= number_of(event) == next++;
			continue;
		}
		memcpy(pair, event->data, sizeof(pair));
		if (pair[0] < 4 * N_WANTED && pair[1] < 2)
			n_twice += halves[pair[0]][pair[1]]++ > 0;
	}
	for (int i = 0; i < n_handled; i++)
		n_missing += halves[i][0] == 0 || halves[i][1] == 0;
	ok(is_gapless && next == n_main,
		"17 event: the events of the code that was interrupted are all there, in order");
	is_number(n_missing, 0, "17 event: the events of the handlers that interrupted it are all there");
	is_number(n_twice, 0, "17 event: none is there twice");
	ok(is_ordered(list), "14 event: events of code and handlers are in the order of time");
}

static void test_handlers(void)
{
	static const int signals[N_TIMERS] = { SIGUSR1, SIGUSR2, SIGVTALRM };
	const struct shape shape = { .size = 48 << 20, .policy = POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid = stream_run(&shape);
	trace_event_id_t main_type = type_open("event: interrupted");
	unsigned int n_main = 0;
	struct seen_list list;

	handler_type = type_open("event: of the handler");
	start_timers(signals);
	while (n_main < N_MAIN_MAX && n_handled < N_WANTED)
		put_number(main_type, n_main++);
	for (int i = 0; i < N_TIMERS; i++)
		timer_delete(timers[i]);
	is_number(
		stream_status(trid).posix_lost_np, 0, "17 event: nothing is lost when handlers interrupt it");
	list = read_all(trid);
	printf("# %u events interrupted by %d handlers, %d deep\n", n_main, (int)n_handled, (int)deepest);
	check_handled(&list, n_main);
	seen_free(&list);
	posix_trace_shutdown(trid);
}

static void test_handlers_in_loop(void)
{
	static const int signals[N_TIMERS] = { SIGUSR1, SIGUSR2, SIGVTALRM };
	const struct shape shape = { .size = 8192 };
	trace_id_t trid = stream_run(&shape);
	trace_event_id_t main_type = type_open("event: interrupted");
	struct seen_list list;
	unsigned int n_main = 0, first;
	size_t n;

	n_handled = 0;
	start_timers(signals);
	while (n_main < N_MAIN_MAX && n_handled < N_WANTED)
		put_number(main_type, n_main++);
	for (int i = 0; i < N_TIMERS; i++)
		timer_delete(timers[i]);
	list = read_all(trid);
	ok(is_run(&list, main_type, &first, &n) && (n == 0 || first + n == n_main) && is_ordered(&list),
		"10 event: in a LOOP stream that wraps all the while, handlers leave the newest run whole");
	seen_free(&list);
	posix_trace_shutdown(trid);
}

/* --- a thread's first event in a handler ---------------------------------------------------------------- */

static _Atomic bool has_put;

static void put_first(int signal)
{
	(void)signal;
	put_number(POSIX_TRACE_UNNAMED_USEREVENT, 31);
	has_put = true;
}

static void *only_handle(void *unused)
{
	pthread_kill(pthread_self(), SIGUSR1);
	while (!has_put) /* sanitizers put handlers off */
		sleep_ms(1);
	return unused;
}

static void test_first_event(void)
{
	struct sigaction action = { .sa_handler = put_first };
	trace_id_t trid = stream_run(&plain);
	pthread_t thread;
	struct seen event = { 0 };
	sigset_t none;

	/* The thread sanitizer may have left them blocked when a handler interrupted a handler. */
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, only_handle, NULL);
	pthread_join(thread, NULL);
	ok(read_one(trid, &event) && number_of(&event) == 31,
		"10 event: the first event of a thread may come from a handler");
	posix_trace_shutdown(trid);
}

int main(void)
{
	fixture_begin();
	test_no_effect();
	test_contents();
	test_address();
	test_thread();
	test_processor();
	test_no_data();
	test_truncation();
	test_errno();
	test_cancellation();
	test_handlers();
	test_handlers_in_loop();
	test_first_event();
	return tap_done();
}
