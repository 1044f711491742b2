/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/error.h"
#include "cli/message.h"
#include "programs/programs.h"
#include "template/language/diag.h"

static void sentence_print(void *context, const char *sentence)
{
	(void)context;
	message_print("%s", sentence);
}

static void diag_show(void *context, const struct diag *diag)
{
	(void)context;
	fputs("rastrum: ", stderr);
	diag_print_sentence(diag, stderr);
}

static const struct session_listener listener = { .tell = sentence_print, .diagnose = diag_show };

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
	if (live->is_on)
		viewing->spec.link = &live->link;
	return RST_OK;
}
