/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/main/main.h"

const struct command *const commands[] = {
	&command_report,
	&command_info,
	&command_stats,
	&command_explain,
	&command_doctor,
	&command_check,
	&command_diff,
	&command_convert,
	&command_query,
	&command_curt,
	&command_splat,
	&command_trcrpt,
	&command_trcevgrp,
	&command_trace,
	&command_trcon,
	&command_trcoff,
	&command_trcstop,
	&command_draw,
	&command_cut,
	&command_merge,
	&command_anonymise,
	&command_view,
	&command_timeline,
	&command_template,
	&command_record,
	&command_bench,
	&command_completion,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}
