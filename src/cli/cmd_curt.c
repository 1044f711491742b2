/* SPDX-License-Identifier: MIT */
/* `rastrum curt`: CPU usage in the layout of AIX's tool of this name. */
#include "analysis/stats/curt.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"

static const struct opt_group curt_groups[] = {
	{ .title = "What counts", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example curt_examples[] = {
	{ "rastrum curt dump.trx", "time of processors, threads, spans and interrupts" },
	{ "rastrum curt --clock-hz 50M --from 1s --to 2s dump.trx", "one second of it, in milliseconds" },
	{ "rastrum curt --core 0 dump.trx", "what one processor did" },
	{ NULL, NULL },
};

/* One run of the command. */
struct session {
	struct survey survey;
	struct table_output output;
};

static int curt_of(void *context, struct rst_trace *trace, size_t n)
{
	struct session *session = context;
	struct survey *survey = &session->survey;
	struct table_output *output = &session->output;
	struct stats stats = { .n_analyses = 0 };
	const struct observer *const observers[] = { &stats.observer };
	struct scan scan = { .observers = observers, .n_observers = 1 };
	struct rst_error err;
	int exit_status;

	(void)n;
	if (curt_choose(&stats, &err) < 0)
		return common_fail(&err);
	stats_init(&stats, &scan);
	exit_status = survey_scan(survey, trace, &scan);
	output->times = scan.is_started ? &scan.times : NULL;
	if (!survey->is_over && curt_put(&stats, rst_trace_metadata(trace), output, &err) < 0)
		exit_status = common_worse(exit_status, common_fail(&err));
	output->n_begun++;
	stats_done(&stats);
	scan_done(&scan);
	return exit_status;
}

static int curt_run(void *arguments, int n_operands, char **operands)
{
	struct session session = {
		.survey = { .args = arguments, .n_operands = n_operands, .operands = operands },
		.output = { .out = &session.survey.out },
	};
	struct rst_error err;
	int exit_status;

	if ((!n_operands && common_lacks(&command_curt, &err) < 0) || survey_begin(&session.survey, &err) < 0)
		return common_fail(&err);
	exit_status = survey_each(&session.survey, curt_of, &session);
	return common_worse(exit_status, survey_done(&session.survey));
}

const struct command command_curt = {
	.name = "curt",
	.usages = { "[options] FILE..." },
	.summary = "show CPU usage in the layout of AIX's curt",
	.needs = "a file",
	.groups = curt_groups,
	.complete = complete_files,
	.examples = curt_examples,
	.args_bytes = sizeof(struct analysis_args),
	.run = curt_run,
};
