/* SPDX-License-Identifier: MIT */
/*
 * Everything at once: threads, children and signal handlers that record, streams that come and go, readers of
 * two policies. Every source numbers its events; a reader may find a gap in these numbers only where the
 * stream has reported a loss since that source's last event. Argument: seconds (3).
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_WRITERS = 3, N_SOURCES = 4096, N_CHILD_EVENTS = 400 };

struct payload {
	unsigned int source, number;
	unsigned long long check;
};

static trace_event_id_t type;
static _Atomic bool is_over;
static _Atomic unsigned int n_sources = N_WRITERS + 1;

static unsigned long long check_of(unsigned int source, unsigned int number)
{
	return (source * 1000003ull ^ number) * 0x9e3779b97f4a7c15ull;
}

/* The check fills up to 40 bytes, so that events of many sizes lie beside each other. */
static void put_payload(unsigned int source, unsigned int number)
{
	struct {
		struct payload payload;
		unsigned char rest[24];
	} event = { { source, number, check_of(source, number) }, { 0 } };

	posix_trace_event(type, &event, sizeof(event.payload) + number % 24);
}

/* --- sources -------------------------------------------------------------------------------------------- */

static _Thread_local unsigned int own_source, own_number;
static _Atomic unsigned int handler_number;

static void *write_all_the_while(void *source)
{
	own_source = *(unsigned int *)source;
	while (!is_over) {
		put_payload(own_source, own_number++);
		if (own_number % 256 == 0)
			sched_yield();
	}
	return NULL;
}

/* Only one thread takes the signal, and it is blocked meanwhile: the numbers are in order. */
static void put_from_handler(int signal)
{
	(void)signal;
	put_payload(N_WRITERS, handler_number++);
}

static void start_timer(timer_t *ret_timer)
{
	struct sigaction action = { .sa_handler = put_from_handler, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec times = { { 0, 200000 }, { 0, 200000 } };

	sigaction(SIGUSR1, &action, NULL);
	must(timer_create(CLOCK_MONOTONIC, &event, ret_timer) ? errno : 0, "create a timer");
	timer_settime(*ret_timer, 0, &times, NULL);
}

static void child_life(unsigned int source, bool is_killed)
{
	for (unsigned int i = 0; i < N_CHILD_EVENTS; i++)
		put_payload(source, i);
	if (is_killed)
		raise(SIGKILL);
	_exit(0);
}

/* Keeps two children; every third one dies of a signal. */
static void *fork_all_the_while(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (!is_over && n_sources < N_SOURCES - 2) {
		pid_t pid[2];

		for (int i = 0; i < 2; i++) {
			unsigned int source = n_sources++;

			pid[i] = fork();
			if (pid[i] == 0)
				child_life(source, source % 3 == 0);
		}
		for (int i = 0; i < 2; i++)
			if (pid[i] > 0)
				waitpid(pid[i], NULL, 0);
	}
	return unused;
}

static _Atomic unsigned int n_lives, n_bad_lives;

static void *create_all_the_while(void *unused)
{
	const struct shape shape = { .size = 16384 };

	while (!is_over) {
		trace_id_t trid = stream_run(&shape);
		struct seen event;
		trace_event_set_t set;

		for (int i = 0; i < 20; i++)
			read_one(trid, &event);
		n_bad_lives += posix_trace_stop(trid) != 0;
		n_bad_lives += posix_trace_get_filter(trid, &set) != 0;
		n_bad_lives += posix_trace_start(trid) != 0;
		n_bad_lives += posix_trace_clear(trid) != 0;
		n_bad_lives += posix_trace_shutdown(trid) != 0;
		n_lives++;
	}
	return unused;
}

/* --- readers -------------------------------------------------------------------------------------------- */

struct watcher {
	trace_id_t trid;
	const char *name;
	unsigned int next[N_SOURCES];
	unsigned long long reported[N_SOURCES]; /* n_reported when the source was last read */
	unsigned long long n_events, n_reported, n_missing;
	unsigned long long n_gaps_unreported, n_spoiled, n_backwards;
	int64_t last_time;
};

static void watch_event(struct watcher *watcher, const struct seen *event)
{
	struct payload payload = { 0 };
	int64_t time = time_ns(&event->info.posix_timestamp);

	watcher->n_backwards += time < watcher->last_time;
	watcher->last_time = time;
	if (event->info.posix_event_id == POSIX_TRACE_OVERFLOW ||
		event->info.posix_event_id == POSIX_TRACE_STOP)
		watcher->n_reported++;
	if (event->info.posix_event_id != type)
		return;
	watcher->n_events++;
	if (event->n >= sizeof(payload))
		memcpy(&payload, event->data, sizeof(payload));
	if (payload.source >= N_SOURCES || payload.check != check_of(payload.source, payload.number) ||
		event->n != sizeof(payload) + payload.number % 24) {
		watcher->n_spoiled++;
		return;
	}
	if (payload.number != watcher->next[payload.source]) {
		bool is_told = payload.number > watcher->next[payload.source] &&
			       watcher->reported[payload.source] != watcher->n_reported;

		if (!is_told && watcher->n_gaps_unreported++ < 5)
			printf("# %s: source %u goes from %u to %u, process %d, processor %d\n",
				watcher->name, payload.source, watcher->next[payload.source], payload.number,
				(int)event->info.posix_pid, event->info.posix_cpu_np);
		watcher->n_missing += payload.number - watcher->next[payload.source];
	}
	watcher->next[payload.source] = payload.number + 1;
	watcher->reported[payload.source] = watcher->n_reported;
}

static void *stream_watch(void *argument)
{
	struct watcher *watcher = argument;
	bool is_last;

	do {
		struct seen event;

		is_last = is_over;
		for (int i = 0; i < 20000 && read_one(watcher->trid, &event); i++)
			watch_event(watcher, &event);
		sleep_ms(1);
	} while (!is_last);
	return NULL;
}

static void finish_watcher(struct watcher *watcher)
{
	struct seen event;
	struct posix_trace_status_info status;

	must(posix_trace_stop(watcher->trid), "stop");
	while (read_one(watcher->trid, &event))
		watch_event(watcher, &event);
	status = stream_status(watcher->trid);
	printf("# %s: %llu events, %llu losses reported, %llu events missing of %llu lost\n", watcher->name,
		watcher->n_events, watcher->n_reported, watcher->n_missing, status.posix_lost_np);
	ok(watcher->n_events > 1000, "stress: a %s stream gave events", watcher->name);
	is_number(watcher->n_spoiled, 0, "stress: none was spoiled");
	is_number(watcher->n_gaps_unreported, 0, "stress: every gap was reported as a loss");
	is_number(watcher->n_backwards, 0, "stress: time never went back");
	ok(watcher->n_missing <= status.posix_lost_np, "stress: no more is missing than the status has");
	posix_trace_shutdown(watcher->trid);
}

static void stress_run(unsigned int seconds)
{
	const struct shape loop = { .size = 1 << 20, .inheritance = POSIX_TRACE_INHERITED };
	const struct shape until = {
		.size = 1 << 20, .policy = POSIX_TRACE_UNTIL_FULL, .inheritance = POSIX_TRACE_INHERITED
	};
	static struct watcher watcher[2];
	unsigned int source[N_WRITERS];
	pthread_t writer[N_WRITERS], reader[2], forker, creator;
	sigset_t blocked;
	timer_t timer;

	watcher[0] = (struct watcher){ .trid = stream_run(&loop), .name = "LOOP" };
	watcher[1] = (struct watcher){ .trid = stream_run(&until), .name = "UNTIL_FULL" };
	for (unsigned int i = 0; i < N_WRITERS; i++) {
		source[i] = i;
		pthread_create(&writer[i], NULL, write_all_the_while, &source[i]);
		if (i == 0) { /* the first writer alone takes the signals */
			sigemptyset(&blocked);
			sigaddset(&blocked, SIGUSR1);
			pthread_sigmask(SIG_BLOCK, &blocked, NULL);
		}
	}
	start_timer(&timer);
	for (int i = 0; i < 2; i++)
		pthread_create(&reader[i], NULL, stream_watch, &watcher[i]);
	pthread_create(&forker, NULL, fork_all_the_while, NULL);
	pthread_create(&creator, NULL, create_all_the_while, NULL);
	sleep_ms(seconds * 1000);
	is_over = true;
	for (unsigned int i = 0; i < N_WRITERS; i++)
		pthread_join(writer[i], NULL);
	pthread_join(forker, NULL);
	pthread_join(creator, NULL);
	timer_delete(timer);
	for (int i = 0; i < 2; i++)
		pthread_join(reader[i], NULL);
	printf("# %u children, %u signals, %u streams\n", n_sources - N_WRITERS - 1, handler_number, n_lives);
	for (int i = 0; i < 2; i++)
		finish_watcher(&watcher[i]);
	is_number(n_bad_lives, 0, "stress: streams that came and went meanwhile did so without an error");
	ok(n_lives > 0 && handler_number > 0 && n_sources > N_WRITERS + 1,
		"stress: all kinds of sources took part");
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 3;

	fixture_begin();
	alarm(seconds + 300);
	type = type_open("stress: numbered");
	stress_run(seconds);
	return tap_done();
}
