/* SPDX-License-Identifier: MIT */
/*
 * A program that reads its own events while it makes them, in a thread beside the work. There are two ways:
 *
 *	cc -pthread -o self_reader self_reader.c $(pkg-config --cflags --libs posixtrace)
 *	./self_reader wait	posix_trace_getnext_event() waits for each event
 *	./self_reader poll	poll(2) waits for a descriptor, among others perhaps, then all that is there is read
 *
 * Nobody is woken by a trace point: an event is seen up to 10 ms after it was made.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace.h>

#define N_STEPS 5

static trace_id_t trid;
static trace_event_id_t step, done;

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(EXIT_FAILURE);
}

/* False: that was the last one. */
static int print_event(const struct posix_trace_event_info *event, const void *data, size_t length)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	int number = 0;

	check(posix_trace_eventid_get_name(trid, event->posix_event_id, name),
		"posix_trace_eventid_get_name");
	memcpy(&number, data, length < sizeof number ? length : sizeof number);
	printf("%ld.%09ld  thread %d  %s", (long)event->posix_timestamp.tv_sec,
		event->posix_timestamp.tv_nsec, (int)event->posix_tid_np, name);
	if (posix_trace_eventid_equal(trid, event->posix_event_id, step))
		printf(" %d", number);
	printf("\n");
	return !posix_trace_eventid_equal(trid, event->posix_event_id, done);
}

static void *read_waiting(void *unused)
{
	struct posix_trace_event_info event;
	char data[64];
	size_t length;
	int unavailable, goes_on = 1, error;

	while (goes_on) {
		error = posix_trace_getnext_event(trid, &event, data, sizeof data, &length, &unavailable);
		if (error == EINTR) /* a signal was handled meanwhile */
			continue;
		check(error, "posix_trace_getnext_event");
		goes_on = print_event(&event, data, length);
	}
	return unused;
}

/*
 * The descriptor stays readable until an attempt to read has found nothing: so read until nothing is there.
 */
static void *read_polling(void *unused)
{
	struct posix_trace_event_info event;
	struct pollfd look = { .fd = -1, .events = POLLIN };
	char data[64];
	size_t length;
	int unavailable, goes_on = 1;

	check(posix_trace_getfd_np(trid, &look.fd), "posix_trace_getfd_np");
	while (goes_on && (poll(&look, 1, -1) > 0 || errno == EINTR)) {
		do {
			check(posix_trace_trygetnext_event(
				      trid, &event, data, sizeof data, &length, &unavailable),
				"posix_trace_trygetnext_event");
			if (!unavailable)
				goes_on = print_event(&event, data, length);
		} while (goes_on && !unavailable);
	}
	return unused;
}

static void work(void)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	for (int number = 1; number <= N_STEPS; number++) {
		posix_trace_event(step, &number, sizeof number);
		nanosleep(&pause, NULL);
	}
	posix_trace_event(done, NULL, 0);
}

int main(int argc, char **argv)
{
	int polls = argc > 1 && strcmp(argv[1], "poll") == 0;
	pthread_t reader;

	check(posix_trace_eventid_open("step", &step), "posix_trace_eventid_open");
	check(posix_trace_eventid_open("done", &done), "posix_trace_eventid_open");
	check(posix_trace_create(0, NULL, &trid), "posix_trace_create");
	check(pthread_create(&reader, NULL, polls ? read_polling : read_waiting, NULL), "pthread_create");
	check(posix_trace_start(trid), "posix_trace_start");
	work();
	check(pthread_join(reader, NULL), "pthread_join");
	check(posix_trace_shutdown(trid), "posix_trace_shutdown");
	return EXIT_SUCCESS;
}
