/* SPDX-License-Identifier: MIT */
/* Threads and signal handlers on the port of POSIX, in words of this machine. */
#define RASTRUM_PORT_PTHREAD

#include "embed/aix/stress.inc"

int main(void)
{
	return stress_main();
}
