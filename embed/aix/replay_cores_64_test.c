/* SPDX-License-Identifier: MIT */
/* Hook words of 64 bits, 3 cores. */
#define RASTRUM_AIX_WORD_BYTES 8
#define RASTRUM_N_CORES	       3

#include "embed/aix/replay.inc"

int main(void)
{
	return replay_main();
}
