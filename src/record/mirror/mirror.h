/* SPDX-License-Identifier: MIT */
/*
 * Events that go to the kernel's user_events as well. A process that does not turn the mirror on pays nothing: trace points
 * look here only on their slow path. Turning it on attaches an empty stream, which forces that path and opens the gates.
 */
#ifndef MIRROR_MIRROR_H
#define MIRROR_MIRROR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <trace_mirror_np.h>

/* The kernel, or what a test puts in its place. */
struct mirror_kernel {
	const char *path;
	int (*control)(int fd, unsigned long request, void *argument); /* as ioctl(2) */
};
extern const struct mirror_kernel mirror_user_events;

/* posix_trace_mirror_np(). A process has one kernel, the first. */
int mirror_set(const struct mirror_kernel *kernel, const trace_event_set_t *types);

extern _Atomic bool mirror_is_on __attribute__((visibility("hidden")));
static inline bool mirror_may_want(void)
{
	return __builtin_expect(atomic_load_explicit(&mirror_is_on, memory_order_relaxed), 0);
}

/* One event, if its type is mirrored and the kernel wants it. Async-signal-safe, keeps errno. */
void mirror_event(trace_event_id_t type, const void *data, size_t length);

#endif
