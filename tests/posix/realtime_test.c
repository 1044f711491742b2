/* SPDX-License-Identifier: MIT */
/*
 * Trace points of a thread of high priority while streams come and go. All threads are on one processor: a
 * thread without priority makes and shuts down streams, one above it takes the processor away for long, and
 * one above both records. A trace point that waited for a lock of the lowest one would wait as long as the
 * middle one runs.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

static void sleep_ns(long nanoseconds)
{
	nanosleep(&(const struct timespec){ .tv_nsec = nanoseconds }, NULL);
}

static void *thread_hog(void *unused)
{
	must(priority_take(HOG_PRIORITY), "the priority of the middle thread");
	while (!is_over) {
		int64_t begin = now_ns(CLOCK_MONOTONIC);

		while (now_ns(CLOCK_MONOTONIC) - begin < HOG_NS && !is_over)
			;
		sleep_ns(REST_NS);
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
		sleep_ns(POINT_NS);
	}
	return unused;
}

/* --- pages ---------------------------------------------------------------------------------------------- */

/*
 * Whether the kernel can put pages into a process's map beforehand. Sanitizers have pages of their own for
 * each.
 */
static bool may_populate(void)
{
#if defined(MADV_POPULATE_WRITE) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool may = page != MAP_FAILED && madvise(page, 4096, MADV_POPULATE_WRITE) == 0;

	munmap(page, 4096);
	return may;
#else
	return false;
#endif
}

/* A stream of 1 MiB has more than 300 pages. */
static void test_pages(void)
{
	const char *sentence = "10 event: no event of a stream of the process's own waits for a page of it";
	const struct shape shape = { .size = 1 << 20, .policy = POSIX_TRACE_LOOP };
	struct rusage before, after;
	trace_id_t trid;

	if (!may_populate()) {
		skip(sentence, "no MADV_POPULATE_WRITE here, or a sanitizer");
		return;
	}
	trid = stream_run(&shape);
	put_numbers(0, 100);
	getrusage(RUSAGE_THREAD, &before);
	put_numbers(0, 40000);
	getrusage(RUSAGE_THREAD, &after);
	ok(after.ru_minflt - before.ru_minflt < 20, "%s (%ld)", sentence, after.ru_minflt - before.ru_minflt);
	must(posix_trace_shutdown(trid), "shut down");
}

/* --- priorities ----------------------------------------------------------------------------------------- */

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

static void test_priorities(void)
{
	const char *sentence = "10 event: a thread of high priority waits for none of lower priority while a "
			       "thousand streams come "
			       "and go";
	const struct shape shape = { .size = 4096, .policy = POSIX_TRACE_LOOP };
	pthread_t hogging, recording;

	if (!may_have_priority()) {
		skip(sentence, "SCHED_FIFO or a processor of its own is not allowed here");
		return;
	}
	pthread_create(&hogging, NULL, thread_hog, NULL);
	pthread_create(&recording, NULL, put_points, NULL);
	for (int i = 0; i < N_STREAMS; i++)
		must(posix_trace_shutdown(stream_run(&shape)), "a stream comes and goes");
	is_over = true;
	pthread_join(recording, NULL);
	pthread_join(hogging, NULL);
	ok(longest < LONGEST_NS, "%s", sentence);
	printf("# the longest of %llu points: %.3f ms\n", n_points, (double)longest / 1e6);
}

int main(void)
{
	fixture_begin();
	test_pages();
	test_priorities();
	return tap_done();
}
