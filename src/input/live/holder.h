/* SPDX-License-Identifier: MIT */
/* Finds another process that has a device open. */
#ifndef INPUT_LIVE_HOLDER_H
#define INPUT_LIVE_HOLDER_H

#include <stdbool.h>

struct holder {
	long pid;
	char name[64]; /* from /proc/PID/comm, made safe to show */
};

/*
 * Finds the first other process that has path open. Returns false if none of those that we may inspect has.
 */
bool holder_find(const char *path, struct holder *ret_holder);

#endif
