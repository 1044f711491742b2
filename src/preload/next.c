/* SPDX-License-Identifier: MIT */
/*
 * The functions behind ours: the C library's, or another library's that stands in front of it, too. Some have old versions
 * for programs of long ago, and the dynamic linker gave the oldest to a lookup without a version until glibc 2.36.
 */
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static void *look_up(const struct next *next)
{
	void *found = NULL;

#ifdef __GLIBC__
	if (next->version)
		found = dlvsym(RTLD_NEXT, next->name, next->version);
#endif
	return found ? found : dlsym(RTLD_NEXT, next->name);
}

/* A program that calls a function that no library has is not linked; it is a call of NULL, as it would be without us. */
void (*next_find(struct next *next))(void)
{
	int error = errno;
	void *found = look_up(next);
	void (*function)(void);

	_Static_assert(
		sizeof(function) == sizeof(found), "POSIX: functions and objects have addresses alike");
	memcpy(&function, &found, sizeof(function));
	__atomic_store_n(&next->function, function, __ATOMIC_RELAXED);
	errno = error;
	return function;
}
