/* SPDX-License-Identifier: MIT */
#include "cli/analysis/analysis.h"
#include "cli/completion.h"

/* `convert` has the letter of the type for its format; curt and splat have AIX's letters. */
/* clang-format off */
#define SELECT_ROWS(letter, context_letter) \
	{ OPT_TEXT, 0, "from", "TIME", offsetof(struct analysis_args, from), \
		.help = "first moment that counts: ticks, +ticks since the first event, or 250us, 1.5s" }, \
	{ OPT_TEXT, 0, "to", "TIME", offsetof(struct analysis_args, to), .help = "last moment that counts" }, \
	{ OPT_LIST, letter, "type", "LIST", offsetof(struct analysis_args, types), \
		.help = "count only events of these names (* and ? match) or numbers; !NAME leaves out", \
		.complete = complete_types }, \
	{ OPT_LIST, context_letter, "context", "LIST", offsetof(struct analysis_args, contexts), \
		.help = "only what concerns these threads, or isr, init, idle; !NAME leaves out", \
		.complete = complete_contexts }, \
	{ OPT_LIST, 0, "object", "LIST", offsetof(struct analysis_args, objects), \
		.help = "only what concerns these objects, by name or address", \
		.complete = complete_objects }, \
	{ OPT_LIST, 0, "core", "LIST", offsetof(struct analysis_args, cores), \
		.help = "only what was on these cores" }, \
	{ OPT_FILES, 0, "templates", "FILE|DIR", offsetof(struct analysis_args, templates), \
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

static struct select_list as_list(const struct text_list *list)
{
	return (struct select_list){ .items = list->items, .n_items = list->n_items };
}

void survey_filter(struct survey *survey)
{
	const struct analysis_args *args = survey->args;

	survey->filter = (struct filter_spec){
		.from = args->from,
		.to = args->to,
		.types = as_list(&args->types),
		.contexts = as_list(&args->contexts),
		.objects = as_list(&args->objects),
		.cores = as_list(&args->cores),
	};
}

enum rst_status survey_begin(struct survey *survey, struct rst_error *err)
{
	const struct analysis_args *args = survey->args;

	survey_filter(survey);
	survey->has_several = common_n_traces(&args->common, survey->n_operands) > 1;
	error_try(common_check_input(&args->templates, survey->n_operands, survey->operands, err));
	error_try(common_output(args->output, true, survey->n_operands, survey->operands, &survey->fd, err));
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
	const struct analysis_args *args = survey->args;
	struct dialect_templates *templates;
	struct rst_trace *trace = NULL;
	enum rst_status status =
		common_open(&trace, &args->common, survey->n_operands, survey->operands, n, err);

	if (status == RST_OK)
		status = templates_load(&survey->templates, rst_trace_metadata(trace)->dialect,
			rst_trace_metadata(trace)->path, &args->templates, &templates, err);
	if (status == RST_OK)
		status = templates_give_effects(templates, trace, err);
	if (status < 0) {
		rst_trace_free(trace);
		return status;
	}
	templates_print_diags(templates, args->is_quiet);
	*ret_trace = trace;
	return RST_OK;
}

enum rst_status survey_templates(struct survey *survey, struct rst_trace *trace,
	struct dialect_templates **ret_templates, struct rst_error *err)
{
	return templates_load(&survey->templates, rst_trace_metadata(trace)->dialect,
		rst_trace_metadata(trace)->path, &survey->args->templates, ret_templates, err);
}

int survey_scan(struct survey *survey, struct rst_trace *trace, struct scan *scan)
{
	enum rst_status status;
	int exit_status;

	scan->trace = trace;
	scan->filter = &survey->filter;
	scan->progress = progress_update;
	scan->progress_context = &survey->progress;
	progress_trace(&survey->progress, trace);
	status = scan_run(scan, &survey->err);
	survey->is_over = status == RST_E_NOMEM || status == RST_E_USAGE;
	progress_end(&survey->progress);
	exit_status = common_print_notes(trace, survey->args->is_quiet, NOTES_SUMMED_UP);
	survey->fault[0] = '\0';
	if (status < 0)
		rst_error_text(&survey->err, survey->fault, sizeof(survey->fault));
	return status < 0 ? common_worse(exit_status, common_fail(&survey->err)) : exit_status;
}

int survey_each(struct survey *survey, survey_one *one, void *context)
{
	const size_t n_traces = common_n_traces(&survey->args->common, survey->n_operands);
	int exit_status = EXIT_GOOD;

	for (size_t i = 0; i < n_traces; i++) {
		struct rst_trace *trace = NULL;
		struct rst_error err;

		if (survey_open(survey, i, &trace, &err) < 0)
			exit_status = common_worse(exit_status, common_fail(&err));
		else
			exit_status = common_worse(exit_status, one(context, trace, i));
		rst_trace_free(trace);
	}
	return exit_status;
}

int survey_done(struct survey *survey)
{
	int exit_status = common_finish(&survey->out);

	pager_done(&survey->pager);
	outbuf_done(&survey->out);
	templates_free(survey->templates);
	return common_worse(exit_status, common_close(survey->fd));
}
