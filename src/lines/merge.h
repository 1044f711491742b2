/* SPDX-License-Identifier: MIT */
/*
 * Several traces as one report, in the order of time: by the time of day where all have it, else by the ticks
 * of one clock, whose frequency must be the same. For the format aix, whose elapsed time then counts from the
 * first event of all.
 */
#ifndef LINES_MERGE_H
#define LINES_MERGE_H

#include "lines/report.h"

struct merge_input;

/* The traces of a report; zero but for what the caller sets. */
struct merge {
	struct report *report;
	struct report_input *inputs;
	size_t n_inputs;
	/* As in filter_spec, which leaves its own unset then; or NULL. */
	const char *from, *to;

	struct merge_input *states;
	bool by_wall;
	int64_t origin;		   /* the key of the first event */
	int64_t last;		   /* … and of the event reported before */
	uint64_t from_key, to_key; /* since the origin */
};

/*
 * Reports all. RST_OK, RST_END for $STOP; RST_E_USAGE if the clocks have nothing in common, or the selection
 * cannot be read. When one trace fails, the others are reported nevertheless, and its failure is returned.
 */
enum rst_status report_merged(struct merge *merge, struct rst_error *err);

#endif
