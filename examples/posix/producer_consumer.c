/* SPDX-License-Identifier: MIT */
/*
 * Three producers, two consumers, one bounded queue: all threads record into one stream with a log. The
 * functions are the standard's; the description of the data (_np) makes reports say "item=7, n_queued=3"
 * instead of bytes.
 *
 *	cc -pthread -o producer_consumer producer_consumer.c $(pkg-config --cflags --libs posixtrace)
 *	./producer_consumer queue.rst
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <trace.h>

#define N_PRODUCERS 3
#define N_THREADS   5
#define N_EACH	    30 /* items of one producer */
#define QUEUE_MAX   4

/* The fields of every event. */
static const struct posix_trace_field_np fields[] = {
	{ "item", POSIX_TRACE_SIGNED_NP, sizeof(int) },
	{ "n_queued", POSIX_TRACE_SIGNED_NP, sizeof(int) },
};
static trace_event_id_t produced, consumed, must_wait;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the queue */
static pthread_cond_t has_changed = PTHREAD_COND_INITIALIZER;
static int queue[QUEUE_MAX], n_queued, n_consumed;

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(EXIT_FAILURE);
}

static void trace(trace_event_id_t type, int item)
{
	const int data[] = { item, n_queued };

	posix_trace_event(type, data, sizeof data);
}

static void sleep_ms(long milliseconds)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 * milliseconds }, NULL);
}

static void *produce(void *first)
{
	prctl(PR_SET_NAME, "producer");
	for (int item = *(const int *)first, end = item + N_EACH; item < end; item++) {
		sleep_ms(1);
		pthread_mutex_lock(&lock);
		for (; n_queued == QUEUE_MAX; pthread_cond_wait(&has_changed, &lock))
			trace(must_wait, item);
		queue[n_queued++] = item;
		trace(produced, item);
		pthread_cond_broadcast(&has_changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *consume(void *unused)
{
	prctl(PR_SET_NAME, "consumer");
	for (int item = 0; item >= 0; sleep_ms(1)) {
		pthread_mutex_lock(&lock);
		while (n_queued == 0 && n_consumed < N_PRODUCERS * N_EACH)
			pthread_cond_wait(&has_changed, &lock);
		item = n_queued > 0 ? queue[0] : -1; /* all have been consumed */
		if (item >= 0) {
			memmove(queue, queue + 1, (size_t)--n_queued * sizeof queue[0]);
			n_consumed++;
			trace(consumed, item);
		}
		pthread_cond_broadcast(&has_changed);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static trace_event_id_t type_open(const char *name)
{
	trace_event_id_t type;

	check(posix_trace_eventid_open(name, &type), "posix_trace_eventid_open");
	check(posix_trace_eventid_describe_np(type, fields, 2), "posix_trace_eventid_describe_np");
	return type;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "queue.rst";
	int log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), first[] = { 100, 200, 300, 0, 0 };
	pthread_t threads[N_THREADS];
	trace_id_t trid;

	produced = type_open("produced");
	consumed = type_open("consumed");
	must_wait = type_open("must_wait");
	check(posix_trace_create_withlog(0, NULL, log_fd, &trid), "posix_trace_create_withlog");
	check(posix_trace_start(trid), "posix_trace_start");
	for (int i = 0; i < N_THREADS; i++)
		check(pthread_create(&threads[i], NULL, i < N_PRODUCERS ? produce : consume, &first[i]),
			"pthread_create");
	sleep_ms(10);
	check(posix_trace_flush(trid), "posix_trace_flush"); /* names of threads are got while they live */
	for (int i = 0; i < N_THREADS; i++)
		check(pthread_join(threads[i], NULL), "pthread_join");
	check(posix_trace_shutdown(trid), "posix_trace_shutdown");
	printf("%d items went through the queue. What happened: rastrum report %s\n", n_consumed, path);
	return EXIT_SUCCESS;
}
