/* SPDX-License-Identifier: MIT */
/*
 * This program traces as one does with Perfetto or with probes (<sys/sdt.h>): a worker renders frames in
 * nested scopes, with a counter and a probe.
 *
 *	cc -o scopes scopes.c $(pkg-config --cflags --libs posixtrace)
 *	./scopes scopes.rst
 *	rastrum report --type 'frame:*' scopes.rst
 *
 * Where the kernel has user_events, `perf record -e 'user_events:*'` sees the same events meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace_bridge_np.h>
#include <trace_probe_np.h>
#include <trace_scope_np.h>
#include <unistd.h>

#define N_FRAMES 20

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(EXIT_FAILURE);
}

static void spend(long microseconds)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000 * microseconds }, NULL);
}

/* The scope ends with the function, by whichever return. */
static int load(int number, const char **ret_texture)
{
	TRACE_EVENT("frame", "load", "number", number);
	*ret_texture = number % 3 ? "stone" : "water";
	DTRACE_PROBE2(cache, lookup, number, *ret_texture);
	if (number % 3)
		return 1; /* it was in the cache */
	spend(500);
	return 0;
}

static void render(int number)
{
	static int n_hits;
	const char *texture;

	TRACE_EVENT("frame", "render", "number", number);
	n_hits += load(number, &texture);
	TRACE_COUNTER("cache", "hits", n_hits);
	TRACE_EVENT_BEGIN("frame", "draw", "texture", texture, "scale", 1.5 * number);
	spend(200);
	TRACE_EVENT_END("frame");
	if (number == N_FRAMES - 1)
		TRACE_EVENT_INSTANT("frame", "last");
}

/* Not being able to is no reason to stop. */
static const char *bridge_begin(void)
{
	trace_event_set_t all;
	int error;

	check(posix_trace_eventset_fill(&all, POSIX_TRACE_ALL_EVENTS), "posix_trace_eventset_fill");
	error = posix_trace_bridge_np(&all);
	if (error == ENOTSUP)
		return "this kernel has no user_events";
	return error ? strerror(error) : "the kernel has them, too";
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "scopes.rst";
	int log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	trace_id_t trid;

	if (log_fd < 0) {
		perror(path);
		return EXIT_FAILURE;
	}
	check(posix_trace_create_withlog(0, NULL, log_fd, &trid), "posix_trace_create_withlog");
	check(posix_trace_start(trid), "posix_trace_start");
	const char *bridged = bridge_begin();
	for (int number = 0; number < N_FRAMES; number++)
		render(number);
	check(posix_trace_bridge_np(NULL), "posix_trace_bridge_np");
	check(posix_trace_shutdown(trid), "posix_trace_shutdown");
	close(log_fd);
	printf("%d frames (%s): rastrum report %s\n", N_FRAMES, bridged, path);
	return EXIT_SUCCESS;
}
