/* SPDX-License-Identifier: MIT */
/*
 * Runs each record to be counted CHECK_EVENTS times between two marks, and its base likewise: "NAME record
 * TICKS", "NAME base TICKS". A trace of every instruction finds the marks by their names.
 */
#include "embed/check/board.h"
#include "embed/check/check.h"
#include "embed/check/print.h"

volatile uint32_t check_ticks;

void mark_begin(void);
void mark_end(void);

__attribute__((noinline, used)) void mark_begin(void)
{
	__asm__ volatile("nop");
}

__attribute__((noinline, used)) void mark_end(void)
{
	__asm__ volatile("nop");
}

void check_report(const char *name, uint32_t number)
{
	(void)name, (void)number;
}

void check_write(const void *bytes, uint32_t n_bytes)
{
	(void)bytes, (void)n_bytes;
}

/* The time between events: mostly one byte or two, as a variable-length number has them. */
static __attribute__((noinline)) uint32_t run(void (*step)(uint32_t i))
{
	uint32_t begin;

	mark_begin();
	begin = board_counter();
	for (uint32_t i = 0; i < CHECK_EVENTS; i++) {
		check_ticks += 100;
		step(i);
	}
	begin = (board_counter() - begin) & 0xffffff;
	mark_end();
	return begin;
}

int main(void)
{
	check_start();
	board_counter_start();
	for (const struct check_count *count = check_counts; count->name; count++) {
		print_line(count->name, " record", run(count->record));
		print_line(count->name, " base", run(count->base));
	}
	return 0;
}
