/* SPDX-License-Identifier: MIT */
/*
 * <unistd.h> as POSIX.1-2017 defines it for a system with tracing. It is the system's header, whose C library
 * has no tracing, plus the four options of <trace.h>, at compile time and by sysconf(). All other names of
 * sysconf() go to the C library.
 */
#pragma GCC system_header
#include_next <unistd.h>
#ifndef POSIX_TRACE_UNISTD_NP_H
#define POSIX_TRACE_UNISTD_NP_H

#undef _POSIX_TRACE
#define _POSIX_TRACE 200809L
#undef _POSIX_TRACE_EVENT_FILTER
#define _POSIX_TRACE_EVENT_FILTER 200809L
#undef _POSIX_TRACE_INHERIT
#define _POSIX_TRACE_INHERIT 200809L
#undef _POSIX_TRACE_LOG
#define _POSIX_TRACE_LOG 200809L

#ifdef __cplusplus
extern "C" {
#endif

long posix_trace_sysconf_np(int);

static __inline__ __attribute__((unused)) long posix_trace_sysconf_np_(int posix_name)
{
	switch (posix_name) {
	case _SC_TRACE:
	case _SC_TRACE_EVENT_FILTER:
	case _SC_TRACE_INHERIT:
	case _SC_TRACE_LOG:
	case _SC_TRACE_EVENT_NAME_MAX:
	case _SC_TRACE_NAME_MAX:
	case _SC_TRACE_SYS_MAX:
	case _SC_TRACE_USER_EVENT_MAX:
		return posix_trace_sysconf_np(posix_name);
	default:
		return sysconf(posix_name);
	}
}
#define sysconf(name) posix_trace_sysconf_np_(name)

#ifdef __cplusplus
}
#endif

#endif
