/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <rastrum/version.h>

#include "base/similar.h"
#include "base/text.h"
#include "cli/help.h"
#include "cli/main/main.h"
#include "cli/message.h"

static int run_help(int argc, char **argv);
static int run_version(int argc, char **argv);
static int run_complete(int argc, char **argv);

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
	{ "complete", run_complete },
};

enum { N_OTHERS = sizeof(others) / sizeof(others[0]) };

static int fail_unknown(const char *name)
{
	struct similar similar = similar_to(name);
	char near[SIMILAR_TEXT_MAX];

	for (size_t i = 0; commands[i]; i++)
		similar_offer(&similar, commands[i]->name);
	for (size_t i = 0; i < N_OTHERS; i++)
		similar_offer(&similar, others[i].word);
	message_print("there is no %s '%s'; %s", name[0] == '-' ? "option" : "command", name,
		similar_text(&similar, near) ? near : "see `rastrum --help`");
	return EXIT_USAGE;
}

static bool is_other(const char *word)
{
	for (size_t i = 0; i < N_OTHERS; i++)
		if (strcmp(others[i].word, word) == 0)
			return true;
	return false;
}

static int run_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	puts("rastrum " RASTRUM_VERSION_STRING);
	return EXIT_GOOD;
}

static int run_complete(int argc, char **argv)
{
	return command_run(&command_complete, argc, argv);
}

/* Prints the help of the program, a command, or a subcommand. */
static int run_help(int argc, char **argv)
{
	const struct command *command = argc ? command_find(argv[0]) : NULL;
	int subcommand = -1;
	struct rst_error err;

	if (argc && !command && !is_other(argv[0]))
		return fail_unknown(argv[0]);
	if (!command)
		return help_program(commands);
	if (argc > 1 && command->subcommands) {
		subcommand = command_subcommand(command, argv[1]);
		if (subcommand < 0) {
			command_unknown(command, argv[1], &err);
			return common_fail(&err);
		}
	}
	return help_command(command, subcommand);
}

/*
 * Names of other programs, by which links to this one are called: each is a command, and perhaps its
 * subcommand, in front of the words.
 */
static const struct {
	const char *program;
	const struct command *command;
	const char *subcommand;
} names[] = {
	{ "trcrpt", &command_trcrpt, NULL },
	{ "trcevgrp", &command_trcevgrp, NULL },
	{ "trcupdate", &command_template, "update" },
	{ "trace", &command_trace, NULL },
	{ "trcon", &command_trcon, NULL },
	{ "trcoff", &command_trcoff, NULL },
	{ "trcstop", &command_trcstop, NULL },
	{ "curt", &command_curt, NULL },
	{ "splat", &command_splat, NULL },
};

/* Runs the command that the program is called by; -1 if it is called by its own name, or another. */
static int run_by_name(int argc, char **argv)
{
	const char *name = argc ? text_file_name(argv[0]) : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].program, name) == 0) {
			if (!names[i].subcommand)
				return command_run(names[i].command, argc - 1, argv + 1);
			argv[0] = (char *)(uintptr_t)names[i].subcommand;
			return command_run(names[i].command, argc, argv);
		}
	return -1;
}

/* Runs the command of the command line. */
static int command_line_run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		help_short(commands);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < N_OTHERS; i++)
		if (strcmp(others[i].word, argv[1]) == 0)
			return others[i].run(argc - 2, argv + 2);
	command = command_find(argv[1]);
	return command ? command_run(command, argc - 2, argv + 2) : fail_unknown(argv[1]);
}

int main(int argc, char **argv)
{
	command_begin();

	int exit_status = run_by_name(argc, argv);

	if (exit_status < 0)
		exit_status = command_line_run(argc, argv);

	return outcome_worse(exit_status, common_finish_stdout());
}
