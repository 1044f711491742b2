/* SPDX-License-Identifier: MIT */
/*
 * A job: traces are opened, get the effects of their templates, and are read with a selection. Commands, the
 * browser and the terminal do their work as jobs. The job_spec says what is wanted. Errors come as struct
 * rst_error. The caller gets notes, diagnoses and progress, and may print them.
 *
 *	job.c        one job, from its traces to its scan
 *	outcome.c    how a job ended
 *	open.c       how a trace is opened
 *	run_window.c the time of one run of a recording
 *	templates.c  the templates of each dialect
 *	catalogue.c  the events of a dialect without a recording
 *	notes.c      what was guessed, and what was damaged
 *	evidence.c   the lines of single events
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include "analysis/scan.h"
#include "job/notes.h"
#include "job/open.h"
#include "job/outcome.h"
#include "job/run_window.h"
#include "job/templates.h"

/* How to open traces, and which part of them to read; `rastrum report --help` describes both. */
struct job_spec {
	struct open_spec open; /* first: option tables store in it */
	const char *from, *to; /* moments, or NULL */
	const char *run;       /* the number of a run, or NULL */
	struct text_list types, contexts, objects, cores;
	struct text_list templates; /* paths, over the templates that are there */
};

/* One thread at a time. */
struct job {
	/* Set by the caller, and borrowed. */
	const struct job_spec *spec;
	int n_paths;
	char **paths;

	struct filter_spec filter; /* set by job_begin() */
	struct run_window window;  /* the filter borrows its moments */
	struct dialect_templates *templates;
	bool has_several; /* traces */
	char fault[512];  /* why the last trace could not be read to its end; "": it could */
	bool is_over; /* memory ran out, or the selection is wrong: there is nothing to show of this trace */
	struct rst_error err; /* of the last scan, if it failed */
};

/* Sets the filter and has_several. A job that only opens traces needs no begin. */
void job_begin(struct job *job);

/*
 * Puts the time of the wanted run of the n-th trace into the filter. Call it after job_begin(), before the
 * filter is used for this trace. Returns the errors of run_window_set().
 */
enum rst_status job_select_run(struct job *job, size_t n, struct rst_error *err);

/*
 * Opens the n-th trace, loads its templates and gives it their effects. Returns the errors of
 * open_nth_trace() and templates_load(). The caller frees the trace with rst_trace_free(), before job_done().
 */
enum rst_status job_open(struct job *job, size_t n, struct rst_trace **ret_trace, struct rst_error *err);

/* The templates of an open trace, borrowed until job_done(). Returns RST_E_NOMEM, RST_E_IO or RST_E_USAGE. */
enum rst_status job_templates(struct job *job, struct rst_trace *trace,
	struct dialect_templates **ret_templates, struct rst_error *err);

/*
 * Reads the trace with the observers and the progress of the scan; sets its trace and its filter. Returns the
 * status of scan_run(), and sets fault, is_over and err. Rows before an error count, unless is_over.
 */
enum rst_status job_scan(struct job *job, struct rst_trace *trace, struct scan *scan);

/* Why the trace that was scanned last could not be read to its end; NULL if it could. */
static inline const char *job_fault(const struct job *job)
{
	return job->fault[0] ? job->fault : NULL;
}

/* Returns whether the input of the n-th trace can be read again: files can, pipes cannot. */
bool job_can_read_again(const struct job *job, size_t n);

void job_done(struct job *job);

#endif
