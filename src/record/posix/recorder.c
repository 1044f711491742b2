/* SPDX-License-Identifier: MIT */
#include "record/posix/recorder.h"
#include "record/posix/stream.h"
#include "record/process/register.h"

void recorder_begin(void)
{
	process_start();
	register_sweep();
}

void recorder_begin_private(void)
{
	register_keep_private();
	process_start();
}

void recorder_end(void)
{
	streams_leave();
	register_end();
}
