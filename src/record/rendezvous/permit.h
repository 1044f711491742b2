/* SPDX-License-Identifier: MIT */
/*
 * Who may trace whom. POSIX leaves it open ("appropriate privileges"); we allow what the kernel allows a debugger (ptrace(2),
 * "Ptrace access mode checking", PTRACE_MODE_ATTACH_REALCREDS), without Yama's restriction to descendants: root, with
 * CAP_SYS_PTRACE, may trace all; others processes whose real, effective and saved user and group are theirs, which are
 * dumpable and have no capability that the caller has not. Nobody may trace programs to which the kernel gave more rights
 * than their user has (AT_SECURE: set-user-ID and the like), which look at no control page; nor, for the system calls with
 * which they would attach might end them, programs that seccomp confines more than the caller (as their first thread is
 * confined).
 *
 * A tracer may be any program, without this check. So the target checks as well: see permit_is_open().
 */
#ifndef RENDEZVOUS_PERMIT_H
#define RENDEZVOUS_PERMIT_H

#include "record/rendezvous/identity.h"
#include <sys/types.h>

struct permit {
	struct identity process;
	uint32_t uid;	/* in whose directory the target meets others: directory_uid() */
	uint32_t gid;	/* its real one */
	bool is_closed; /* root alone may trace it: permit_is_open() is false in it */
};

/*
 * 0; EINVAL: the pid is negative; ESRCH: no such process (threads, zombies and processes of other pid namespaces are none);
 * EPERM; EMFILE, ENFILE, ENOMEM. pid 0, or the caller's: the caller, always, and if /proc does not tell when it began, with
 * that left 0. errno is kept. Not async-signal-safe.
 */
int permit_trace(pid_t pid, struct permit *ret_permit);
/*
 * Whether other processes of this user and group may trace the caller: else it takes part only in streams whose memory root
 * made, or the process itself. errno is kept; async-signal-safe.
 */
bool permit_is_open(uint32_t uid, uint32_t gid);
/* Whether seccomp confines a process more than the caller, as it may have begun to since. errno is kept. */
bool permit_is_confined(uint32_t pid);

#endif
