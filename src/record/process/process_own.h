/* SPDX-License-Identifier: MIT */
/* What process.c, register.c, attached.c and ranges.c have together. All is done under one lock, with signals blocked: a
 * handler that has trace points of its own finds either nothing done or everything. */
#ifndef PROCESS_PROCESS_OWN_H
#define PROCESS_PROCESS_OWN_H

#include "record/process/process.h"
#include "record/process/register.h"

struct process_held {
	uint64_t signals;
	int error;
	bool is_blocked;
};

/* For functions that are no trace points: waits. */
struct process_held process_lock(void);
void process_unlock(const struct process_held *held);

/* With the lock held: what happened since the process looked last is followed. */
void process_catch_up(void);

/* register.c: the process gets its control page and its names; is_child: it has a parent's still. */
void register_begin(bool is_child);

/* attached.c: pools come and go as the control page tells. is_child: those that it has now are its parent's. */
void attached_follow(bool is_child);
/* Whether slot n's pool is this one, and in our memory: in a child, as its parent had it at the fork. */
bool attached_has(unsigned int slot, const struct identity_file *pool);

/* ranges.c */
void *range_map(const struct pool *like, int fd);
/* The description that trace points may use for ever; NULL: the pool is in no range. */
const struct pool *range_fill(const struct pool *pool);
void range_retire(const struct pool *pool);

#endif
