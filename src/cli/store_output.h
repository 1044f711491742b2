/* SPDX-License-Identifier: MIT */
/* The shared part of the commands that write stores. */
#ifndef CLI_STORE_OUTPUT_H
#define CLI_STORE_OUTPUT_H

#include "cli/destination.h"

/*
 * -o must be there, be no input, and end as a store does, in .rsx, or be standard output. RST_E_USAGE,
 * RST_E_IO.
 */
enum rst_status store_output_check(const struct command *command, const char *output, int n_operands,
	char **operands, struct rst_error *err);

/*
 * Begins what was checked; *ret_name: how it is called in errors. RST_E_USAGE, RST_E_IO, RST_E_NOMEM;
 * destination_done() is due.
 */
enum rst_status store_output_open(struct destination *destination, const char *output, int n_operands,
	char **operands, const char **ret_name, struct rst_error *err);

/*
 * A failure of writing is told, unless the reader of standard output has closed its end (`| head`). The exit
 * status.
 */
int store_output_fail(const char *output, const struct rst_error *err);

/* It gets its name, if all of it was written. The exit status: of the run so far, and of that. */
int store_output_end(struct destination *destination, bool is_written, int exit_status);

#endif
