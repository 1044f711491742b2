/* SPDX-License-Identifier: MIT */
/* Arm MPS2 with the Cortex-M3 image AN385: two APB timers that count down at 25 MHz, interrupts 8 and 9. */
#include "embed/check/systick.h"

struct apb_timer {
	volatile uint32_t control, value, reload, interrupt;
};

#define TIMER ((struct apb_timer *)0x40000000)
#define CLOCK ((struct apb_timer *)0x40001000)

enum { TIMER_ENABLE = 1, TIMER_INTERRUPT = 8 };

void board_start(void)
{
	CLOCK->reload = CLOCK->value = 0xffffffff;
	CLOCK->control = TIMER_ENABLE;
}

uint32_t board_stamp(void)
{
	return ~CLOCK->value;
}

void board_timer_start(uint32_t n_ticks)
{
	device_enable();
	TIMER->reload = TIMER->value = n_ticks;
	TIMER->control = TIMER_ENABLE | TIMER_INTERRUPT;
}

void board_timer_done(void)
{
	TIMER->interrupt = 1;
}

void board_timer_again(void)
{
	TIMER->value = TIMER->reload;
	TIMER->interrupt = 1;
	device_forget();
}

void board_timer_stop(void)
{
	TIMER->control = 0;
}
