/* SPDX-License-Identifier: MIT */
/* `rastrum trcevgrp`: AIX's command for groups of hooks, with its letters. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/hook_groups.h"

struct trcevgrp_args {
	bool is_list, is_add, is_update, is_remove;
	const char *description, *hooks;
};

static const struct opt what_opts[] = {
	{ OPT_FLAG, 'l', "list", NULL, offsetof(struct trcevgrp_args, is_list),
		.help = "list these groups, without a name all" },
	{ OPT_FLAG, 'a', "add", NULL, offsetof(struct trcevgrp_args, is_add),
		.help = "make a group; -d and -h are needed" },
	{ OPT_FLAG, 'u', "update", NULL, offsetof(struct trcevgrp_args, is_update),
		.help = "change a group: -d, -h or both" },
	{ OPT_FLAG, 'r', "remove", NULL, offsetof(struct trcevgrp_args, is_remove),
		.help = "remove these groups" },
	{ .kind = OPT_END },
};

static const struct opt group_opts[] = {
	{ OPT_TEXT, 'd', "description", "TEXT", offsetof(struct trcevgrp_args, description),
		.help = "what the group is for" },
	{ OPT_TEXT, 'h', "hooks", "LIST", offsetof(struct trcevgrp_args, hooks),
		.help = "all hooks of the group, parted by commas or blanks" },
	{ .kind = OPT_END },
};

static const struct opt_group trcevgrp_groups[] = {
	{ .title = "What to do", .opts = what_opts },
	{ .title = "A group", .opts = group_opts },
	{ .opts = NULL },
};

static const struct example trcevgrp_examples[] = {
	{ "rastrum trcevgrp -l", "all groups" },
	{ "rastrum trcevgrp -l tidhk gka", "two of them" },
	{ "rastrum trcrpt -K linux dump.trx", "a report without the hooks of a group" },
	{ NULL, NULL },
};

static enum rst_status check_args(
	const struct trcevgrp_args *args, int n_operands, char **operands, struct rst_error *err)
{
	const bool changes = args->is_add || args->is_update;

	if (args->is_list + args->is_add + args->is_update + args->is_remove != 1)
		return common_refuse(err, "-l lists all groups", "one of -l, -a, -u and -r is needed");
	if (!changes && (args->description || args->hooks))
		return common_refuse(err, NULL, "-d and -h go with -a and -u only");
	if (args->is_add && (!args->description || !args->hooks))
		return common_refuse(err, NULL, "-a needs both, -d TEXT and -h LIST");
	if (args->is_update && !args->description && !args->hooks)
		return common_refuse(err, NULL, "-u needs -d TEXT, -h LIST, or both");
	if (changes && n_operands != 1)
		return common_refuse(err, "put a description or list of several words between quotes",
			"-a and -u take one group%s%.40s", n_operands > 1 ? ", and no " : "",
			n_operands > 1 ? operands[1] : "");
	if (args->is_remove && !n_operands)
		return common_refuse(err, NULL, "-r needs the name of a group");
	return RST_OK;
}

static enum rst_status list(int n_operands, char **operands, struct rst_error *err)
{
	struct hook_groups groups;
	struct outbuf out;
	enum rst_status status = hook_groups_load(&groups, err);

	if (status < 0 || !outbuf_init(&out, STDOUT_FILENO)) {
		hook_groups_done(&groups);
		return status < 0 ? status : error_nomem(err);
	}
	for (size_t i = 0; !n_operands && i < groups.n_items; i++)
		hook_group_put(&out, &groups.items[i]);
	for (int i = 0; i < n_operands && status == RST_OK; i++) {
		const struct hook_group *group = hook_groups_find(&groups, operands[i], err);

		if (group)
			hook_group_put(&out, group);
		else
			status = RST_E_USAGE;
	}
	if (common_finish(&out) != EXIT_GOOD)
		status = RST_E_IO; /* reported */
	outbuf_done(&out);
	hook_groups_done(&groups);
	return status;
}

static enum rst_status change(
	const struct trcevgrp_args *args, int n_operands, char **operands, struct rst_error *err)
{
	struct hook_groups groups;
	enum rst_status status = hook_groups_begin(&groups, err);

	for (int i = 0; i < n_operands && status == RST_OK; i++)
		status = args->is_remove ? hook_groups_remove(&groups, operands[i], err)
					 : hook_groups_set(&groups, operands[i], args->description,
						   args->hooks, args->is_add, err);
	if (status == RST_OK)
		status = hook_groups_save(&groups, err);
	hook_groups_done(&groups);
	return status;
}

static int trcevgrp_run(void *arguments, int n_operands, char **operands)
{
	const struct trcevgrp_args *args = arguments;
	struct rst_error err = { .status = RST_OK };
	enum rst_status status = check_args(args, n_operands, operands, &err);

	if (status == RST_OK)
		status = args->is_list ? list(n_operands, operands, &err)
				       : change(args, n_operands, operands, &err);
	if (status == RST_OK)
		return EXIT_GOOD;
	return err.status == RST_OK ? EXIT_IO : common_fail(&err);
}

const struct command command_trcevgrp = {
	.name = "trcevgrp",
	.usages = { "-l [GROUP...]", "-a|-u [-d TEXT] [-h LIST] GROUP", "-r GROUP..." },
	.summary = "name groups of hooks, as AIX's trcevgrp does",
	.groups = trcevgrp_groups,
	.examples = trcevgrp_examples,
	.args_bytes = sizeof(struct trcevgrp_args),
	.run = trcevgrp_run,
};
