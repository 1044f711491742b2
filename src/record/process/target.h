/* SPDX-License-Identifier: MIT */
/*
 * Another process as the target of a stream. All that is needed are files in the directory of the target's
 * user: its control page, its map of names, and the pool. The target need not run, nor cooperate: its next
 * trace point finds the change; and a program that it execs, even behind one without trace points, finds the
 * page when it starts.
 *
 * All mappings here are guarded (guard.h): the target's user can truncate or overwrite the files, but damages
 * only that stream.
 */
#ifndef PROCESS_TARGET_H
#define PROCESS_TARGET_H

#include "record/buffer/pool.h"
#include "record/process/names.h"
#include "record/rendezvous/control.h"
#include "record/rendezvous/permit.h"

struct target {
	struct permit permit;
	struct control *control;	 /* NULL if there is no target */
	struct control_names names_file; /* named by the control page */
	uint32_t
		/* whose directory has page and names: the target's uid, or its uid before setuid() */
		page_uid;
	struct names *names;
	int directory; /* while the stream is made; -1 */
	int slot;      /* -1 if not attached */
};

/*
 * Opens the target's page and names, or makes them. Returns 0; EPERM, ESRCH, EINVAL as permit_trace();
 * ENOMEM; EAGAIN if this user's processes have too many streams. Here and below, ESTALE means that the target
 * calls exec right now or, if `waits`, was just forked: try again from the beginning. target_forget() ends
 * it.
 */
int target_open(struct target *ret_target, const struct permit *permit, bool waits);
/* Enters the pool in the target's page. EAGAIN: no free slot; ESRCH: the target has ended meanwhile. */
int target_attach(struct target *target, const struct pool *pool, bool is_inherited);
void target_detach(struct target *target, const struct pool *pool);
void target_forget(struct target *target);
/* A new descriptor of the target's names, for the consumer. */
int target_names_open(const struct target *target, int *ret_fd);

/* The time at which a stream is attached, on the clock of process start times. */
uint64_t target_now(void);

#endif
