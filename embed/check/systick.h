/* SPDX-License-Identifier: MIT */
/*
 * SysTick, which every Cortex-M of ours has (Armv7-M Architecture Reference Manual, B3.3): the tick and the
 * counter.
 */
#ifndef EMBED_CHECK_SYSTICK_H
#define EMBED_CHECK_SYSTICK_H

#include <stdint.h>

#include "embed/check/board.h"

struct systick {
	volatile uint32_t control, reload, value, calibration;
};

#define SYSTICK	  ((struct systick *)0xe000e010)
#define SHPR3	  (*(volatile uint32_t *)0xe000ed20) /* SysTick's priority: its highest byte */
#define ICSR	  (*(volatile uint32_t *)0xe000ed04)
#define NVIC_ICPR (*(volatile uint32_t *)0xe000e280)
#define NVIC_ISER (*(volatile uint32_t *)0xe000e100)
#define NVIC_IPR2 (*(volatile uint32_t *)0xe000e408) /* priorities of interrupts 8 to 11 */

enum {
	SYSTICK_ENABLE = 1,
	SYSTICK_INTERRUPT = 2,
	SYSTICK_PROCESSOR_CLOCK = 4,
	SYSTICK_BITS = 24,
	ICSR_PENDSTCLR = 1 << 25
};

/* The device, number 8, at a middle priority. */
static inline void device_enable(void)
{
	NVIC_IPR2 = 0x80;
	NVIC_ISER = 1u << 8;
}

/* One that came while its handler was at work is forgotten. */
static inline void device_forget(void)
{
	NVIC_ICPR = 1u << 8;
}

/* The lowest priority, so that the device may interrupt it. */
static inline void systick_start(uint32_t n_ticks, uint32_t has_interrupt)
{
	SHPR3 = 0xc0000000;
	SYSTICK->reload = n_ticks - 1;
	SYSTICK->value = 0;
	SYSTICK->control = SYSTICK_ENABLE | SYSTICK_PROCESSOR_CLOCK | has_interrupt;
}

#endif
