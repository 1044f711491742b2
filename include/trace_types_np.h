/* SPDX-License-Identifier: MIT */
/*
 * The types of tracing, which POSIX.1-2017 wants in <sys/types.h> and in <trace.h>: <trace.h> has them, and
 * the <sys/types.h> of include/posixtrace. Neither struct timespec nor the limits are wanted there, so that
 * both are spelt out.
 */
#ifndef POSIX_TRACE_TYPES_NP_H
#define POSIX_TRACE_TYPES_NP_H

#define POSIX_TRACE_SET_WORDS_NP  17 /* (64 + TRACE_USER_EVENT_MAX) / 64 */
#define POSIX_TRACE_NAME_BYTES_NP 64 /* TRACE_NAME_MAX + 1 */

struct posix_trace_time_np_ {
	long long posix_trace_seconds;
	long posix_trace_nanoseconds;
};

typedef int trace_id_t;
/*
 * Small dense numbers: 1 to 63 are system events, 64 is the unnamed user event, the process tree's own
 * follow.
 */
typedef unsigned int trace_event_id_t;
typedef struct {
	unsigned long long posix_trace_word[POSIX_TRACE_SET_WORDS_NP];
} trace_event_set_t;

/*
 * Holds no pointer and may be copied by the library only. An object that was never initialised is recognised.
 */
typedef struct {
	unsigned int posix_trace_mark;
	int posix_trace_stream_policy; /* 0 if it is not set, which is LOOP, or FLUSH when a log is given */
	int posix_trace_log_policy;
	int posix_trace_inheritance;
	int posix_trace_switches;
	int posix_trace_rare;
	int posix_trace_compress;
	int posix_trace_unused;
	unsigned long long posix_trace_stream_size;
	unsigned long long posix_trace_log_size;
	unsigned long long posix_trace_data_size;
	struct posix_trace_time_np_ posix_trace_created;
	struct posix_trace_time_np_ posix_trace_resolution;
	char posix_trace_version[POSIX_TRACE_NAME_BYTES_NP];
	char posix_trace_name[POSIX_TRACE_NAME_BYTES_NP];
} trace_attr_t;

#endif
