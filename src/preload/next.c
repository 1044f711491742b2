/* SPDX-License-Identifier: MIT */
/*
 * The functions behind ours: the C library's, or those of another library in front of it. Some have old
 * versions for very old programs. Until glibc 2.36, the dynamic linker gave the oldest version to a lookup
 * without a version.
 */
#include "preload/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static void *next_look_up(const struct next *next)
{
	void *found = NULL;

#ifdef __GLIBC__
	if (next->version)
		found = dlvsym(RTLD_NEXT, next->name, next->version);
#endif
	return found ? found : dlsym(RTLD_NEXT, next->name);
}

/*
 * Finds the function. If no library has it, the result is NULL, and the program calls NULL as it would
 * without us; such a program cannot be linked.
 */
void (*next_find(struct next *next))(void)
{
	int error = errno;
	void *found = next_look_up(next);
	void (*function)(void);

	_Static_assert(
		sizeof(function) == sizeof(found), "POSIX: functions and objects have addresses alike");
	memcpy(&function, &found, sizeof(function));
	__atomic_store_n(&next->function, function, __ATOMIC_RELAXED);
	errno = error;
	return function;
}
