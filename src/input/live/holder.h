/* SPDX-License-Identifier: MIT */
/* Which other process has a device open. */
#ifndef INPUT_LIVE_HOLDER_H
#define INPUT_LIVE_HOLDER_H

#include <stdbool.h>

struct holder {
	long pid;
	char name[64]; /* as /proc/PID/comm, safe to show */
};

/* The first process that is found. Returns false if there is none that we may look into. */
bool holder_find(const char *path, struct holder *ret_holder);

#endif
