/* SPDX-License-Identifier: MIT */
/* The plain event of the core: every event of the dump must be one that was recorded, whole. */
#include "embed/check/check.h"
#include "embed/compact/plain.h"

enum { N_WORDS = 1024 };

static uint32_t memory[N_WORDS];
static struct rastrum_events events;
static struct rastrum_plain sender;
static uint8_t wire[RASTRUM_COMPACT_WIRE];

/* How many each source has recorded: main, SysTick, the device. */
static volatile uint32_t n_recorded[3];

static uint32_t source_of(uint32_t number)
{
	return number == 0 ? 0 : number == 15 ? 1 : 2;
}

/* The second value differs from the others, so that a mixture of two records is found. */
static void record(uint32_t number, uint32_t i)
{
	uint32_t source = source_of(number);

	n_recorded[source]++;
	rastrum_event(&events, RASTRUM_COMPACT_USER(source, 2), i, ~(i + source));
}

void check_start(void)
{
	rastrum_events_init(&events, memory, N_WORDS, 1);
	rastrum_bits_set(events.bits, 0, 192, 1); /* the last ids stay unwanted */
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
	static const struct rastrum_name names[] = { { RASTRUM_NAME_CLOCK, CHECK_CLOCK_HZ, NULL },
		{ RASTRUM_NAME_USER, 0, "STEP" }, { RASTRUM_NAME_USER, 1, "TICK" },
		{ RASTRUM_NAME_USER, 2, "DEVICE" } };
	uint32_t n, next = 0;

	while ((n = rastrum_compact_names(names, 4, &next, wire)) != 0)
		check_write(wire, n);
	while ((n = rastrum_plain_take(&sender, &events, wire, 1)) != 0)
		check_write(wire, n);
	check_report("recorded", n_recorded[0] + n_recorded[1] + n_recorded[2]);
	check_report("taken", sender.n_sent);
	check_report("lost", rastrum_cells_lost(&events.cells));
	check_report("memory", sizeof(events));
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
