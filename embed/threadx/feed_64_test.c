/* SPDX-License-Identifier: MIT */
/* The same with words of 64 bits, on several cores. */
static unsigned feed_core(void);

#define TX_TRACE_WORD_BITS 64
#define RASTRUM_N_CORES	   4
#define RASTRUM_CORE()	   feed_core()

#include "tests/threadx_feed.h"

static unsigned feed_core(void)
{
	return (unsigned)(feed.now->words[WORD_ID] >> 24);
}

int main(void)
{
	feed_image("tests/data/threadx/smp_ulong64.trx", 0);
	return tap_done();
}
