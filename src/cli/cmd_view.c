/* SPDX-License-Identifier: MIT */
/*
 * `rastrum view`: options only; rastrum-view does the work, because its libraries would cost every start of
 * rastrum.
 */
#include "cli/analysis/view.h"
#include "cli/completion.h"

static const struct opt view_opts[] = {
	{ OPT_NUMBER, 0, "port", "N", offsetof(struct view_args, port),
		.help = "port on 127.0.0.1 (default 0: any that is free)" },
	{ OPT_FLAG, 0, "no-browser", NULL, offsetof(struct view_args, has_no_browser),
		.help = "only print the link" },
	{ OPT_FLAG, 0, "follow", NULL, offsetof(struct view_args, is_followed),
		.help = "go on as the file grows" },
	{ .kind = OPT_END },
};

static const struct opt_group view_groups[] = {
	{ .title = "The server", .opts = view_opts },
	{ .title = "What is shown", .opts = analysis_select_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example view_examples[] = {
	{ "rastrum view dump.trx", "opens the timeline in the browser" },
	{ "rastrum view --no-browser --port 8080 dump.trx", "prints the link, for a port that ssh forwards" },
	{ "rastrum view --follow run.bin", "a recording that goes on" },
	{ "rastrum view --from +1M --to +9M dump.trx", "a part of a long trace" },
	{ NULL, NULL },
};

const struct command command_view = {
	.name = "view",
	.usages = { "[options] FILE..." },
	.summary = "show a timeline in the browser, from a server on this machine",
	.needs = "a file",
	.groups = view_groups,
	.complete = complete_files,
	.examples = view_examples,
	.args_bytes = sizeof(struct view_args),
	.program = "rastrum-view",
};
