/* SPDX-License-Identifier: MIT */
/*
 * Locks of the calling thread that are told to be held. Who sees a lock taken must see it given back, though most are given
 * back unseen. Few at a time: the oldest of too many is forgotten, and is given back unseen.
 */
#ifndef PRELOAD_LOCKS_H
#define PRELOAD_LOCKS_H

#include <stdbool.h>

void held_add(const void *lock);
/* Whether it was one of them. */
bool held_drop(const void *lock);

#endif
