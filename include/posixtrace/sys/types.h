/* SPDX-License-Identifier: MIT */
/*
 * <sys/types.h> as POSIX.1-2017 has it where there is tracing: that of the system, and trace_id_t and its
 * kin.
 */
#pragma GCC system_header
#include_next <sys/types.h>
#include <trace_types_np.h>
