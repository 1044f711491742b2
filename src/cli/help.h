/* SPDX-License-Identifier: MIT */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/cli.h"

/*
 * Each writes to standard output, through the pager on a terminal, and returns the exit status. NULL ends the
 * commands.
 */
int help_program(const struct command *const *commands);
int help_command(const struct command *command, int subcommand); /* below 0: the whole command */

/* A few lines to stderr, where no command was given. */
void help_short(const struct command *const *commands);

#endif
