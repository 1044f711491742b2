/* SPDX-License-Identifier: MIT */
#include "cli/analysis/analysis.h"
#include "cli/completion.h"

/* `convert` has the letter of the type for its format; curt and splat have AIX's letters. */
/* clang-format off */
#define SELECT_ROWS(letter, context_letter) \
	{ OPT_TEXT, 0, "from", "TIME", offsetof(struct analysis_args, job.from), \
		.help = "first moment that counts: ticks, +ticks since the first event, or 250us, 1.5s" }, \
	{ OPT_TEXT, 0, "to", "TIME", offsetof(struct analysis_args, job.to), .help = "last moment that counts" }, \
	{ OPT_TEXT, 0, "run", "N", offsetof(struct analysis_args, job.run), \
		.help = "only the N-th run of a recording that begins anew in one input" }, \
	{ OPT_LIST, letter, "type", "LIST", offsetof(struct analysis_args, job.types), \
		.help = "count only events of these names (* and ? match) or numbers; !NAME leaves out", \
		.complete = complete_types }, \
	{ OPT_LIST, context_letter, "context", "LIST", offsetof(struct analysis_args, job.contexts), \
		.help = "only what concerns these threads, or isr, init, idle; !NAME leaves out", \
		.complete = complete_contexts }, \
	{ OPT_LIST, 0, "object", "LIST", offsetof(struct analysis_args, job.objects), \
		.help = "only what concerns these objects, by name or address", \
		.complete = complete_objects }, \
	{ OPT_LIST, 0, "core", "LIST", offsetof(struct analysis_args, job.cores), \
		.help = "only what was on these cores" }, \
	{ OPT_FILES, 0, "templates", "FILE|DIR", offsetof(struct analysis_args, job.templates), \
		.help = "what events do, over the templates that are there; may be repeated", \
		.complete = complete_files },
/* clang-format on */

const struct opt analysis_select_opts[] = { SELECT_ROWS('t', 'c'){ .kind = OPT_END } };
const struct opt analysis_select_long_opts[] = { SELECT_ROWS(0, 'c'){ .kind = OPT_END } };
const struct opt analysis_select_bare_opts[] = { SELECT_ROWS(0, 0){ .kind = OPT_END } };

const struct opt analysis_output_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct analysis_args, output),
		.help = "write to FILE, not to standard output", .complete = complete_files },
	{ OPT_FLAG, 0, "no-pager", NULL, offsetof(struct analysis_args, has_no_pager),
		.help = "no pager on a terminal (default: PAGER, or less)" },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct analysis_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

enum rst_status survey_begin(struct survey *survey, struct rst_error *err)
{
	const struct analysis_args *args = survey->args;

	job_begin(&survey->job);
	error_try(common_check_input(&args->job.templates, survey->job.n_paths, survey->job.paths, err));
	error_try(
		common_output(args->output, true, survey->job.n_paths, survey->job.paths, &survey->fd, err));
	if (!outbuf_init(&survey->out, survey->fd)) {
		common_close(survey->fd);
		return error_nomem(err);
	}
	if (!args->has_no_pager)
		pager_start(&survey->pager, survey->fd);
	progress_start(&survey->progress, survey->fd);
	return RST_OK;
}

enum rst_status survey_open(
	struct survey *survey, size_t n, struct rst_trace **ret_trace, struct rst_error *err)
{
	struct dialect_templates *templates;

	error_try(job_select_run(&survey->job, n, err));
	error_try(job_open(&survey->job, n, ret_trace, err));
	error_try(job_templates(&survey->job, *ret_trace, &templates, err));
	templates_print_diags(templates, survey->args->is_quiet);
	return RST_OK;
}

int survey_scan(struct survey *survey, struct rst_trace *trace, struct scan *scan)
{
	enum rst_status status;
	int exit_status;

	scan->progress = progress_update;
	scan->progress_context = &survey->progress;
	progress_trace(&survey->progress, trace);
	status = job_scan(&survey->job, trace, scan);
	progress_end(&survey->progress);
	exit_status = common_print_notes(trace, survey->args->is_quiet, NOTES_SUMMED_UP);
	return status < 0 ? outcome_worse(exit_status, common_fail(&survey->job.err)) : exit_status;
}

int survey_each(struct survey *survey, survey_one *one, void *context)
{
	const size_t n_traces = open_n_traces(&survey->job.spec->open, survey->job.n_paths);
	int exit_status = EXIT_GOOD;

	for (size_t i = 0; i < n_traces; i++) {
		struct rst_trace *trace = NULL;
		struct rst_error err;

		if (survey_open(survey, i, &trace, &err) < 0)
			exit_status = outcome_worse(exit_status, common_fail(&err));
		else
			exit_status = outcome_worse(exit_status, one(context, trace, i));
		rst_trace_free(trace);
	}
	return exit_status;
}

int survey_done(struct survey *survey)
{
	int exit_status = common_finish(&survey->out);

	pager_done(&survey->pager);
	outbuf_done(&survey->out);
	job_done(&survey->job);
	return outcome_worse(exit_status, common_close(survey->fd));
}
