/* SPDX-License-Identifier: MIT */
/*
 * Names of threads. Each thread writes its name at its first event, when a stream has come, and at its end. A
 * pool is read later, when a thread may have ended and /proc no longer has its name. A thread's number
 * selects its slot, without a search; a later thread whose number differs by a multiple of POOL_TASKS
 * replaces it. A slot is valid if its check is right; two threads that write it at once leave it invalid. The
 * release store of the check pairs with the acquire load in task_get().
 *
 * Async-signal-safe.
 */
#ifndef PROCESS_TASKS_H
#define PROCESS_TASKS_H

#include "record/buffer/pool.h"

#define TASK_NAME_BYTES 16

void task_put(const struct pool *pool, uint32_t pid, uint32_t tid, const char name[TASK_NAME_BYTES]);
/* Returns false if the thread has written no name, or another one has its slot. The name ends with NUL. */
bool task_find(const struct pool *pool, uint32_t pid, uint32_t tid, char ret_name[TASK_NAME_BYTES]);
/*
 * Replaces the names of this process's threads by their present ones, for threads that run and are in the
 * table.
 */
void task_refresh(const struct pool *pool, uint32_t pid);

#endif
