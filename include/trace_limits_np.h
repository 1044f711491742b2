/* SPDX-License-Identifier: MIT */
/*
 * The limits of tracing. POSIX.1-2017 puts them into <limits.h>; here <trace.h> and the <limits.h> of
 * include/posixtrace include them. The lengths of names and versions do not count the NUL.
 */
#ifndef POSIX_TRACE_LIMITS_NP_H
#define POSIX_TRACE_LIMITS_NP_H

#ifndef _POSIX_TRACE_EVENT_NAME_MAX
#define _POSIX_TRACE_EVENT_NAME_MAX 30
#endif
#ifndef _POSIX_TRACE_NAME_MAX
#define _POSIX_TRACE_NAME_MAX 8
#endif
#ifndef _POSIX_TRACE_SYS_MAX
#define _POSIX_TRACE_SYS_MAX 8
#endif
#ifndef _POSIX_TRACE_USER_EVENT_MAX
#define _POSIX_TRACE_USER_EVENT_MAX 32
#endif
#ifndef TRACE_EVENT_NAME_MAX
#define TRACE_EVENT_NAME_MAX 63
#endif
#ifndef TRACE_NAME_MAX
#define TRACE_NAME_MAX 63
#endif
#ifndef TRACE_SYS_MAX
#define TRACE_SYS_MAX 64
#endif
#ifndef TRACE_USER_EVENT_MAX
#define TRACE_USER_EVENT_MAX 1024
#endif

#endif
