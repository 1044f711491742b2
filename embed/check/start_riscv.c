/* SPDX-License-Identifier: MIT */
/* Reset and traps in machine mode. The device may interrupt the tick's handler. */
#include <stdint.h>

#include "embed/check/board_virt.h"
#include "embed/check/semihosting.h"

extern uint32_t bss_start[], bss_end[];

void reset(void);
void start(void);
void on_tick(uintptr_t place);
void on_timer(uintptr_t place);
int main(void);

enum { CAUSE_TIMER = 7, MSTATUS_MIE = 8 };

/* Non-zero if a handler was interrupted. */
static uint32_t depth;

/* Programs that are only counted have no handlers. */
__attribute__((weak)) void on_tick(uintptr_t place)
{
	(void)place;
	semihosting_exit(3);
}

__attribute__((weak)) void on_timer(uintptr_t place)
{
	(void)place;
	semihosting_exit(3);
}

/* mepc and mstatus are kept by hand while another trap is let in. */
__attribute__((interrupt("machine"), aligned(4))) static void trap(void)
{
	uintptr_t cause, place, status;

	__asm__ volatile("csrr %0, mcause\n\tcsrr %1, mepc\n\tcsrr %2, mstatus"
			 : "=r"(cause), "=r"(place), "=r"(status));
	if (cause != (0x80000000 | CAUSE_TIMER)) {
		semihosting_print("fault\n");
		semihosting_exit(3);
	}
	depth++;
	if (board_is_device()) {
		board_timer_done();
		on_timer(place);
	} else {
		board_tick_done();
		__asm__ volatile("csrs mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
		on_tick(place);
		__asm__ volatile("csrc mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
	}
	if (--depth == 0)
		board_trap_end();
	__asm__ volatile("csrw mepc, %0\n\tcsrw mstatus, %1" : : "r"(place), "r"(status) : "memory");
}

__attribute__((used)) void start(void)
{
	for (uint32_t *at = bss_start; at < bss_end;)
		*at++ = 0;
	__asm__ volatile("csrw mtvec, %0\n\tcsrs mstatus, %1" : : "r"(trap), "r"(MSTATUS_MIE) : "memory");
	semihosting_exit((uint32_t)main());
}

__attribute__((naked, section(".reset"), used)) void reset(void)
{
	__asm__ volatile("la sp, stack_top\n\tj start");
}
