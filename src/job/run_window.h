/* SPDX-License-Identifier: MIT */
/*
 * The window of one run of a recording (`--run N`): from behind the marker of the run up to the marker of the
 * next one. These moments go into the filter as `from` and `to`, so that whatever follows --from and --to
 * follows --run, too. To find them, the trace is opened and read once before.
 */
#ifndef JOB_RUN_WINDOW_H
#define JOB_RUN_WINDOW_H

#include "base/text.h"
#include "job/open.h"
#include "select/select.h"

struct run_window {
	/* Set by the caller, and borrowed. */
	const struct open_spec *open;
	int n_paths;
	char **paths;
	const char *run;       /* the number of the run as a user wrote it; NULL if all runs are taken */
	const char *from, *to; /* what else the user selects; or NULL */

	char from_text[TEXT_DEC_MAX + 1], to_text[TEXT_DEC_MAX + 1]; /* in ticks; the filter borrows them */
};

/*
 * Sets filter->from and filter->to for the n-th trace. Without a run, the filter stays as it is. Returns
 * RST_E_USAGE if there is no such run, its time is not its own, or the input cannot be read twice; and the
 * errors of open_nth_trace() and times_parse().
 */
enum rst_status run_window_set(
	struct run_window *window, size_t n, struct filter_spec *filter, struct rst_error *err);

#endif
