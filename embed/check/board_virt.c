/* SPDX-License-Identifier: MIT */
/*
 * qemu's RISC-V board "virt": a core-local interruptor whose timer counts at 10 MHz. Its one alarm plays both
 * sources in turn: a tick, and soon after, while the tick's handler is still at work, the device. The next
 * tick is set when both have ended, so they never pile up.
 */
#include "embed/check/board_virt.h"

#define MTIMECMP ((volatile uint32_t *)0x02004000)
#define MTIME	 ((volatile uint32_t *)0x0200bff8)

enum { MIE_TIMER = 1 << 7, SOON = 60 /* ticks of 100 ns; an instruction takes 64 ns */ };

static struct {
	uint32_t n_ticks, is_device_next;
} board;

/* The half that is not written yet is at its highest meanwhile, so that nothing comes too early. */
static void alarm_set(uint32_t n_ticks)
{
	MTIMECMP[1] = 0xffffffff;
	MTIMECMP[0] = MTIME[0] + n_ticks;
	MTIMECMP[1] = 0;
}

uint32_t board_is_device(void)
{
	return board.is_device_next;
}

void board_start(void)
{
}

uint32_t board_stamp(void)
{
	return MTIME[0];
}

void board_timer_start(uint32_t n_ticks)
{
	(void)n_ticks;
}

void board_timer_done(void)
{
	board.is_device_next = 0;
	MTIMECMP[1] = 0xffffffff;
}

void board_trap_end(void)
{
	if (!board.is_device_next)
		alarm_set(board.n_ticks);
}

/* Both by board_trap_end(). */
void board_timer_again(void)
{
}

void board_tick_again(void)
{
}

void board_timer_stop(void)
{
}

/* The clock is slower than those of the other boards. */
void board_tick_start(uint32_t n_ticks)
{
	board.n_ticks = n_ticks / 8;
	alarm_set(board.n_ticks);
	__asm__ volatile("csrs mie, %0" : : "r"(MIE_TIMER));
}

void board_tick_done(void)
{
	board.is_device_next = 1;
	alarm_set(SOON);
}

void board_tick_stop(void)
{
	__asm__ volatile("csrc mie, %0" : : "r"(MIE_TIMER));
}

void board_counter_start(void)
{
}

uint32_t board_counter(void)
{
	return MTIME[0];
}
