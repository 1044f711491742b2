/* SPDX-License-Identifier: MIT */
/*
 * Runs an encoder's program while two interrupts fire, one inside the other, at ever different places; then
 * the dump. Says how often they came, how often upon the recorder's own code, and how deep.
 */
#include "embed/check/board.h"
#include "embed/check/check.h"
#include "embed/check/print.h"
#include "embed/check/semihosting.h"

enum { N_STEPS = 300, N_STEPS_MAX = 10 * N_STEPS, N_NESTED_MIN = 3, TICK = 15, TIMER = 24 };

extern const char encoder_start[], encoder_end[];

void on_tick(uintptr_t place);
void on_timer(uintptr_t place);

/* Written by interrupts. */
static struct {
	volatile uint32_t n_interrupts, n_in_encoder, n_nested, depth;
	volatile uint32_t is_over;
	int32_t file;
} run;

static void enter(uintptr_t place)
{
	run.n_interrupts++;
	if (place >= (uintptr_t)encoder_start && place < (uintptr_t)encoder_end)
		run.n_in_encoder++;
	if (run.depth++)
		run.n_nested++;
}

void on_tick(uintptr_t place)
{
	enter(place);
	if (!run.is_over)
		check_interrupt(TICK);
	run.depth--;
}

void on_timer(uintptr_t place)
{
	enter(place);
	if (!run.is_over)
		check_interrupt(TIMER);
	run.depth--;
}

void check_report(const char *name, uint32_t number)
{
	print_line(name, "", number);
}

void check_write(const void *bytes, uint32_t n_bytes)
{
	if (semihosting_write(run.file, bytes, n_bytes) != 0) {
		semihosting_print("the dump cannot be written\n");
		semihosting_exit(2);
	}
}

int main(void)
{
	board_start();
	check_start();
	board_timer_start(1997);
	board_tick_start(3301);
	/* Few interrupts meet where one runs already, and what a record costs decides how many come. */
	for (uint32_t i = 0; i < N_STEPS || (run.n_nested < N_NESTED_MIN && i < N_STEPS_MAX); i++)
		check_step(i);
	run.is_over = 1;
	board_timer_stop();
	board_tick_stop();
	run.file = semihosting_create("dump.bin");
	if (run.file < 0)
		return 2;
	check_dump();
	semihosting_close(run.file);
	check_report("interrupts", run.n_interrupts);
	check_report("in-encoder", run.n_in_encoder);
	check_report("nested", run.n_nested);
	return 0;
}
