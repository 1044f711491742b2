/* SPDX-License-Identifier: MIT */
/*
 * The state that earlier rows leave for later lines: columns and their widths, numbers, the time before. A
 * thread that does not format these rows passes over them, or takes over the state that another thread has
 * found in them (workers.h).
 */
#ifndef REPORT_STANDING_H
#define REPORT_STANDING_H

#include "report/report.h"

struct standing {
	struct report_section section;
	unsigned time_width;
	bool has_chosen;
	uint64_t seq, n_events, end_ticks;
};

/* How it stands. */
struct standing standing_of(const struct report_input *input);

/* Lets it stand so, of a trace of the same input whose first rows have been seen. */
void standing_set(struct report_input *input, const struct standing *standing);

/* Sees what rows leave behind for those to come. false when memory ran out. */
bool standing_pass(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows);

#endif
