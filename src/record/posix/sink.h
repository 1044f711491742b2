/* SPDX-License-Identifier: MIT */
/*
 * A second receiver of this process's events beside its streams. While it is set, trace points call it for
 * each event on their slow path. To send events there, its owner attaches an empty stream, which no thread's
 * fast path takes (bridge/).
 */
#ifndef POSIX_SINK_H
#define POSIX_SINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <trace.h>

/* Receives one event. Async-signal-safe, keeps errno. */
typedef void slow_path_sink(trace_event_id_t type, const void *data, size_t length);

/* NULL: none. Relaxed: a trace point that runs while it changes may call it once more, or not yet. */
extern slow_path_sink *_Atomic event_sink __attribute__((visibility("hidden")));

static inline slow_path_sink *event_sink_load(void)
{
	return atomic_load_explicit(&event_sink, memory_order_relaxed);
}

#endif
