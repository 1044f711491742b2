/* SPDX-License-Identifier: MIT */
/*
 * Locks of the calling thread that are recorded as held: if a trace shows that a lock is taken, it must show
 * its release, though most releases are not recorded. Few are kept at a time: if there are too many, the
 * oldest is dropped, and its release is not recorded.
 */
#ifndef PRELOAD_LOCKS_H
#define PRELOAD_LOCKS_H

#include <stdbool.h>

void held_add(const void *lock);
/* Drops a lock. Returns whether it was recorded as held. */
bool held_drop(const void *lock);

#endif
