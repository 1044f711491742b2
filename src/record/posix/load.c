/* SPDX-License-Identifier: MIT */
/*
 * The only constructor and destructor of the recorder; recorder.h says which programs are linked with this
 * file.
 */
#include "record/posix/recorder.h"

static void __attribute__((constructor)) load_begin(void)
{
	recorder_begin();
}

static void __attribute__((destructor)) load_end(void)
{
	recorder_end();
}
