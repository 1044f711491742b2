/* SPDX-License-Identifier: MIT */
/*
 * For tests of librastrum-preload.so: a library that is preloaded besides and traces the program that it is
 * loaded into, and its children, into the log named by PRELOAD_LOG. What `rastrum record` does from outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>
#include <unistd.h>

static void must(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "stream: %s: %s\n", what, strerror(error));
	_Exit(99);
}

static __attribute__((constructor)) void stream_begin(void)
{
	const char *path = getenv("PRELOAD_LOG"), *size = getenv("PRELOAD_STREAM_BYTES");
	trace_attr_t attr;
	trace_id_t trid;
	int fd;

	if (!path)
		return;
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	must(fd < 0 ? errno : 0, path);
	unsetenv("PRELOAD_LOG"); /* a program that is executed has no stream of its own */
	must(posix_trace_attr_init(&attr), "posix_trace_attr_init");
	must(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED), "posix_trace_attr_setinherited");
	must(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_FLUSH),
		"posix_trace_attr_setstreamfullpolicy");
	must(posix_trace_attr_setstreamsize(&attr, size ? strtoul(size, NULL, 10) : 4 << 20),
		"posix_trace_attr_setstreamsize");
	must(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND),
		"posix_trace_attr_setlogfullpolicy");
	must(posix_trace_create_withlog(0, &attr, fd, &trid), "posix_trace_create_withlog");
	must(posix_trace_start(trid), "posix_trace_start");
	close(fd);
}
