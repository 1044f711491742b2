/* SPDX-License-Identifier: MIT */
/*
 * The device /dev/systrctl, which AIX has and Linux lacks: programs that include <sys/trcctl.h> call these
 * functions in place of open() and ioctl(). They get a descriptor of /dev/null, which supports everything
 * that descriptors do.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/trcctl.h>
#include <unistd.h>

#define DEVICE "/dev/systrctl"

enum { NULL_MAJOR = 1, NULL_MINOR = 3 };

static bool needs_mode(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

static int device_open(const char *path, int flags, mode_t mode)
{
	return openat(AT_FDCWD, path && strcmp(path, DEVICE) == 0 ? "/dev/null" : path, flags, mode);
}

int aixtrace_open(const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode = 0;

	va_start(rest, flags);
	if (needs_mode(flags))
		mode = va_arg(rest, mode_t);
	va_end(rest);
	return device_open(path, flags, mode);
}

/* Does the same as libc's function, which is for calls without a mode that the compiler could not check. */
int aixtrace_open_2(const char *path, int flags)
{
	if (needs_mode(flags))
		abort();
	return device_open(path, flags, 0);
}

static bool is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(NULL_MAJOR, NULL_MINOR);
}

int aixtrace_ioctl(int fd, unsigned long request, ...)
{
	static const struct {
		unsigned long number;
		int (*run)(int channel);
	} requests[] = { { TRCON, trcon }, { TRCOFF, trcoff }, { TRCSTOP, trcstop } };
	va_list rest;
	void *argument;

	va_start(rest, request);
	argument = va_arg(rest, void *);
	va_end(rest);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (request == requests[i].number && is_device(fd))
			return requests[i].run(0);
	return (int)syscall(SYS_ioctl, fd, request, argument);
}
