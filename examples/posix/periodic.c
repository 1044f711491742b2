/* SPDX-License-Identifier: MIT */
/*
 * A task with a period of 2 ms that notices when it overruns, with typed trace points of one line each and a
 * log.
 *
 *	cc -o periodic periodic.c $(pkg-config --cflags --libs posixtrace)
 *	./periodic periodic.rst
 *	rastrum report --type overrun periodic.rst
 *
 * Try it without the stream: then a trace point costs a load and a branch.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace_point_np.h>
#include <unistd.h>

#define SECOND	 1000000000L
#define PERIOD	 2000000L /* nanoseconds */
#define N_CYCLES 200

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(EXIT_FAILURE);
}

static long nanoseconds_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * SECOND + (now.tv_nsec - from->tv_nsec);
}

static void add_nanoseconds(struct timespec *time, long nanoseconds)
{
	time->tv_nsec += nanoseconds;
	time->tv_sec += time->tv_nsec / SECOND;
	time->tv_nsec %= SECOND;
}

/* Half a period as a rule; each fiftieth cycle takes more than two. */
static void work(int cycle)
{
	long enough = cycle % 50 == 49 ? 5 * PERIOD / 2 : PERIOD / 2;
	struct timespec begin;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	while (nanoseconds_since(&begin) < enough)
		;
}

/* The log calls the arguments of the trace points as they are called here: cycle, late, used, missed. */
static int run_periodic(void)
{
	struct timespec next;
	int n_overruns = 0;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (int cycle = 0; cycle < N_CYCLES; cycle++) {
		add_nanoseconds(&next, PERIOD);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		long late = nanoseconds_since(&next);
		POSIX_TRACE_EVENT_NP(cycle_begin, cycle, late);
		work(cycle);
		long used = nanoseconds_since(&next);
		POSIX_TRACE_EVENT_NP(cycle_end, cycle, used);
		long missed = used / PERIOD;
		if (missed == 0)
			continue;
		POSIX_TRACE_EVENT_NP(overrun, cycle, used, missed);
		add_nanoseconds(&next, missed * PERIOD); /* do not run after what cannot be caught up with */
		n_overruns++;
	}
	return n_overruns;
}

/* A stream with a log is flushed by itself (POSIX_TRACE_FLUSH); this log may grow as it wants. */
static trace_id_t stream_begin(int log_fd)
{
	trace_attr_t attr;
	trace_id_t trid;

	check(posix_trace_attr_init(&attr), "posix_trace_attr_init");
	check(posix_trace_attr_setname(&attr, "periodic"), "posix_trace_attr_setname");
	check(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND),
		"posix_trace_attr_setlogfullpolicy");
	check(posix_trace_create_withlog(0, &attr, log_fd, &trid), "posix_trace_create_withlog");
	check(posix_trace_attr_destroy(&attr), "posix_trace_attr_destroy");
	check(posix_trace_start(trid), "posix_trace_start");
	return trid;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "periodic.rst";
	int log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	struct posix_trace_status_info status;

	if (log_fd < 0) {
		perror(path);
		return EXIT_FAILURE;
	}
	trace_id_t trid = stream_begin(log_fd);
	int n_overruns = run_periodic();
	check(posix_trace_get_status(trid, &status), "posix_trace_get_status");
	check(posix_trace_shutdown(trid), "posix_trace_shutdown"); /* the log is complete when it returns */
	close(log_fd);
	printf("%d cycles, %d overruns, %llu events lost: %s\n", N_CYCLES, n_overruns, status.posix_lost_np,
		path);
	return EXIT_SUCCESS;
}
