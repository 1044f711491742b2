/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/installed.h"

/* A mapped file that became shorter under our hands: the bytes that were promised are gone. */
static void tell_shrunk(int signal_number)
{
	static const char sentence[] =
		"rastrum: an input file became shorter while it was read; copy it first\n";

	(void)signal_number;
	ssize_t n_told = write(STDERR_FILENO, sentence, sizeof(sentence) - 1);

	(void)n_told;
	_exit(EXIT_IO);
}

/*
 * A standard descriptor that is closed would be the number of the next file or link that is opened, and messages would go
 * there. In its place stands one that cannot be written to.
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
	signal(SIGBUS, tell_shrunk);
}

int command_help(const struct command *command)
{
	printf("usage: rastrum %s %s\n\n%c%s.\n", command->name, command->usage,
		command->summary[0] >= 'a' ? command->summary[0] - 'a' + 'A' : command->summary[0],
		command->summary + 1);
	opt_help(command->tables, stdout);
	return EXIT_GOOD;
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

static int run_parsed(const struct command *command, void *args, char **words, int argc, char **argv)
{
	struct rst_error err;
	int n_operands = 0;
	enum rst_status status =
		opt_parse(command->tables, command->has_program, args, argc, argv, &n_operands, &err);

	if (status == RST_OK && n_operands < command->n_operands_min)
		status = common_lacks(command, &err);
	if (status == RST_E_USAGE && !err.advice[0])
		error_advise(&err, "see `rastrum %s --help`", command->name);
	if (status == RST_END)
		return command_help(command);
	if (status < 0)
		return common_fail(&err);
	return command->program ? command_exec(command, words) : command->run(args, n_operands, argv);
}

int command_run(const struct command *command, int argc, char **argv)
{
	void *args = calloc(1, command->args_bytes);
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
		opt_done(command->tables, args);
	free(args);
	free(words);
	return exit_status;
}
