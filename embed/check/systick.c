/* SPDX-License-Identifier: MIT */
#include "embed/check/systick.h"

void board_tick_start(uint32_t n_ticks)
{
	systick_start(n_ticks, SYSTICK_INTERRUPT);
}

void board_tick_done(void)
{
}

void board_tick_again(void)
{
	SYSTICK->value = 0;
	ICSR = ICSR_PENDSTCLR;
}

void board_tick_stop(void)
{
	SYSTICK->control = 0;
}

/* It counts down from 2^24. */
void board_counter_start(void)
{
	systick_start(1u << SYSTICK_BITS, 0);
}

uint32_t board_counter(void)
{
	return ((1u << SYSTICK_BITS) - 1) - SYSTICK->value;
}
