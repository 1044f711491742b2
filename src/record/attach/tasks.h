/* SPDX-License-Identifier: MIT */
/*
 * What threads are called, as they tell it themselves: at their first event, when a stream has come, and at their end.
 * Whoever reads a ring comes later, when a thread may have ended: then /proc knows nothing of it any more. A thread's place
 * follows from its number, so that nothing is searched; it gives way to a thread whose number is a multiple of RING_TASKS
 * away. A place is whole when its check is right; one that two threads write at once is not.
 *
 * Async-signal-safe.
 */
#ifndef ATTACH_TASKS_H
#define ATTACH_TASKS_H

#include "record/attach/ring.h"

#define TASK_NAME_BYTES 16

void task_put(const struct ring *ring, uint32_t pid, uint32_t tid, const char name[TASK_NAME_BYTES]);
/* False: the thread has told nothing, or too many have since. The name ends with NUL. */
bool task_find(const struct ring *ring, uint32_t pid, uint32_t tid, char ret_name[TASK_NAME_BYTES]);
/* What threads of this process are called now, of those that run and have told. */
void task_refresh(const struct ring *ring, uint32_t pid);

#endif
