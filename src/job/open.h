/* SPDX-License-Identifier: MIT */
/* How the traces of a job are opened: what a user can say of each, and of all. */
#ifndef JOB_OPEN_H
#define JOB_OPEN_H

#include <rastrum/rastrum.h>

#include "base/text_list.h"
#include "trace/live.h"

struct open_spec {
	const char *dialect;	       /* NULL if its content tells it */
	struct text_list settings;     /* KEY=VALUE, of the dialect */
	struct text_list symbols;      /* paths of programs and lists of symbols */
	uint64_t clock_hz;	       /* 0 if only the recording may tell it */
	unsigned order;		       /* 0: time, 1: file */
	bool is_joined;		       /* all paths are parts of one trace */
	const struct live_input *live; /* read instead of the paths, or NULL */
};

/*
 * Returns how many traces these paths are: one if they are parts of one, or if a live input is read instead
 * of them.
 */
size_t open_n_traces(const struct open_spec *spec, int n_paths);

/* Whether the input of the n-th trace can be read again: files can, pipes and live inputs cannot. */
bool open_can_repeat(const struct open_spec *spec, int n_paths, char *const *paths, size_t n);

/*
 * Opens the n-th trace of these paths. Returns RST_E_NOMEM, and the errors of rst_trace_open(). The caller
 * frees the trace with rst_trace_free(). The settings must be pairs; option tables check that.
 */
enum rst_status open_nth_trace(struct rst_trace **ret_trace, const struct open_spec *spec, int n_paths,
	char **paths, size_t n, struct rst_error *err);

#endif
