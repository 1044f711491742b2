/* SPDX-License-Identifier: MIT */
/* The options of live reading, for every command that takes traces as they are made. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "cli/cli.h"
#include "input/live/link.h"

/* The first member of the arguments of such a command, for the offsets of common_opts and live_opts. */
struct live_args {
	struct open_spec common;
	bool is_followed, is_once;
	const char *serial, *tcp, *listen;
	uint64_t baud; /* UINT64_MAX, which the command sets: not given */
	const char *save;
	const char *duration;
	struct text_list commands;
};

extern const struct opt live_opts[];

struct live {
	/* Set by the caller. */
	struct live_args *args;
	const struct command *command;
	int n_operands;
	char **operands;
	int out_fd; /* where the report goes */

	struct link link;
	struct live_input input; /* what args->common.live points to */
	bool is_on;		 /* false if the operands are files */
	bool is_started;
};

/*
 * Finds out whether a link is to be read: an option names one, or the only operand is "-" and standard input
 * is no file. Sets is_on, and the link as far as it can be without its start. Returns RST_E_USAGE for options
 * and operands that do not go together, RST_E_IO if the file of --save cannot be written. Call live_done()
 * whatever it returns.
 */
enum rst_status live_find(struct live *live, struct rst_error *err);

/*
 * The same; then it starts the link, if there is one, and sets args->common.live, so that open_nth_trace()
 * opens it in place of operands. Returns RST_E_USAGE and RST_E_IO. Call live_done() whatever it returns.
 */
enum rst_status live_start(struct live *live, struct rst_error *err);

/*
 * Closes what was saved, too; returns the exit status that this makes of exit_status: 0 for what a signal
 * ended.
 */
int live_done(struct live *live, int exit_status);

#endif
