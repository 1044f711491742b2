/* SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "cli/message.h"
#include "cli/report/report.h"
#include "programs/programs.h"

enum { TRACES_MAX = 16 };

static const struct session_listener listener = { .tell = message_tell, .diagnose = templates_print_diag };

enum rst_status viewing_begin(struct viewing *viewing, const struct command *command,
	const struct job_spec *job, int n_operands, char **operands, struct rst_error *err)
{
	struct live *live = &viewing->live;

	viewing->live_args.common = job->open;
	viewing->live_args.baud = UINT64_MAX;
	*live = (struct live){ .args = &viewing->live_args,
		.command = command,
		.n_operands = n_operands,
		.operands = operands,
		.out_fd = -1,
		.link.save_fd = -1 };
	viewing->spec = (struct session_spec){ .job = job,
		.n_paths = n_operands,
		.paths = operands,
		.listener = &listener,
		.is_followed = viewing->live_args.is_followed };
	error_try(live_find(live, err));
	if (open_n_traces(&job->open, n_operands) > TRACES_MAX)
		return common_refuse(err, "with --join the files are parts of one trace",
			"%s shows %d traces at most", command->name, TRACES_MAX);
	if (live->is_on)
		viewing->spec.link = &live->link;
	return RST_OK;
}
