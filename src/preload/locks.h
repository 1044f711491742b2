/* SPDX-License-Identifier: MIT */
/*
 * Locks of the calling thread that are recorded as held: where a trace has a lock taken it must have it released, though
 * most are released unrecorded. Few at a time: the oldest of too many is forgotten, and released unrecorded.
 */
#ifndef PRELOAD_LOCKS_H
#define PRELOAD_LOCKS_H

#include <stdbool.h>

void held_add(const void *lock);
/* Whether it was one of them. */
bool held_drop(const void *lock);

#endif
