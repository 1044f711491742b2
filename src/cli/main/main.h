/* SPDX-License-Identifier: MIT */
/*
 * The top of the program: the table of all commands, and what needs that table. main.c runs the command that
 * the first word names; complete.c answers shells that complete a command line.
 */
#ifndef CLI_MAIN_MAIN_H
#define CLI_MAIN_MAIN_H

#include "cli/cli.h"

/* All commands for people; NULL ends the list. */
extern const struct command *const commands[];

/* The command that shells run. */
extern const struct command command_complete;

/* Returns NULL if no command has that name. */
const struct command *command_find(const char *name);

#endif
