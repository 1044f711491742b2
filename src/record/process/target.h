/* SPDX-License-Identifier: MIT */
/*
 * The process that a stream traces, when it is another one than the controller's. All it takes are files in the directory
 * of the target's user: its control page, its map of names, and the pool. The target need not run, nor know: its next
 * trace point looks; and a program that it execs, or one that has no trace points at all, finds the page when it comes.
 *
 * What is mapped here is guarded (guard.h): the target's user can truncate or overwrite it, and spoils that stream only.
 */
#ifndef PROCESS_TARGET_H
#define PROCESS_TARGET_H

#include "record/buffer/pool.h"
#include "record/process/names.h"
#include "record/rendezvous/control.h"
#include "record/rendezvous/permit.h"

struct target {
	struct permit permit;
	struct control *control;   /* NULL: there is no target */
	struct control_names told; /* as the control page said */
	uint32_t
		page_uid; /* whose directory has page and names: the target's, or who it was before setuid() */
	struct names *names;
	int directory; /* while the stream is made; -1 */
	int slot;      /* -1: not attached */
};

/*
 * Finds, or makes, what the target is reached by. 0; EPERM, ESRCH, EINVAL as permit_trace(); ENOMEM; EAGAIN: too many
 * streams of this user's processes; ESTALE, here and below: it calls exec just now, or, where we may wait, has just been
 * forked: try again from the beginning. target_forget() ends it.
 */
int target_open(struct target *ret_target, const struct permit *permit, bool waits);
/* Tells the target of the pool. EAGAIN: it has too many; ESRCH: it has ended meanwhile. */
int target_attach(struct target *target, const struct pool *pool, bool is_inherited);
void target_detach(struct target *target, const struct pool *pool);
void target_forget(struct target *target);
/* A new descriptor of its names, for the consumer. */
int target_names_open(const struct target *target, int *ret_fd);

/* When a stream was attached, as processes say when they began. */
uint64_t target_now(void);

#endif
