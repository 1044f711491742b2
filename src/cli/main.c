/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rastrum/version.h>

#include "base/similar.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "record/process/process.h"

/* Most commands record nothing, and nobody records this program: it leaves no files where processes meet. */
const bool process_stays_private = true;

const struct command *const commands[] = {
	&command_report,
	&command_info,
	&command_template,
	&command_record,
	&command_bench,
	NULL,
};

static void print_help(FILE *out)
{
	fputs("usage: rastrum COMMAND [options] ...\n\n"
	      "Reads traces of real-time systems.\n\nCommands:\n",
		out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n`rastrum COMMAND --help` tells more; `rastrum --version` prints the version.\n"
	      "Exit status: 0 good, 1 a check found something, 2 wrong usage, 3 input damaged (what could be "
	      "read\n"
	      "was given), 4 input or output error, 5 feature not built in.\n",
		out);
}

static int print_command_help(const struct command *command)
{
	printf("usage: rastrum %s %s\n\n%c%s.\n", command->name, command->usage,
		command->summary[0] >= 'a' ? command->summary[0] - 'a' + 'A' : command->summary[0],
		command->summary + 1);
	opt_help(command->tables, stdout);
	return EXIT_GOOD;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	void *args = calloc(1, command->args_bytes);
	struct rst_error err;
	int n_operands = 0, exit_status;
	enum rst_status status = args ? RST_OK : error_nomem(&err);

	if (args && command->defaults)
		command->defaults(args);
	if (args)
		status =
			opt_parse(command->tables, command->has_program, args, argc, argv, &n_operands, &err);
	if (status == RST_OK && n_operands < command->n_operands_min)
		status = common_lacks(command, &err);
	if (status == RST_E_USAGE && !err.advice[0])
		error_advise(&err, "see `rastrum %s --help`", command->name);
	if (status == RST_END)
		exit_status = print_command_help(command);
	else
		exit_status = status < 0 ? common_fail(&err) : command->run(args, n_operands, argv);
	if (args)
		opt_done(command->tables, args);
	free(args);
	return exit_status;
}

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

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int fail_unknown(const char *name)
{
	struct similar similar = similar_to(name);
	char near[SIMILAR_TEXT_MAX];

	for (size_t i = 0; commands[i]; i++)
		similar_offer(&similar, commands[i]->name);
	say("there is no command '%s'; %s", name,
		similar_text(&similar, near) ? near : "see `rastrum --help`");
	return EXIT_USAGE;
}

static int run_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	puts("rastrum " RASTRUM_VERSION_STRING);
	return EXIT_GOOD;
}

static int run_help(int argc, char **argv)
{
	const struct command *command = argc ? find_command(argv[0]) : NULL;

	if (argc && !command)
		return fail_unknown(argv[0]);
	if (command)
		return print_command_help(command);
	print_help(stdout);
	return EXIT_GOOD;
}

/* Words in place of a command. */
static const struct {
	const char *word;
	int (*run)(int argc, char **argv);
} others[] = {
	{ "--help", run_help },
	{ "-h", run_help },
	{ "help", run_help },
	{ "--version", run_version },
	{ "-V", run_version },
	{ "version", run_version },
};

/* What the words of the command line ask for. */
static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].word, argv[1]) == 0)
			return others[i].run(argc - 2, argv + 2);
	command = find_command(argv[1]);
	return command ? run_command(command, argc - 2, argv + 2) : fail_unknown(argv[1]);
}

int main(int argc, char **argv)
{
	fill_standard_descriptors();
	/* A reader that goes away (`| head`) is seen as EPIPE and ends the work quietly. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGBUS, tell_shrunk);

	int exit_status = run(argc, argv);

	return common_worse(exit_status, common_finish_stdout());
}
