/* SPDX-License-Identifier: MIT */
/*
 * The counts of rows that were not read, for consumers that count rows. Their contents are known without
 * reading them.
 */
#ifndef MODEL_PASSED_H
#define MODEL_PASSED_H

#include <stddef.h>
#include <stdint.h>

#include <rastrum/trace.h>

enum passed_tally { PASSED_LAYOUTS, PASSED_CONTEXTS, PASSED_CORES, N_PASSED_TALLIES };

/* The number of rows for each layout, context or core, by its index. */
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
 * Returns the counts of the rows that were skipped since the last call. They all come before the latest
 * batch, or after it at the end of the trace. Returns NULL if no row was skipped. The result is valid until
 * the next rst_trace_next().
 */
typedef const struct passed *passed_take(struct rst_trace *trace);

#endif
