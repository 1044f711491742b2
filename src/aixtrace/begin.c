/* SPDX-License-Identifier: MIT */
/*
 * Runs when the library is loaded: its header opens its flag, and sessions attach the process before its
 * first hook.
 */
#include <trace_point_np.h>

#include "aixtrace/channel.h"

static void __attribute__((constructor)) aixtrace_begin(void)
{
	channel_come();
}
