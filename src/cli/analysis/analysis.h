/* SPDX-License-Identifier: MIT */
/*
 * The shared part of the commands that answer questions (stats, explain, check, diff): arguments, and the
 * loop over traces.
 */
#ifndef CLI_ANALYSIS_ANALYSIS_H
#define CLI_ANALYSIS_ANALYSIS_H

#include "cli/cli.h"
#include "cli/pager.h"
#include "cli/report/report.h"
#include "job/job.h"

/* The first member of the arguments of such a command. */
struct analysis_args {
	struct job_spec job; /* first */
	bool is_quiet, has_no_pager;
	const char *output;
};

/* The same selection as of reports, and where the output goes. */
extern const struct opt analysis_select_opts[], analysis_select_long_opts[], analysis_select_bare_opts[],
	analysis_output_opts[];

/* One run of such a command over its traces. */
struct survey {
	struct job job;			  /* spec, n_paths and paths are set by the caller, … */
	const struct analysis_args *args; /* … and so are these */
	struct outbuf out;
	int fd;
	struct progress progress;
	struct pager pager;
};

/* Opens the output. RST_E_USAGE, RST_E_IO, RST_E_NOMEM; survey_done() is due after RST_OK only. */
enum rst_status survey_begin(struct survey *survey, struct rst_error *err);

/*
 * Opens the n-th trace and gives it the effects of templates. *ret_trace is the caller's, with RST_OK only.
 */
enum rst_status survey_open(
	struct survey *survey, size_t n, struct rst_trace **ret_trace, struct rst_error *err);

/*
 * Reads the trace with the members that the caller has set in the scan; trace, filter and progress are set
 * here. Prints guesses, damage, and the error of a trace that ends badly; returns the exit status. The part
 * that was read until then counts, unless is_over.
 */
int survey_scan(struct survey *survey, struct rst_trace *trace, struct scan *scan);

/* Processes the n-th trace, which is open, for a command; returns the exit status. */
typedef int survey_one(void *context, struct rst_trace *trace, size_t n);

/*
 * Calls it for all traces, one after the other. If one cannot be opened, prints why. Returns the worst exit
 * status.
 */
int survey_each(struct survey *survey, survey_one *one, void *context);

/* Writes out and closes; returns the exit status. */
int survey_done(struct survey *survey);

#endif
