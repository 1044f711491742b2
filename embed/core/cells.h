/* SPDX-License-Identifier: MIT */
/*
 * A ring of cells of equal size, in memory that the caller gives. Cells are counted from 0 and for ever
 * (modulo 2^32); cell number n lies in slot n mod n_cells, a power of two:
 *
 *           n_taken              n_written        n_limit
 *      ---------|====================|---------------|----------
 *        taken         to be taken      free           not to be written
 *
 * When all cells are full, a ring either keeps the oldest and loses the new (a stream: n_limit is n_taken +
 * n_cells) or keeps the newest and loses the oldest (a flight recorder: n_limit is only the place at which to
 * look again). Either way n_lost counts every cell that was refused, or was overwritten before a reader took
 * it.
 */
#ifndef EMBED_CORE_CELLS_H
#define EMBED_CORE_CELLS_H

#include "embed/port/port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rastrum_cells {
	uint32_t n_written;
	uint32_t n_limit;
	uint32_t slot_mask; /* n_cells - 1 */
	uint32_t *words;
	uint32_t cell_words;
	uint32_t n_taken;
	uint32_t n_lost;
	uint32_t keeps_newest;
};

/*
 * Makes an empty ring of as many cells of cell_words words as n_words have room for, rounded down to a power
 * of two; returns how many, 0: not even one. The memory is the ring's from then on.
 */
uint32_t rastrum_cells_init(struct rastrum_cells *cells, uint32_t *words, uint32_t n_words,
	uint32_t cell_words, int keeps_newest);

/*
 * Whether there is a cell for one more record. If all cells are full, returns 0 and counts one cell as lost.
 * The caller has the lock. All of it is inline: with a call for the rare case every record would save
 * registers for that call.
 */
static inline int rastrum_cells_has_room(struct rastrum_cells *cells)
{
	if (cells->n_written != cells->n_limit)
		return 1;
	if (!cells->keeps_newest) {
		cells->n_lost++;
		return 0;
	}
	cells->n_limit = cells->n_written + cells->slot_mask + 1;
	return 1;
}

/*
 * The next cell, where there is room, to be filled before the lock is left. The caller has the lock, and says
 * the size again so that compilers need not multiply.
 */
static inline uint32_t *rastrum_cells_next(struct rastrum_cells *cells, uint32_t cell_words)
{
	uint32_t n = cells->n_written++;
	uint32_t *cell = cells->words + (n & cells->slot_mask) * cell_words;

#ifdef __thumb__
	/* Or gcc computes the address once for the first word of the cell and once more for the others. */
	__asm__("" : "+r"(cell));
#endif
	return cell;
}

/* The state of a reader that reports where cells are missing. All zero at first. */
struct rastrum_cells_told {
	uint32_t n_lost; /* how many were lost before the cell that was taken last */
	uint32_t n_seen; /* how many had been lost when it was taken … */
	uint32_t at;	 /* … the last of them before this cell */
};

/* Copies the oldest cell to `to` and gives its room back. Returns 0 if the ring is empty. Takes the lock. */
int rastrum_cells_take_told(struct rastrum_cells *cells, uint32_t *to, struct rastrum_cells_told *told);

/* The same where the position does not matter. */
static inline int rastrum_cells_take(struct rastrum_cells *cells, uint32_t *to)
{
	struct rastrum_cells_told told = { 0, 0, 0 };

	return rastrum_cells_take_told(cells, to, &told);
}

/* Cells that were lost so far. Takes the lock. */
uint32_t rastrum_cells_lost(struct rastrum_cells *cells);

#ifdef __cplusplus
}
#endif

#endif
