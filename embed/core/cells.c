/* SPDX-License-Identifier: MIT */
#include "embed/core/cells.h"

uint32_t rastrum_cells_init(
	struct rastrum_cells *cells, uint32_t *words, uint32_t n_words, uint32_t cell_words, int keeps_newest)
{
	uint32_t n_cells = 1, n_cells_words = cell_words;

	if (cell_words == 0 || n_words < cell_words)
		return 0;
	while (n_words - n_cells_words >= n_cells_words) {
		n_cells_words *= 2;
		n_cells *= 2;
	}
	cells->n_written = cells->n_taken = cells->n_lost = 0;
	cells->n_limit = n_cells;
	cells->slot_mask = n_cells - 1;
	cells->words = words;
	cells->cell_words = cell_words;
	cells->keeps_newest = keeps_newest != 0;
	return n_cells;
}

/* Counts overwritten cells as lost; taking continues with the oldest cell that is still there. */
static void cells_settle(struct rastrum_cells *cells)
{
	uint32_t n_held = cells->n_written - cells->n_taken, n_cells = cells->slot_mask + 1;

	if (n_held <= n_cells)
		return;
	cells->n_lost += n_held - n_cells;
	cells->n_taken = cells->n_written - n_cells;
}

/*
 * The losses of a flight recorder are older than the cells in the ring. A stream refuses cells only while it
 * is full, and since the last cell was taken it has been full of its present cells: its losses come after
 * these. If there are several such places that the reader has not reached yet, the last one stands for all.
 */
static void note_losses(const struct rastrum_cells *cells, struct rastrum_cells_told *told)
{
	if (told->n_seen != cells->n_lost) {
		told->n_seen = cells->n_lost;
		told->at = cells->keeps_newest ? cells->n_taken : cells->n_written;
	}
	if ((int32_t)(cells->n_taken - told->at) >= 0)
		told->n_lost = told->n_seen;
}

int rastrum_cells_take_told(struct rastrum_cells *cells, uint32_t *to, struct rastrum_cells_told *told)
{
	RASTRUM_LOCK_STATE state;
	int is_there;

	RASTRUM_LOCK(state);
	cells_settle(cells);
	note_losses(cells, told);
	is_there = cells->n_written != cells->n_taken;
	if (is_there) {
		const uint32_t *from = cells->words + (cells->n_taken & cells->slot_mask) * cells->cell_words;

		for (uint32_t i = 0; i < cells->cell_words; i++)
			to[i] = from[i];
		cells->n_taken++;
		if (!cells->keeps_newest)
			cells->n_limit++;
	}
	RASTRUM_UNLOCK(state);
	return is_there;
}

uint32_t rastrum_cells_lost(struct rastrum_cells *cells)
{
	RASTRUM_LOCK_STATE state;
	uint32_t n_lost;

	RASTRUM_LOCK(state);
	cells_settle(cells);
	n_lost = cells->n_lost;
	RASTRUM_UNLOCK(state);
	return n_lost;
}
