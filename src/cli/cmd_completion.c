/* SPDX-License-Identifier: MIT */
/* `rastrum completion`, which prints the script of a shell, and `rastrum complete`, which these scripts run. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/completion/scripts.h"

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

static void give_up(int signal_number)
{
	(void)signal_number;
	_exit(EXIT_GOOD);
}

/* A person waits. Reading a recording for names usually ends sooner, but not if its bytes have no meaning. */
static void limit_time(void)
{
	const struct itimerval second = { .it_value = { .tv_sec = 1 } };

	signal(SIGALRM, give_up);
	setitimer(ITIMER_REAL, &second, NULL);
}

static int complete_run(void *args, int n_operands, char **operands)
{
	struct rst_error err;
	struct outbuf out;
	uint64_t index;
	int exit_status;

	(void)args;
	if (!text_parse_u64(operands[0], &index) || index >= (uint64_t)n_operands - 1) {
		error_set(
			&err, RST_E_USAGE, RST_NO_OFFSET, "there is no word %.20s to complete", operands[0]);
		return common_fail(&err);
	}
	if (!outbuf_init(&out, STDOUT_FILENO)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	limit_time();
	completion_answer(&out, (int)index, n_operands - 1, operands + 1);
	exit_status = common_finish(&out);
	outbuf_done(&out);
	return exit_status;
}

const struct command command_complete = {
	.name = "complete",
	.usages = { "INDEX WORD..." },
	.summary = "tell a shell what can stand at the cursor",
	.groups = no_groups,
	.n_operands_min = 1,
	.needs = "a number and words",
	.has_program = true,
	.is_hidden = true,
	.run = complete_run,
};
