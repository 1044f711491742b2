/* SPDX-License-Identifier: MIT */
/*
 * BBC micro:bit, an nRF51 (Cortex-M0): TIMER0 interrupts as number 8, TIMER1 is the clock (nRF51 Reference
 * Manual, 18).
 */
#include "embed/check/systick.h"

#define REGISTER(timer, offset) (*(volatile uint32_t *)(0x40008000 + (timer)*0x1000 + (offset)))

enum {
	TIMER = 0,
	CLOCK = 1,
	TASKS_START = 0x000,
	TASKS_STOP = 0x004,
	TASKS_CLEAR = 0x00c,
	TASKS_CAPTURE = 0x040,
	EVENTS_COMPARE = 0x140,
	SHORTS = 0x200,
	INTENSET = 0x304,
	BITMODE = 0x508,
	PRESCALER = 0x510,
	CC = 0x540,
	BITMODE_32 = 3,
	COMPARE_CLEAR = 1,
	COMPARE_INTERRUPT = 1 << 16
};

void board_start(void)
{
	REGISTER(CLOCK, BITMODE) = BITMODE_32;
	REGISTER(CLOCK, PRESCALER) = 0;
	REGISTER(CLOCK, TASKS_START) = 1;
}

uint32_t board_stamp(void)
{
	REGISTER(CLOCK, TASKS_CAPTURE) = 1;
	return REGISTER(CLOCK, CC);
}

void board_timer_start(uint32_t n_ticks)
{
	device_enable();
	REGISTER(TIMER, BITMODE) = BITMODE_32;
	REGISTER(TIMER, PRESCALER) = 0;
	REGISTER(TIMER, CC) = n_ticks;
	REGISTER(TIMER, SHORTS) = COMPARE_CLEAR;
	REGISTER(TIMER, INTENSET) = COMPARE_INTERRUPT;
	REGISTER(TIMER, TASKS_START) = 1;
}

void board_timer_done(void)
{
	REGISTER(TIMER, EVENTS_COMPARE) = 0;
}

void board_timer_again(void)
{
	REGISTER(TIMER, TASKS_CLEAR) = 1;
	REGISTER(TIMER, EVENTS_COMPARE) = 0;
	device_forget();
}

void board_timer_stop(void)
{
	REGISTER(TIMER, TASKS_STOP) = 1;
}
