/* SPDX-License-Identifier: MIT */
/* How many events of each type a report has shown. */
#ifndef LINES_TYPE_COUNTS_H
#define LINES_TYPE_COUNTS_H

#include <rastrum/rastrum.h>

/* Zero: none. Of one trace. */
struct type_counts {
	uint64_t *n_events; /* by layout index */
	size_t room;
	bool has_no_memory; /* some could not be counted */
};

void type_counts_add(struct type_counts *counts, const struct rst_layout *layout);

/* Returns the count of a layout. The count of a type is the sum over its layouts. */
uint64_t type_counts_of(const struct type_counts *counts, const struct rst_layout *layout);

/* Frees the counts, and sets all of them to zero. */
void type_counts_done(struct type_counts *counts);

#endif
