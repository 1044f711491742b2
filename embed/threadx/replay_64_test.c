/* SPDX-License-Identifier: MIT */
/* The same with words of 64 bits, on several cores. */
static unsigned replay_core(void);

#define TX_TRACE_WORD_BITS 64
#define RASTRUM_N_CORES	   4
#define RASTRUM_CORE()	   replay_core()

#include "embed/threadx/replay.inc"

static unsigned replay_core(void)
{
	return (unsigned)(replay.now->words[WORD_ID] >> 24);
}

int main(void)
{
	replay_image("tests/data/threadx/smp_ulong64.trx", 0);
	return tap_done();
}
