/* SPDX-License-Identifier: MIT */
/* rastrum-timeline, which does the work of `rastrum timeline` and takes the words behind it. */
#include <unistd.h>

#include "base/error.h"
#include "cli/analysis/timeline.h"
#include "programs/programs.h"
#include "view/terminal/terminal.h"

static int timeline_run(void *arguments, int n_operands, char **operands)
{
	const struct timeline_args *args = arguments;
	const struct screen_look look = { .tracks = { args->tracks.items, args->tracks.n_items },
		.is_ascii = args->is_ascii,
		.wants_color = common_has_color((enum common_color)args->color, STDOUT_FILENO) };
	struct viewing viewing = { .live_args.is_followed = args->is_followed };
	struct rst_error err;
	int exit_status;

	if (viewing_begin(&viewing, &command_timeline, &args->analysis.job, n_operands, operands, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status =
			app_show(&viewing.spec, open_n_traces(&args->analysis.job.open, n_operands), &look);
	return live_done(&viewing.live, exit_status);
}

int main(int argc, char **argv)
{
	return command_main(&command_timeline, NULL, timeline_run, argc, argv);
}
