/* SPDX-License-Identifier: MIT */
/* Hook words of 64 bits, one core. */
#define RASTRUM_AIX_WORD_BYTES 8
#define RASTRUM_N_CORES	       1

#include "tests/aix_feed.h"

int main(void)
{
	return feed_main();
}
