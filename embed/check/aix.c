/* SPDX-License-Identifier: MIT */
/*
 * The AIX encoder: a small kernel's switches, interrupts and semaphores as hooks 0F0 to 0F5
 * (templates/aix.trcfmt), of which the ring keeps the newest. Each source counts what it has recorded.
 */
#include "embed/aix/sys/trcmacros.h"
#include "embed/check/check.h"

enum { N_WORDS = 2048, N_TASKS = 3, SEMAPHORE = 1, GIVEN = 1, TAKEN = 2 };

#define HOOK_SWITCH    0x0f000000
#define HOOK_INTERRUPT 0x0f100000
#define HOOK_RETURN    0x0f200000
#define HOOK_SEMAPHORE 0x0f300000
#define HOOK_STEP      0x0f400000
#define HOOK_MESSAGE   0x0f500000

static rastrum_aix_word_t memory[N_WORDS];
static struct rastrum_aix trace;
static volatile uint32_t n_steps, n_ticks, n_timers, n_recorded;

/* The running task; interrupts have the numbers behind the tasks. */
volatile uint32_t aix_thread;

void check_start(void)
{
	rastrum_aix_open(0, &trace, memory, N_WORDS, 1);
	trcon(0);
}

void check_step(uint32_t i)
{
	static const char text[] = "a message of the task";

	aix_thread = 1 + i % N_TASKS;
	TRCHKL1(HOOK_SWITCH, aix_thread);
	TRCHKL2(HOOK_SEMAPHORE | GIVEN, SEMAPHORE, i & 7);
	TRCHKL2(HOOK_SEMAPHORE | TAKEN, SEMAPHORE, (i & 7) + 1);
	TRCHKL5(HOOK_STEP, n_steps, ~n_steps, i & 7, 0, n_steps);
	TRCGEN(0, HOOK_MESSAGE, n_steps, n_steps % sizeof(text), text);
	n_steps++;
}

void check_interrupt(uint32_t number)
{
	volatile uint32_t *count = number == 15 ? &n_ticks : &n_timers;

	TRCHKL1(HOOK_INTERRUPT | number, *count);
	(*count)++;
	TRCHKL0(HOOK_RETURN | number);
}

/* All that is left, the header in front. */
void check_dump(void)
{
	static uint8_t bytes[256];
	uint32_t n_bytes;

	trcoff(0);
	while ((n_bytes = rastrum_aix_take(0, bytes, sizeof(bytes))) != 0)
		check_write(bytes, n_bytes);
	check_report("lost", rastrum_aix_lost(0));
	check_report("steps", n_steps);
	check_report("ticks", n_ticks);
	check_report("timers", n_timers);
	check_report("memory", sizeof(trace));
}

static void count_one(uint32_t i)
{
	TRCHKL1(HOOK_SWITCH, i & 1023);
}

static void base_one(uint32_t i)
{
	check_nothing_2(HOOK_SWITCH, i & 1023);
}

static void count_five(uint32_t i)
{
	TRCHKL5(HOOK_STEP, i & 1023, 2, 3, 4, 5);
}

static void base_five(uint32_t i)
{
	check_nothing_4(HOOK_STEP, i & 1023, 2, 3);
}

static void count_generic(uint32_t i)
{
	TRCGEN(0, HOOK_MESSAGE, i & 1023, 16, "sixteen letters!");
}

static void base_generic(uint32_t i)
{
	check_nothing_4(0, HOOK_MESSAGE, i & 1023, 16);
}

/* A channel that is not on. */
static void count_off(uint32_t i)
{
	TRCGEN(1, HOOK_MESSAGE, i & 1023, 16, "sixteen letters!");
}

static void base_off(uint32_t i)
{
	(void)i;
}

const struct check_count check_counts[] = {
	{ "hook, one word", count_one, base_one },
	{ "hook, five words", count_five, base_five },
	{ "generic, 16 bytes", count_generic, base_generic },
	{ "channel off", count_off, base_off },
	{ NULL, NULL, NULL },
};
