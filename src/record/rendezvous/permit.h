/* SPDX-License-Identifier: MIT */
/*
 * Which process may trace which. POSIX leaves it open ("appropriate privileges"). Allowed is what the kernel
 * allows a debugger (ptrace(2), "Ptrace access mode checking", PTRACE_MODE_ATTACH_REALCREDS), without Yama's
 * restriction to descendants: root, with CAP_SYS_PTRACE, may trace all processes; other processes those with
 * the same real, effective and saved user and group that are dumpable and have no capability which the caller
 * lacks. No process may trace programs with more rights than their user (AT_SECURE: set-user-ID and the
 * like), which look at no control page; nor programs that seccomp confines more than the caller (as their
 * first thread is confined), because the system calls that attach might end them.
 *
 * A tracer may be any program, without this check. So the target checks as well: see permit_is_open().
 */
#ifndef RENDEZVOUS_PERMIT_H
#define RENDEZVOUS_PERMIT_H

#include "record/rendezvous/identity.h"
#include <sys/types.h>

struct permit {
	struct identity process;
	uint32_t uid;	/* whose directory the target uses: directory_uid() */
	uint32_t gid;	/* its real gid */
	bool is_closed; /* only root may trace it: permit_is_open() is false in it */
};

/*
 * Returns 0; EINVAL if the pid is negative; ESRCH if there is no such process (threads, zombies and processes
 * of other pid namespaces do not count); EPERM; EMFILE, ENFILE, ENOMEM. pid 0, or the caller's own, is the
 * caller, which is always permitted; its start stays 0 if /proc does not show it. errno is kept. Not
 * async-signal-safe.
 */
int permit_trace(pid_t pid, struct permit *ret_permit);
/*
 * Whether other processes of this user and group may trace the caller; otherwise it accepts only streams that
 * root made, or the process itself. errno is kept; async-signal-safe.
 */
bool permit_is_open(uint32_t uid, uint32_t gid);
/* Whether seccomp confines a process more than the caller, now. errno is kept. */
bool permit_is_confined(uint32_t pid);

#endif
