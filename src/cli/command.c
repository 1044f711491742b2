/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/similar.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/installed.h"

/*
 * A page of a mapped file cannot be read: the file became shorter, or its disk fails. The signal does not
 * tell which.
 */
static void tell_unreadable(int signal_number)
{
	static const char sentence[] = "rastrum: an input file became shorter while it was read, or its disk "
				       "failed; copy it first\n";

	(void)signal_number;
	ssize_t n_told = write(STDERR_FILENO, sentence, sizeof(sentence) - 1);

	(void)n_told;
	_exit(EXIT_IO);
}

/*
 * A standard descriptor that is closed would be the number of the next file or link that is opened, and
 * messages would go there. In its place stands one that cannot be written to.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

void command_begin(void)
{
	fill_standard_descriptors();
	/* A reader that goes away (`| head`) is seen as EPIPE and ends the work quietly. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not be larger is an error of writing */
	signal(SIGBUS, tell_unreadable);
}

int command_subcommand(const struct command *command, const char *name)
{
	for (int i = 0; command->subcommands && command->subcommands[i].name; i++)
		if (strcmp(command->subcommands[i].name, name) == 0)
			return i;
	return -1;
}

bool command_has_options(const struct opt_group *group, int subcommand)
{
	return !group->subcommands || group->subcommands >> subcommand & 1;
}

enum rst_status command_unknown(const struct command *command, const char *name, struct rst_error *err)
{
	struct similar similar = similar_to(name);
	char advice[SIMILAR_TEXT_MAX];

	for (const struct subcommand *sub = command->subcommands; sub->name; sub++)
		similar_offer(&similar, sub->name);
	if (name[0])
		error_set(
			err, RST_E_USAGE, RST_NO_OFFSET, "%s has no subcommand '%.40s'", command->name, name);
	else
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s needs a subcommand", command->name);
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return RST_E_USAGE;
}

/* Becomes the program of a command, with the words that follow the command. Returns only when that fails. */
static int command_exec(const struct command *command, char **words)
{
	char path[PATH_MAX], name[64];
	struct rst_error err;

	snprintf(name, sizeof(name), "`rastrum %s`", command->name);
	if (installed_find(INSTALLED_PROGRAM, command->program, name, path, &err) == RST_OK) {
		words[0] = path;
		execv(path, words);
		error_set(&err, RST_E_IO, RST_NO_OFFSET, "cannot run this program: %s", strerror(errno));
		error_name(&err, path);
	}
	return common_fail(&err);
}

/* The words before they are parsed, which puts them into another order; element 0 is the program's name. */
static char **copy_words(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));

	if (words)
		memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	return words;
}

/* That there is such a subcommand, with so many operands, and that the options that were given are for it. */
static enum rst_status check_subcommand(const struct command *command, const struct opt_parsed *parsed,
	char **operands, struct rst_error *err)
{
	const char *name = parsed->n_operands ? operands[0] : "";
	const int i = command_subcommand(command, name), n = parsed->n_operands - 1;
	const struct subcommand *sub = &command->subcommands[i < 0 ? 0 : i];

	if (i < 0)
		return command_unknown(command, name, err);
	for (size_t k = 0; command->groups[k].opts; k++)
		if (parsed->given[k] && !command_has_options(&command->groups[k], i))
			return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "`%s %s` has no option --%s",
				command->name, name, parsed->given[k]->name);
	if (n < sub->n_operands_min)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "`%s %s` needs %s", command->name, name,
			sub->operands);
	if (n > sub->n_operands_max)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "`%s %s` has a word too many: '%.40s'",
			command->name, name, operands[1 + sub->n_operands_max]);
	return RST_OK;
}

static void advise_help(const struct command *command, const struct opt_parsed *parsed, char **operands,
	struct rst_error *err)
{
	const int sub = parsed->n_operands ? command_subcommand(command, operands[0]) : -1;

	if (!err->advice[0])
		error_advise(err, "see `rastrum %s%s%s --help`", command->name, sub < 0 ? "" : " ",
			sub < 0 ? "" : command->subcommands[sub].name);
}

static int run_parsed(const struct command *command, void *args, char **words, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct rst_error err;
	enum rst_status status =
		opt_parse(command->groups, command->has_program, args, argc, argv, &parsed, &err);

	if (status == RST_END)
		return help_command(command, parsed.n_operands ? command_subcommand(command, argv[0]) : -1);
	if (status == RST_OK && parsed.n_operands < command->n_operands_min)
		status = common_lacks(command, &err);
	if (status == RST_OK && command->subcommands)
		status = check_subcommand(command, &parsed, argv, &err);
	if (status == RST_E_USAGE)
		advise_help(command, &parsed, argv, &err);
	if (status < 0)
		return common_fail(&err);
	return command->program ? command_exec(command, words) : command->run(args, parsed.n_operands, argv);
}

int command_run(const struct command *command, int argc, char **argv)
{
	void *args = calloc(1, command->args_bytes + 1);
	char **words = copy_words(argc, argv);
	struct rst_error err;
	int exit_status;

	if (args && command->defaults)
		command->defaults(args);
	if (args && words) {
		exit_status = run_parsed(command, args, words, argc, argv);
	} else {
		error_nomem(&err);
		exit_status = common_fail(&err);
	}
	if (args)
		opt_done(command->groups, args);
	free(args);
	free(words);
	return exit_status;
}

int command_main(const struct command *command, void (*defaults)(void *args),
	int (*run)(void *args, int n_operands, char **operands), int argc, char **argv)
{
	struct command own = *command;
	int exit_status;

	own.program = NULL;
	own.defaults = defaults;
	own.run = run;
	command_begin();
	exit_status = command_run(&own, argc > 0 ? argc - 1 : 0, argv + 1);
	return outcome_worse(exit_status, common_finish_stdout());
}
