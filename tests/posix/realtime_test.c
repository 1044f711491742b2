/* SPDX-License-Identifier: MIT */
/*
 * What a thread of high priority sees of streams that come and go. All threads are on one processor: a thread without
 * priority makes and shuts down streams, one above it takes the processor away for long, and one above both records. A trace
 * point that waited for what the lowest one holds would wait as long as the middle one runs.
 */
#include "tests/posix/kit.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

enum { N_STREAMS = 1000, HOG_PRIORITY = 10, POINT_PRIORITY = 20 };

#define HOG_NS	   200000000 /* the old recorder waited for at least half of that */
#define REST_NS	   50000000
#define POINT_NS   100000
#define LONGEST_NS 50000000

static _Atomic bool is_over;
static int64_t longest;
static unsigned long long n_points;

static int priority_take(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	return pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
}

static void nap(long nanoseconds)
{
	nanosleep(&(const struct timespec){ .tv_nsec = nanoseconds }, NULL);
}

static void *hog(void *unused)
{
	must(priority_take(HOG_PRIORITY), "the priority of the middle thread");
	while (!is_over) {
		int64_t begin = now_ns(CLOCK_MONOTONIC);

		while (now_ns(CLOCK_MONOTONIC) - begin < HOG_NS && !is_over)
			;
		nap(REST_NS);
	}
	return unused;
}

static void *put_points(void *unused)
{
	must(priority_take(POINT_PRIORITY), "the priority of the highest thread");
	while (!is_over) {
		int64_t begin = now_ns(CLOCK_MONOTONIC), took;

		posix_trace_event(POSIX_TRACE_UNNAMED_USEREVENT, &n_points, sizeof n_points);
		took = now_ns(CLOCK_MONOTONIC) - begin;
		longest = took > longest ? took : longest;
		n_points++;
		nap(POINT_NS);
	}
	return unused;
}

static bool may_have_priority(void)
{
	const struct sched_param none = { 0 };
	cpu_set_t one;
	int error = priority_take(HOG_PRIORITY);

	CPU_ZERO(&one);
	CPU_SET((unsigned int)sched_getcpu(), &one);
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &none);
	return error == 0 && pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

int main(void)
{
	const char *sentence = "10: a thread of high priority waits for none of lower priority while a "
			       "thousand streams come "
			       "and go";
	const struct shape shape = { .size = 4096, .policy = POSIX_TRACE_LOOP };
	pthread_t hogging, recording;

	kit_begin();
	if (!may_have_priority()) {
		skip(sentence, "SCHED_FIFO or a processor of its own is not allowed here");
		return tap_done();
	}
	pthread_create(&hogging, NULL, hog, NULL);
	pthread_create(&recording, NULL, put_points, NULL);
	for (int i = 0; i < N_STREAMS; i++)
		must(posix_trace_shutdown(stream_run(&shape)), "a stream comes and goes");
	is_over = true;
	pthread_join(recording, NULL);
	pthread_join(hogging, NULL);
	ok(longest < LONGEST_NS, "%s", sentence);
	printf("# the longest of %llu points: %.3f ms\n", n_points, (double)longest / 1e6);
	return tap_done();
}
