/* SPDX-License-Identifier: MIT */
/*
 * Who may trace whom. POSIX leaves it open ("appropriate privileges"); we allow what the kernel allows a debugger, without
 * Yama's restriction to descendants: root may trace everybody; others processes whose real, effective and saved user and
 * group are theirs, and which are dumpable. Nobody may trace programs to which the kernel gave more rights than their user
 * has (AT_SECURE: set-user-ID and the like), which look at no control page; nor, for the system calls with which they
 * would attach might end them, programs that seccomp confines more than the caller (as their first thread is confined).
 */
#ifndef RENDEZVOUS_PERMIT_H
#define RENDEZVOUS_PERMIT_H

#include "record/rendezvous/identity.h"
#include <sys/types.h>

struct permit {
	struct identity process;
	uint32_t uid, gid; /* real ones of the target */
};

/*
 * 0; EINVAL: the pid is negative; ESRCH: no such process (threads, zombies and processes of other pid namespaces are none);
 * EPERM; EMFILE, ENFILE, ENOMEM. pid 0, or the caller's: the caller, always, and if /proc does not tell when it began, with
 * that left 0. errno is kept. Not async-signal-safe.
 */
int permit_trace(pid_t pid, struct permit *ret_permit);
/* Whether seccomp confines a process more than the caller, as it may have begun to since. errno is kept. */
bool permit_is_confined(uint32_t pid);

#endif
