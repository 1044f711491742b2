/* SPDX-License-Identifier: MIT */
#include "lines/type_counts.h"

#include <stdlib.h>

#include "base/array.h"

void type_counts_add(struct type_counts *counts, const struct rst_layout *layout)
{
	uint64_t *n_events = array_reach(counts->n_events, &counts->room, layout->index, sizeof(*n_events));

	counts->has_no_memory |= !n_events;
	if (!n_events)
		return;
	counts->n_events = n_events;
	n_events[layout->index]++;
}

uint64_t type_counts_of(const struct type_counts *counts, const struct rst_layout *layout)
{
	return layout->index < counts->room ? counts->n_events[layout->index] : 0;
}

void type_counts_done(struct type_counts *counts)
{
	free(counts->n_events);
	*counts = (struct type_counts){ 0 };
}
