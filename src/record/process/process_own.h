/* SPDX-License-Identifier: MIT */
/*
 * Shared by process.c, register.c, flags.c, attached.c and ranges.c. One lock, with all signals blocked,
 * covers all of it: a signal handler with trace points of its own finds either nothing done or everything.
 */
#ifndef PROCESS_PROCESS_OWN_H
#define PROCESS_PROCESS_OWN_H

#include "record/process/process.h"
#include "record/process/register.h"

struct process_held {
	uint64_t signals;
	int error;
	bool is_blocked;
};

/* Waits: for functions that are no trace points. */
struct process_held process_lock(void);
void process_unlock(const struct process_held *held);

/* With the lock held: follows what has changed since the last time. */
void process_catch_up(void);

/* register.c: gives the process its control page and its names; is_child: it still has its parent's. */
void register_begin(bool is_child);

/*
 * attached.c: attaches and detaches pools as the control page lists them. is_child: the present ones are its
 * parent's.
 */
void attached_follow(bool is_child);
/* Whether this pool is attached in slot n, and mapped: in a child, as its parent had it at the fork. */
bool attached_has(unsigned int slot, const struct identity_file *pool);

/* ranges.c: maps a pool; makes its description last; replaces its memory when it is detached. */
void *range_map(const struct pool *like, int fd);
/* The description that trace points may use for ever; NULL if the pool is in no range. */
const struct pool *range_fill(const struct pool *pool);
void range_retire(const struct pool *pool);

/* Maps the control page, a new one, in place of all enabled flags. */
void flags_follow(void);

#endif
