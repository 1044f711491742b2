/* SPDX-License-Identifier: MIT */
/*
 * `rastrum timeline`: options only; rastrum-timeline does the work, because ncurses would cost every start of
 * rastrum.
 */
#include "cli/analysis/timeline.h"
#include "cli/completion.h"

static const struct opt timeline_opts[] = {
	{ OPT_LIST, 0, "tracks", "LIST", offsetof(struct timeline_args, tracks),
		.help = "only threads, cores, locks, queues … of these names (* and ? match)",
		.complete = complete_contexts },
	{ OPT_FLAG, 0, "follow", NULL, offsetof(struct timeline_args, is_followed),
		.help = "go on when the file grows" },
	{ OPT_FLAG, 0, "ascii", NULL, offsetof(struct timeline_args, is_ascii),
		.help = "draw with ASCII only (default: where the locale is not UTF-8)" },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct timeline_args, color),
		.help = "colours (default: unless NO_COLOR is set)", .choices = common_color_names,
		.n_choices = 3 },
	{ .kind = OPT_END },
};

static const struct opt_group timeline_groups[] = {
	{ .title = "The timeline", .opts = timeline_opts },
	{ .title = "What is in it", .opts = analysis_select_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example timeline_examples[] = {
	{ "rastrum timeline dump.trx", "the whole of a dump; ? shows the keys, q quits" },
	{ "rastrum timeline --from +2949240 --to +9740000 dump.trx", "a window of it" },
	{ "rastrum timeline --follow run.bin", "a recording that still grows" },
	{ NULL, NULL },
};

const struct command command_timeline = {
	.name = "timeline",
	.usages = { "[options] FILE..." },
	.summary = "show a timeline in the terminal",
	.needs = "a file",
	.groups = timeline_groups,
	.complete = complete_files,
	.examples = timeline_examples,
	.args_bytes = sizeof(struct timeline_args),
	.program = "rastrum-timeline",
};
