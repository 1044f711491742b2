/* SPDX-License-Identifier: MIT */
/*
 * A program that has the recorder linked into it and traces itself into the log named by its argument.
 * Preloaded, there are two recorders in it, or, when its functions are visible to libraries, one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace_point_np.h>
#include <unistd.h>

static void must(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "own: %s: %s\n", what, strerror(error));
	exit(1);
}

static void *thread_main(void *argument)
{
	int number = 7;

	POSIX_TRACE_EVENT_NP(own_event, number);
	return argument;
}

int main(int n_arguments, char **arguments)
{
	int fd = n_arguments > 1 ? open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	trace_id_t trid;
	pthread_t thread;

	must(fd < 0 ? errno : 0, "open");
	must(posix_trace_create_withlog(0, NULL, fd, &trid), "posix_trace_create_withlog");
	must(posix_trace_start(trid), "posix_trace_start");
	must(pthread_create(&thread, NULL, thread_main, NULL), "pthread_create");
	must(pthread_join(thread, NULL), "pthread_join");
	must(posix_trace_shutdown(trid), "posix_trace_shutdown");
	return 0;
}
