/* SPDX-License-Identifier: MIT */
/* Threads and signal handlers on the port of POSIX, in words of this machine. */
#define RASTRUM_PORT_PTHREAD

#include "tests/aix_hammer.h"

int main(void)
{
	return hammer_main();
}
