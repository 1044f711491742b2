/* SPDX-License-Identifier: MIT */
/*
 * Sends events also to the kernel's user_events. While the bridge is off, it costs a process nothing: trace
 * points call it only on their slow path (posix/sink.h). Turning it on attaches an empty stream, which forces
 * that path and enables trace points.
 */
#ifndef BRIDGE_BRIDGE_H
#define BRIDGE_BRIDGE_H

#include <trace_bridge_np.h>

/* The kernel, or its stand-in in tests. */
struct bridge_kernel {
	const char *path;
	int (*control)(int fd, unsigned long request, void *argument); /* as ioctl(2) */
};
extern const struct bridge_kernel bridge_user_events;

/* posix_trace_bridge_np(). A process uses one kernel, the first. */
int bridge_set(const struct bridge_kernel *kernel, const trace_event_set_t *types);

#endif
