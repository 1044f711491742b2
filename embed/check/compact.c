/* SPDX-License-Identifier: MIT */
/*
 * The compact encoder: task switches, interrupts and semaphores, as a small kernel has them; a flight
 * recorder, so that the dump has the end. Each source counts what it has recorded.
 */
#include "embed/compact/compact.h"
#include "embed/check/check.h"
#include "embed/compact/events.h"

enum { N_WORDS = 1024, USER_STEP = 0, USER_INTERRUPT = 1, N_TASKS = 3 };

static uint32_t memory[N_WORDS];
static uint8_t wire[RASTRUM_COMPACT_WIRE];
static struct rastrum_compact trace;
static volatile uint32_t n_steps, n_ticks, n_timers;

static const struct rastrum_name names[] = {
	{ RASTRUM_NAME_PROGRAM, 0, "embed/check" },
	{ RASTRUM_NAME_CLOCK, CHECK_CLOCK_HZ, NULL },
	{ RASTRUM_NAME_TASK, 1, "producer" },
	{ RASTRUM_NAME_TASK, 2, "consumer" },
	{ RASTRUM_NAME_TASK, 3, "display" },
	{ RASTRUM_NAME_INTERRUPT, 15, "SysTick" },
	{ RASTRUM_NAME_INTERRUPT, 24, "device" },
	{ RASTRUM_NAME_SEMAPHORE, 1, "items" },
	{ RASTRUM_NAME_USER, USER_STEP, "STEP" },
	{ RASTRUM_NAME_USER, USER_INTERRUPT, "INTERRUPT" },
};

void check_start(void)
{
	rastrum_compact_init(&trace, memory, N_WORDS, 1);
	rastrum_bits_set(trace.bits, 0, 224, 1); /* the last program's events stay unwanted */
}

void check_step(uint32_t i)
{
	rastrum_task_switch(&trace, 1 + i % N_TASKS);
	rastrum_semaphore_give(&trace, 1, i & 7);
	rastrum_task_ready(&trace, 1 + (i + 1) % N_TASKS);
	rastrum_semaphore_take(&trace, 1, (i & 7) + 1);
	rastrum_user_2(&trace, USER_STEP, n_steps++, ~i);
}

void check_interrupt(uint32_t number)
{
	volatile uint32_t *count = number == 15 ? &n_ticks : &n_timers;

	rastrum_isr_enter(&trace, number);
	rastrum_user_2(&trace, USER_INTERRUPT, number, (*count)++);
	rastrum_isr_exit(&trace);
}

/* Records the most frequent events of a small kernel, eight at a time. */
static void record_mix(struct rastrum_compact *to, uint32_t i)
{
	rastrum_isr_enter(to, 15);
	rastrum_semaphore_give(to, 1, i & 3);
	rastrum_task_ready(to, 2);
	rastrum_isr_exit(to);
	rastrum_task_switch(to, 2);
	rastrum_semaphore_take(to, 1, i & 3);
	rastrum_task_block(to, 2);
	rastrum_task_switch(to, 1);
}

#ifndef CHECK_COUNT
/*
 * How many bytes go over a link for it, heads and checksums of blocks included, with a fifth of a millisecond
 * between.
 */
static void weigh_mix(void)
{
	enum { N_TIMES = 200, PAUSE = 5000 };
	static struct rastrum_compact mix;
	uint32_t n_bytes, n_sent = 0;

	rastrum_compact_init(&mix, memory, N_WORDS, 0);
	rastrum_bits_set(mix.bits, 0, RASTRUM_COMPACT_IDS, 1);
	for (uint32_t i = 0; i < N_TIMES; i++) {
		uint32_t begin = RASTRUM_STAMP();

		record_mix(&mix, i);
		while ((n_bytes = rastrum_compact_take(&mix, wire, i == N_TIMES - 1)) != 0)
			n_sent += n_bytes;
		while (RASTRUM_STAMP() - begin < PAUSE)
			continue;
	}
	check_report("mix events", mix.n_events);
	check_report("mix bytes", n_sent);
	check_report("mix lost", rastrum_compact_lost(&mix));
}
#else
static void weigh_mix(void)
{
}
#endif

/* All of the flight recorder, names in front. */
void check_dump(void)
{
	uint32_t n_bytes, next = 0;

	while ((n_bytes = rastrum_compact_names(names, sizeof(names) / sizeof(names[0]), &next, wire)) != 0)
		check_write(wire, n_bytes);
	while ((n_bytes = rastrum_compact_take(&trace, wire, 1)) != 0)
		check_write(wire, n_bytes);
	check_report("recorded", trace.n_events);
	check_report("lost", rastrum_compact_lost(&trace));
	check_report("steps", n_steps);
	check_report("ticks", n_ticks);
	check_report("timers", n_timers);
	check_report("memory", sizeof(trace));
	weigh_mix();
}

static void count_event(uint32_t i)
{
	rastrum_compact_2(&trace, (i & 31) << 2 | 2, i & 1023, 5);
}

static void base_event(uint32_t i)
{
	check_nothing_4((uint32_t)(uintptr_t)&trace, (i & 31) << 2 | 2, i & 1023, 5);
}

static void count_mix(uint32_t i)
{
	record_mix(&trace, i);
}

static void base_mix(uint32_t i)
{
	(void)i;
	check_nothing_2((uint32_t)(uintptr_t)&trace, 15);
	check_nothing_3((uint32_t)(uintptr_t)&trace, 1, i & 3);
	check_nothing_2((uint32_t)(uintptr_t)&trace, 2);
	check_nothing_1((uint32_t)(uintptr_t)&trace);
	check_nothing_2((uint32_t)(uintptr_t)&trace, 2);
	check_nothing_3((uint32_t)(uintptr_t)&trace, 1, i & 3);
	check_nothing_2((uint32_t)(uintptr_t)&trace, 2);
	check_nothing_2((uint32_t)(uintptr_t)&trace, 1);
}

static void count_off(uint32_t i)
{
	rastrum_user_2(&trace, 31, i & 1023, 5);
}

static void base_off(uint32_t i)
{
	check_nothing_4((uint32_t)(uintptr_t)&trace, RASTRUM_COMPACT_USER(31, 2), i & 1023, 5);
}

const struct check_count check_counts[] = {
	{ "event", count_event, base_event },
	{ "eight of a kernel", count_mix, base_mix },
	{ "not wanted", count_off, base_off },
	{ NULL, NULL, NULL },
};
