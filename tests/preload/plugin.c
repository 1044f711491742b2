/* SPDX-License-Identifier: MIT */
/* A library that the actor loads when it runs. */
#include <unistd.h>

__attribute__((visibility("default"))) int plugin_nap(unsigned int microseconds);
int plugin_nap(unsigned int microseconds)
{
	int result = usleep(microseconds);

	return result + 1; /* so that the call is not the last thing, which leaves no place of its own */
}
