/* SPDX-License-Identifier: MIT */
/* `rastrum splat`: locks in the layout of AIX's tool of this name. */
#include "analysis/stats/splat.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"

static const struct opt_group splat_groups[] = {
	{ .title = "What counts", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example splat_examples[] = {
	{ "rastrum splat dump.trx", "locks, who had them and who waited" },
	{ "rastrum splat --clock-hz 50M --from 1s --to 2s dump.trx", "one second of it, in milliseconds" },
	{ "rastrum splat --object 'resource (plain)' dump.trx", "one lock" },
	{ NULL, NULL },
};

/* One run of the command. */
struct session {
	struct survey survey;
	struct table_output output;
};

static int splat_of(void *context, struct rst_trace *trace, size_t n)
{
	struct session *session = context;
	struct survey *survey = &session->survey;
	struct table_output *output = &session->output;
	struct locks locks = { .locks = { 0 } };
	const struct observer observer = {
		.context = &locks, .intervals = LOCKS_INTERVALS, .piece = locks_piece
	};
	const struct observer *const observers[] = { &observer };
	struct scan scan = { .observers = observers, .n_observers = 1 };
	struct rst_error err;
	int exit_status;

	(void)n;
	exit_status = survey_scan(survey, trace, &scan);
	output->times = scan.is_started ? &scan.times : NULL;
	if (!survey->is_over && splat_put(&locks, &scan, output, &err) < 0)
		exit_status = common_worse(exit_status, common_fail(&err));
	output->n_begun++;
	locks_done(&locks);
	scan_done(&scan);
	return exit_status;
}

static int splat_run(void *arguments, int n_operands, char **operands)
{
	struct session session = {
		.survey = { .args = arguments, .n_operands = n_operands, .operands = operands },
		.output = { .out = &session.survey.out },
	};
	struct rst_error err;
	int exit_status;

	if ((!n_operands && common_lacks(&command_splat, &err) < 0) ||
		survey_begin(&session.survey, &err) < 0)
		return common_fail(&err);
	exit_status = survey_each(&session.survey, splat_of, &session);
	return common_worse(exit_status, survey_done(&session.survey));
}

const struct command command_splat = {
	.name = "splat",
	.usages = { "[options] FILE..." },
	.summary = "show the use of locks in the layout of AIX's splat",
	.needs = "a file",
	.groups = splat_groups,
	.complete = complete_files,
	.examples = splat_examples,
	.args_bytes = sizeof(struct analysis_args),
	.run = splat_run,
};
