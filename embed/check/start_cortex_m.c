/* SPDX-License-Identifier: MIT */
/* Reset and vectors. */
#include <stdint.h>

#include "embed/check/board.h"
#include "embed/check/semihosting.h"

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];

void reset(void);
void fault(void);
void systick_entry(void);
void timer_entry(void);
void on_tick(uintptr_t place);
void on_timer(uintptr_t place);
int main(void);

enum { N_VECTORS = 16 + 32, VECTOR_RESET = 1, VECTOR_SYSTICK = 15, VECTOR_TIMER = 16 + 8 };

/* Both boards have the timer that interrupts at number 8. */
__attribute__((section(".vectors"), used)) static void *const vectors[N_VECTORS] = {
	[0] = stack_top,
	[VECTOR_RESET] = (void *)reset,
	[2] = (void *)fault,
	[3] = (void *)fault,
	[VECTOR_SYSTICK] = (void *)systick_entry,
	[VECTOR_TIMER] = (void *)timer_entry,
};

void reset(void)
{
	for (uint32_t *at = data_start, *from = data_load; at < data_end;)
		*at++ = *from++;
	for (uint32_t *at = bss_start; at < bss_end;)
		*at++ = 0;
	semihosting_exit((uint32_t)main());
}

void fault(void)
{
	semihosting_print("fault\n");
	semihosting_exit(3);
}

/* Programs that are only counted have no handlers. */
__attribute__((weak)) void on_tick(uintptr_t place)
{
	(void)place;
	fault();
}

__attribute__((weak)) void on_timer(uintptr_t place)
{
	(void)place;
	fault();
}

__attribute__((used)) static void take_tick(uintptr_t place)
{
	board_tick_done();
	on_tick(place);
	board_tick_again();
}

__attribute__((used)) static void take_timer(uintptr_t place)
{
	board_timer_done();
	on_timer(place);
	board_timer_again();
}

/* The place that was interrupted stands in the frame that the processor put on the stack. */
__attribute__((naked)) void systick_entry(void)
{
	__asm__ volatile("mov r0, sp\n\tldr r0, [r0, #24]\n\tldr r1, =take_tick\n\tbx r1\n\t.ltorg");
}

__attribute__((naked)) void timer_entry(void)
{
	__asm__ volatile("mov r0, sp\n\tldr r0, [r0, #24]\n\tldr r1, =take_timer\n\tbx r1\n\t.ltorg");
}
