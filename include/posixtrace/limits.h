/* SPDX-License-Identifier: MIT */
/* <limits.h> as POSIX.1-2017 has it where there is tracing: that of the system, and TRACE_NAME_MAX and its kin. */
#pragma GCC system_header
#include_next <limits.h>
#ifdef _POSIX_C_SOURCE
#include <trace_limits_np.h>
#endif
