/* SPDX-License-Identifier: MIT */
/* <limits.h> as POSIX.1-2017 defines it for a system with tracing: the system's header, plus the limits of
 * tracing. */
#pragma GCC system_header
#include_next <limits.h>
#ifdef _POSIX_C_SOURCE
#include <trace_limits_np.h>
#endif
