/* SPDX-License-Identifier: MIT */
/* Trace points that find the process's lock taken: they go on, and nothing they make is lost in silence. */
#include "record/process/process_own.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <trace.h>

enum { N_EVENTS = 1000, PATIENCE = 100000 };

static trace_id_t stream_begin(void)
{
	trace_id_t trid = -1;

	if (posix_trace_create(0, NULL, &trid) != 0 || posix_trace_start(trid) != 0)
		abort();
	return trid;
}

static unsigned long long n_lost(trace_id_t trid)
{
	struct posix_trace_status_info status = { 0 };

	posix_trace_get_status(trid, &status);
	return status.posix_lost_np;
}

/* Events of user types that are read now. */
static size_t n_read(trace_id_t trid)
{
	struct posix_trace_event_info event;
	size_t length, n = 0;
	int unavailable = 0;

	while (posix_trace_trygetnext_event(trid, &event, NULL, 0, &length, &unavailable) == 0 &&
		!unavailable)
		n += event.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT;
	return n;
}

struct recording {
	bool is_known;	  /* it has been at a trace point before the lock is taken */
	_Atomic int turn; /* 1: known, 2: the lock is taken, 3: it has put its events */
	long n_switches;  /* read for the thread itself while it put its events */
	int error;
	bool is_current; /* its thread is up to date behind the last event */
};

/* Returns false if it did not come within ten seconds. */
static bool turn_await(const struct recording *writer, int turn)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	for (int i = 0; i < PATIENCE && writer->turn < turn; i++)
		nanosleep(&moment, NULL);
	return writer->turn >= turn;
}

static void *put_events(void *argument)
{
	struct recording *writer = argument;
	struct rusage before, after;

	if (writer->is_known)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	writer->turn = 1;
	turn_await(writer, 2);
	errno = EDOM;
	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < N_EVENTS; i++)
		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	getrusage(RUSAGE_THREAD, &after);
	writer->error = errno;
	writer->n_switches = after.ru_nvcsw - before.ru_nvcsw;
	writer->is_current = process_self.epoch == process_epoch();
	writer->turn = 3;
	return NULL;
}

/* Whether the thread puts all its events before the lock's holder gives it back. */
static bool put_while_locked(struct recording *writer)
{
	pthread_t thread;
	struct process_held held;
	bool is_done;

	pthread_create(&thread, NULL, put_events, writer);
	turn_await(writer, 1);
	held = process_lock();
	atomic_fetch_add(&process_control.generation, 1);
	writer->turn = 2;
	is_done = turn_await(writer, 3);
	process_unlock(&held);
	pthread_join(thread, NULL);
	return is_done;
}

static void test_goes_on(bool is_known, const char *kind)
{
	struct recording writer = { .is_known = is_known };
	trace_id_t trid = stream_begin();

	ok(put_while_locked(&writer),
		"%s returns from a thousand trace points while another thread has the lock and never gives "
		"it back",
		kind);
	ok(writer.n_switches == 0, "it does not sleep in any of them");
	ok(!writer.is_current, "it will look again");
	is_number(n_read(trid), (uint64_t)N_EVENTS + is_known, "its events are in the stream that there was");
	is_number(n_lost(trid), 0, "none is lost");
	ok(writer.error == EDOM, "errno is kept");
	posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, NULL, 0);
	ok(process_self.epoch == process_epoch(),
		"the next event behind the lock brings thread and process up to date");
	posix_trace_shutdown(trid);
}

/* As if a controller had announced a stream that another thread is about to attach. */
static void test_missed(void)
{
	trace_id_t trid = stream_begin();
	const uint64_t attached = atomic_load(&process_attached);
	struct process_held held = process_lock();

	process_miss(0);
	process_catch_up();
	process_unlock(&held);
	is_number(n_lost(trid), 1,
		"an event that a running stream missed while it was attached counts as lost there");
	process_miss(attached);
	held = process_lock();
	process_catch_up();
	process_unlock(&held);
	is_number(n_lost(trid), 1, "one that went to the stream does not");
	posix_trace_stop(trid);
	held = process_lock();
	process_miss(0);
	process_catch_up();
	process_unlock(&held);
	is_number(n_lost(trid), 1, "nor does one that came before the stream ran");
	posix_trace_shutdown(trid);
}

int main(void)
{
	test_goes_on(true, "a thread");
	test_goes_on(false, "a thread that makes its first event");
	test_missed();
	return tap_done();
}
