/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

const struct command *const commands[] = {
	&command_report,
	&command_info,
	&command_stats,
	&command_explain,
	&command_check,
	&command_diff,
	&command_convert,
	&command_query,
	&command_curt,
	&command_splat,
	&command_trcrpt,
	&command_draw,
	&command_cut,
	&command_view,
	&command_timeline,
	&command_template,
	&command_record,
	&command_bench,
	&command_completion,
	&command_complete,
	NULL,
};
