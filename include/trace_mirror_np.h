/* SPDX-License-Identifier: MIT */
/*
 * <trace_mirror_np.h>: events of <trace.h> that go to the kernel's user_events as well (Linux 6.4 and later with
 * CONFIG_USER_EVENTS), where perf, ftrace and eBPF see them between the kernel's own, at the moment and in the thread in
 * which they happen, and with no stream of ours needed.
 */
#ifndef POSIX_TRACE_MIRROR_NP_H
#define POSIX_TRACE_MIRROR_NP_H

#include <trace.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/*
 * Mirrors the types of the set from now on, in place of those mirrored so far; NULL or an empty set ends it. Types that
 * are opened later are not mirrored until it is called again; system events never are. A child of fork() has no mirror
 * until it asks for its own. "render:draw" is user_events:render_draw to the kernel: what is no letter, digit or _
 * becomes _. An event costs two system calls while the kernel's event is enabled; while any type is mirrored, every
 * trace point takes a longer way.
 *
 * ENOTSUP: the kernel has no user_events, or tracefs is not mounted at /sys/kernel/tracing. EACCES, EPERM: not allowed.
 * EAGAIN, ENOMEM, EMFILE as by posix_trace_create(): the mirror is a stream of the process that takes nothing. Of a type
 * that the kernel refuses (EADDRINUSE: it knows the name with other fields) the first error is returned; the
 * others are mirrored.
 */
int posix_trace_mirror_np(const trace_event_set_t *);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
