/* SPDX-License-Identifier: MIT */
#include "record/posix/stream.h"

#include <string.h>

#define SECOND_NS 1000000000

static struct timespec info_time_of(int64_t nanoseconds)
{
	struct timespec time = { .tv_sec = (time_t)(nanoseconds / SECOND_NS),
		.tv_nsec = (long)(nanoseconds % SECOND_NS) };

	if (time.tv_nsec < 0) {
		time.tv_sec--;
		time.tv_nsec += SECOND_NS;
	}
	return time;
}

/* The standard leaves the type pthread_t open: only its bytes are known. */
static pthread_t thread_of(uint64_t bits)
{
	const uintptr_t word = (uintptr_t)bits;
	pthread_t thread;

	_Static_assert(sizeof(thread) == sizeof(word), "a pthread_t is a word");
	memcpy(&thread, &word, sizeof(thread));
	return thread;
}

void event_info(const struct log_event *event, int64_t time, uint64_t sequence,
	struct posix_trace_event_info *ret_info)
{
	*ret_info = (struct posix_trace_event_info){
		.posix_event_id = event->type,
		.posix_pid = (pid_t)event->pid,
		.posix_prog_address = (void *)(uintptr_t)event->address,
		.posix_thread_id = thread_of(event->thread),
		.posix_timestamp = info_time_of(time),
		.posix_truncation_status = event->flags & LOG_EVENT_CUT ? POSIX_TRACE_TRUNCATED_RECORD
									: POSIX_TRACE_NOT_TRUNCATED,
		.posix_tid_np = (pid_t)event->tid,
		.posix_cpu_np = event->cpu == LOG_NO_CPU ? -1 : event->cpu,
		.posix_sequence_np = sequence,
	};
}
