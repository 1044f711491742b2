/* SPDX-License-Identifier: MIT */
/*
 * The shared part of the commands that answer questions (stats, explain, check, diff): arguments, and the
 * loop over traces.
 */
#ifndef CLI_ANALYSIS_ANALYSIS_H
#define CLI_ANALYSIS_ANALYSIS_H

#include "analysis/scan.h"
#include "cli/cli.h"
#include "cli/pager.h"
#include "cli/report/report.h"

/* The first member of the arguments of such a command. */
struct analysis_args {
	struct common_args common; /* first */
	const char *from, *to;
	struct text_list types, contexts, objects, cores, templates;
	bool is_quiet, has_no_pager;
	const char *output;
};

/* The same selection as of reports, and where the output goes. */
extern const struct opt analysis_select_opts[], analysis_select_long_opts[], analysis_select_bare_opts[],
	analysis_output_opts[];

/* One run of such a command over its traces. */
struct survey {
	/* Set by the caller. */
	const struct analysis_args *args;
	int n_operands;
	char **operands;

	struct filter_spec filter;
	struct outbuf out;
	int fd;
	struct dialect_templates *templates;
	struct progress progress;
	struct pager pager;
	bool has_several; /* traces */
	char fault[512];  /* why the last trace could not be read to its end; "": it could */
	bool is_over; /* memory ran out, or the selection is wrong: there is nothing to show of this trace */
	struct rst_error err; /* likewise: which was printed */
};

/* Sets the filter from the arguments: for a command that has no output of its own. survey_begin() does it, too. */
void survey_filter(struct survey *survey);

/* Opens the output. RST_E_USAGE, RST_E_IO, RST_E_NOMEM; survey_done() is due after RST_OK only. */
enum rst_status survey_begin(struct survey *survey, struct rst_error *err);

/* Opens the n-th trace and gives it the effects of templates. *ret_trace is the caller's, with RST_OK only. */
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

/* The templates of a trace that is open, for its sentences. Borrowed. */
enum rst_status survey_templates(struct survey *survey, struct rst_trace *trace,
	struct dialect_templates **ret_templates, struct rst_error *err);

/* Why the trace that was scanned last could not be read to its end; NULL if it could. */
static inline const char *survey_fault(const struct survey *survey)
{
	return survey->fault[0] ? survey->fault : NULL;
}

/* Writes out and closes; returns the exit status. */
int survey_done(struct survey *survey);

#endif
