/* SPDX-License-Identifier: MIT */
/* The plain event of the core: every cell of the dump must be one that was recorded, whole. */
#include "embed/check/check.h"
#include "embed/core/event.h"

enum { N_WORDS = 1024, ID_STEP = 1 };

static uint32_t memory[N_WORDS];
static struct rastrum_events events;

/* How many each source has recorded: main, SysTick, the device. */
static volatile uint32_t n_recorded[3];

static uint32_t source_of(uint32_t number)
{
	return number == 0 ? 0 : number == 15 ? 1 : 2;
}

/* The second value can be told from the others, so that a mixture of two records is seen. */
static void record(uint32_t number, uint32_t i)
{
	n_recorded[source_of(number)]++;
	rastrum_event(&events, ID_STEP + number, i, ~(i + number));
}

void check_start(void)
{
	rastrum_events_init(&events, memory, N_WORDS, 1);
	rastrum_bits_set(events.bits, 0, 128, 1);
}

void check_step(uint32_t i)
{
	for (uint32_t n = 0; n < 8; n++)
		record(0, i * 8 + n);
}

void check_interrupt(uint32_t number)
{
	for (uint32_t n = 0; n < 4; n++)
		record(number, n_recorded[source_of(number)]);
}

void check_dump(void)
{
	uint32_t cell[RASTRUM_EVENT_WORDS], n_taken = 0;

	while (rastrum_cells_take(&events.cells, cell)) {
		check_write(cell, sizeof(cell));
		n_taken++;
	}
	check_say("recorded", n_recorded[0] + n_recorded[1] + n_recorded[2]);
	check_say("taken", n_taken);
	check_say("lost", rastrum_cells_lost(&events.cells));
	check_say("memory", sizeof(events));
}

static void count_event(uint32_t i)
{
	rastrum_event(&events, i & 31, i & 1023, 5);
}

static void base_event(uint32_t i)
{
	check_nothing_4((uint32_t)(uintptr_t)&events, i & 31, i & 1023, 5);
}

static void count_off(uint32_t i)
{
	rastrum_event(&events, 200, i & 1023, 5);
}

static void base_off(uint32_t i)
{
	check_nothing_4((uint32_t)(uintptr_t)&events, 200, i & 1023, 5);
}

const struct check_count check_counts[] = {
	{ "event", count_event, base_event },
	{ "not wanted", count_off, base_off },
	{ NULL, NULL, NULL },
};
