/* SPDX-License-Identifier: MIT */
/*
 * <trace_bridge_np.h>: sends events of <trace.h> also to the kernel's user_events (Linux 6.4 and later with
 * CONFIG_USER_EVENTS). There perf, ftrace and eBPF see them among the kernel's own events, at the moment and
 * in the thread in which they happen. This needs no stream.
 */
#ifndef POSIX_TRACE_BRIDGE_NP_H
#define POSIX_TRACE_BRIDGE_NP_H

#include <trace.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/*
 * Writes the events of these types to the kernel from now on; the set replaces that of the last call, and
 * NULL or an empty set ends the bridge. A type that is opened later needs another call. System events are
 * never written. A child of fork() has no bridge until it calls this function itself. The kernel's name of
 * "render:draw" is user_events:render_draw: every character other than a letter, a digit or _ becomes _. An
 * event costs two system calls while the kernel's event is enabled; while the bridge is on, every trace point
 * takes its slow path.
 *
 * If the kernel refuses types, the function returns the first such error; the other types are written.
 *
 * Errors: EACCES, EPERM (not allowed), EADDRINUSE (the kernel has the name with other fields), ENOTSUP (the
 * kernel has no user_events, or tracefs is not mounted at /sys/kernel/tracing). Also EAGAIN, EMFILE, ENFILE,
 * ENOMEM as by posix_trace_create(): the bridge is a stream of the process that takes no events.
 */
int posix_trace_bridge_np(const trace_event_set_t *);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
