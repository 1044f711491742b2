/* SPDX-License-Identifier: MIT */
/* Hook words of 32 bits, 2 cores. */
#define RASTRUM_AIX_WORD_BYTES 4
#define RASTRUM_N_CORES	       2

#include "embed/aix/replay.inc"

int main(void)
{
	return replay_main();
}
