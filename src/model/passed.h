/* SPDX-License-Identifier: MIT */
/* Rows that a reader did not need to read, because it knows what is in them: what those who count rows have of them. */
#ifndef MODEL_PASSED_H
#define MODEL_PASSED_H

#include <stddef.h>
#include <stdint.h>

#include <rastrum/trace.h>

enum passed_tally { PASSED_LAYOUTS, PASSED_CONTEXTS, PASSED_CORES, N_PASSED_TALLIES };

/* How many rows have each layout, context or core, by its index. */
struct passed_counts {
	uint64_t *n;
	size_t room;
};

struct passed {
	uint64_t n_rows, n_events; /* with and without losses and damages */
	uint64_t least_ticks, greatest_ticks, last_ticks;
	struct passed_counts tallies[N_PASSED_TALLIES];
};

/*
 * Rows that were passed over since the last call, all in front of the batch that was given last, or behind it at the end; NULL:
 * none. Valid until the next rst_trace_next().
 */
typedef const struct passed *passed_take(struct rst_trace *trace);

#endif
