/* SPDX-License-Identifier: MIT */
/* rastrum-timeline, which does the work of `rastrum timeline` and takes the words behind it. */
#include <unistd.h>

#include "base/error.h"
#include "cli/analysis/timeline.h"
#include "programs/programs.h"
#include "view/terminal/terminal.h"

enum { TRACES_MAX = 16 };

static enum rst_status timeline_check(const struct timeline_args *args, int n_operands, struct rst_error *err)
{
	if (!n_operands)
		return common_lacks(&command_timeline, err);
	if (open_n_traces(&args->analysis.job.open, n_operands) > TRACES_MAX)
		return common_refuse(err, "with --join the files are parts of one trace",
			"timeline shows %d traces at most", TRACES_MAX);
	return RST_OK;
}

static int timeline_run(void *arguments, int n_operands, char **operands)
{
	const struct timeline_args *args = arguments;
	const struct screen_look look = { .tracks = { args->tracks.items, args->tracks.n_items },
		.is_ascii = args->is_ascii,
		.wants_color = common_has_color((enum common_color)args->color, STDOUT_FILENO) };
	struct viewing viewing = { .live_args.is_followed = args->is_followed };
	struct rst_error err;
	int exit_status;

	if (timeline_check(args, n_operands, &err) < 0)
		return common_fail(&err);
	if (viewing_begin(&viewing, &command_timeline, &args->analysis.job, n_operands, operands, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status =
			app_show(&viewing.spec, open_n_traces(&args->analysis.job.open, n_operands), &look);
	return live_done(&viewing.live, exit_status);
}

int main(int argc, char **argv)
{
	struct command command = command_timeline;
	int exit_status;

	command.program = NULL;
	command.run = timeline_run;
	command_begin();
	exit_status = command_run(&command, argc - 1, argv + 1);
	return outcome_worse(exit_status, common_finish_stdout());
}
