/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <rastrum/version.h>

#include "base/similar.h"
#include "cli/cli.h"
#include "cli/say.h"

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
		return command_help(command);
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
	return command ? command_run(command, argc - 2, argv + 2) : fail_unknown(argv[1]);
}

int main(int argc, char **argv)
{
	command_begin();

	int exit_status = run(argc, argv);

	return common_worse(exit_status, common_finish_stdout());
}
