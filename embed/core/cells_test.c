/* SPDX-License-Identifier: MIT */
/* Rings of cells against what a list would do, also where the counters wrap. */
#include "embed/core/cells.h"

#include "embed/core/event.h"
#include "tests/tap.h"

enum { CELL_WORDS = 3, N_CELLS = 8, N_WORDS = CELL_WORDS * N_CELLS + 2, STREAM = 0, FLIGHT_RECORDER = 1 };

static bool put(struct rastrum_cells *cells, uint32_t value)
{
	uint32_t *cell;

	if (!rastrum_cells_has_room(cells))
		return false;
	cell = rastrum_cells_next(cells, CELL_WORDS);
	for (uint32_t i = 0; i < CELL_WORDS; i++)
		cell[i] = value + i;
	return true;
}

/* Takes the value of the oldest cell. Returns false if the ring is empty, or the cell is not whole. */
static bool take(struct rastrum_cells *cells, uint32_t *ret_value)
{
	uint32_t cell[CELL_WORDS];

	if (!rastrum_cells_take(cells, cell))
		return false;
	*ret_value = cell[0];
	return cell[1] == cell[0] + 1 && cell[2] == cell[0] + 2;
}

/* As if 2^32 - before cells had gone through already. */
static void init_at(struct rastrum_cells *cells, uint32_t *words, int keeps_newest, uint32_t before)
{
	rastrum_cells_init(cells, words, N_WORDS, CELL_WORDS, keeps_newest);
	cells->n_written = cells->n_taken = 0u - before;
	cells->n_limit = cells->n_written + N_CELLS;
}

static void sizes(void)
{
	static const struct {
		uint32_t n_words, n_cells;
	} rows[] = { { 0, 0 }, { 2, 0 }, { 3, 1 }, { 5, 1 }, { 6, 2 }, { 23, 4 }, { 24, 8 }, { 47, 8 },
		{ 48, 16 } };
	uint32_t words[48];
	struct rastrum_cells cells;
	bool is_right = true;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_right &= rastrum_cells_init(&cells, words, rows[i].n_words, CELL_WORDS, STREAM) ==
			    rows[i].n_cells;
	ok(is_right, "a ring has as many cells as there is room for, as a power of two");
	is_number(rastrum_cells_init(&cells, words, 48, 0, STREAM), 0, "cells without words make no ring");
	is_number(rastrum_cells_init(&cells, words, 0xffffffff, 1, STREAM), 0x80000000,
		"the largest ring has 2^31 cells");
}

static void stream(uint32_t before)
{
	uint32_t words[N_WORDS], value = 0;
	struct rastrum_cells cells;
	bool is_right = true;

	init_at(&cells, words, STREAM, before);
	for (uint32_t i = 0; i < N_CELLS + 5; i++)
		is_right &= put(&cells, 100 * i) == (i < N_CELLS);
	ok(is_right, "a stream takes what it has room for and refuses the rest");
	is_number(rastrum_cells_lost(&cells), 5, "and counts what it refused");
	is_right = take(&cells, &value) && value == 0 && put(&cells, 7777) && !put(&cells, 8888);
	ok(is_right, "a cell that was taken can be written again, one only");
	for (uint32_t i = 1; i < N_CELLS; i++)
		is_right &= take(&cells, &value) && value == 100 * i;
	is_right &= take(&cells, &value) && value == 7777 && !take(&cells, &value);
	ok(is_right, "cells come out whole and in order");
	is_number(rastrum_cells_lost(&cells), 6, "the loss is exact");
}

static void flight_recorder(uint32_t before, uint32_t n)
{
	uint32_t words[N_WORDS], value = 0, n_left = n < N_CELLS ? n : N_CELLS;
	struct rastrum_cells cells;
	bool is_right = true;

	init_at(&cells, words, FLIGHT_RECORDER, before);
	for (uint32_t i = 0; i < n; i++)
		is_right &= put(&cells, 100 * i);
	for (uint32_t i = n - n_left; i < n; i++)
		is_right &= take(&cells, &value) && value == 100 * i;
	is_right &= !take(&cells, &value) && rastrum_cells_lost(&cells) == n - n_left;
	ok(is_right, "a flight recorder of %d cells keeps the newest of %u and counts the others", N_CELLS,
		n);
}

/* Writing and taking at different speeds: what is taken is always the rest of what was not lost. */
static void both_at_once(int keeps_newest)
{
	uint32_t words[N_WORDS], value = 0, n_put = 0, n_taken = 0, n_refused = 0, last = 0;
	struct rastrum_cells cells;
	bool is_right = true;

	init_at(&cells, words, keeps_newest, 50);
	for (uint32_t i = 1; i < 400; i++) {
		for (uint32_t k = 0; k < i % 13; k++)
			n_refused += !put(&cells, 100 * ++n_put);
		for (uint32_t k = 0; k < i % 5; k++)
			if (take(&cells, &value)) {
				is_right &= value > last;
				last = value;
				n_taken++;
			}
	}
	while (take(&cells, &value))
		n_taken++;
	ok(is_right && n_put == n_taken + rastrum_cells_lost(&cells) && (keeps_newest || n_refused > 0),
		"%s: written = taken + lost", keeps_newest ? "a flight recorder" : "a stream");
}

static void events(void)
{
	struct rastrum_events events;
	uint32_t words[64], cell[RASTRUM_EVENT_WORDS];

	is_number(rastrum_events_init(&events, words, 64, STREAM), 16, "a plain event takes four words");
	rastrum_event(&events, 5, 1, 2);
	ok(!rastrum_cells_take(&events.cells, cell), "at first no event is wanted");
	rastrum_bits_set(events.bits, 5, 1, 1);
	rastrum_event(&events, 4, 1, 2);
	rastrum_event(&events, 5, 3, 4);
	rastrum_event(&events, 256 + 5, 5, 6);
	ok(rastrum_cells_take(&events.cells, cell) && cell[RASTRUM_EVENT_ID] == 5 &&
			cell[RASTRUM_EVENT_A] == 3 && cell[RASTRUM_EVENT_B] == 4,
		"one that is wanted is recorded with its values, and no other");
	ok(rastrum_cells_take(&events.cells, cell) && cell[RASTRUM_EVENT_ID] == 256 + 5,
		"larger ids share the bits of smaller ones");
}

int main(void)
{
	sizes();
	stream(1000);
	stream(3);
	for (uint32_t n = 0; n < 4 * N_CELLS; n += 3)
		flight_recorder(n, n);
	both_at_once(STREAM);
	both_at_once(FLIGHT_RECORDER);
	events();
	return tap_done();
}
