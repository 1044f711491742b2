/* SPDX-License-Identifier: MIT */
#include "dialect/liteos/losses.h"

#include <string.h>

static void remove_hole(struct losses *losses, unsigned index)
{
	struct losses_hole *hole = &losses->holes[index];

	losses->n_holes--;
	memmove(hole, hole + 1, (losses->n_holes - index) * sizeof(*hole));
}

/* There is always room: losses_due() returns the oldest hole before holes[] is full. */
static void add_hole(struct losses *losses, unsigned index, struct losses_hole new)
{
	struct losses_hole *hole = &losses->holes[index];

	if (!new.n_missing || losses->n_holes == LOSSES_HOLES)
		return;
	memmove(hole + 1, hole, (losses->n_holes - index) * sizeof(*hole));
	losses->n_holes++;
	*hole = new;
}

/* A late count makes its hole smaller, or splits it. */
static void hole_fill(struct losses *losses, uint32_t count)
{
	for (unsigned i = 0; i < losses->n_holes; i++) {
		const struct losses_hole hole = losses->holes[i];
		uint32_t before = count - hole.first, behind = hole.n_missing - before - 1;

		if (before >= hole.n_missing)
			continue;
		remove_hole(losses, i);
		add_hole(losses, i, (struct losses_hole){ count + 1, behind, hole.age });
		add_hole(losses, i, (struct losses_hole){ hole.first, before, hole.age });
		return;
	}
}

void losses_see(struct losses *losses, uint32_t count)
{
	int32_t ahead = losses->has_expected ? (int32_t)(count - losses->expected) : 0;
	bool is_anew = ahead < (losses->is_restarted ? 0 : -LOSSES_LATE_MAX);

	for (unsigned i = 0; i < losses->n_holes; i++)
		losses->holes[i].age++;
	if (ahead < 0 && !is_anew) {
		hole_fill(losses, count);
		return;
	}
	if (ahead > 0)
		add_hole(losses, losses->n_holes,
			(struct losses_hole){ losses->expected, (uint32_t)ahead, 0 });
	if (is_anew)
		losses_restart(losses);
	losses->has_expected = true;
	losses->is_restarted = false;
	losses->expected = count + 1;
}

void losses_restart(struct losses *losses)
{
	for (unsigned i = 0; i < losses->n_holes; i++)
		losses->holes[i].age = LOSSES_PATIENCE;
	losses->is_restarted = true;
}

uint32_t losses_due(struct losses *losses, bool is_last)
{
	/* Filling a hole may split it, and a new hole may come: so two entries stay free. */
	bool is_crowded = losses->n_holes + 2 >= LOSSES_HOLES;

	if (!losses->n_holes)
		return 0;
	if (!is_last && !is_crowded && losses->holes[0].age < losses->patience)
		return 0;
	uint32_t n_missing = losses->holes[0].n_missing;

	remove_hole(losses, 0);
	return n_missing;
}
