/* SPDX-License-Identifier: MIT */
/*
 * `rastrum completion`, which prints the script of a shell. The scripts run `rastrum complete`
 * (main/complete.c).
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/scripts.h"

enum { BASH, ZSH, FISH, N_SHELLS };

static const struct opt_group no_groups[] = { { .opts = NULL } };

static const struct subcommand completion_shells[] = {
	[BASH] = { "bash", "", "the script for bash", 0, 0, NULL },
	[ZSH] = { "zsh", "", "the script for zsh", 0, 0, NULL },
	[FISH] = { "fish", "", "the script for fish", 0, 0, NULL },
	{ .name = NULL },
};

static const struct example completion_examples[] = {
	{ "eval \"$(rastrum completion bash)\"",
		"a line of ~/.bashrc, where bash does not find the installed file" },
	{ "rastrum completion zsh > ~/.config/_rastrum", "a file for a folder of $fpath, likewise for zsh" },
	{ "rastrum completion fish > ~/.config/fish/completions/rastrum.fish", "likewise for fish" },
	{ NULL, NULL },
};

static const char *const file_names[N_SHELLS] = {
	[BASH] = "rastrum.bash", [ZSH] = "_rastrum", [FISH] = "rastrum.fish"
};

static int completion_run(void *args, int n_operands, char **operands)
{
	const char *name = file_names[command_subcommand(&command_completion, operands[0])];
	const struct completion_script *script = completion_scripts;

	(void)args, (void)n_operands;
	while (strcmp(script->name, name) != 0)
		script++;
	fwrite(script->text, 1, script->n_text, stdout);
	return EXIT_GOOD;
}

const struct command command_completion = {
	.name = "completion",
	.usages = { "bash|zsh|fish" },
	.summary = "print the script that completes command lines in a shell",
	.subcommands = completion_shells,
	.groups = no_groups,
	.examples = completion_examples,
	.run = completion_run,
};
