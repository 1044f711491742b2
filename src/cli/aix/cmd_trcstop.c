/* SPDX-License-Identifier: MIT */
/* `rastrum trcon`, `trcoff` and `trcstop`: requests to a session of `rastrum trace`, by its channel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aixtrace/channel.h"
#include "cli/cli.h"

struct trcstop_args {
	bool discards, serialises;
};

static const struct opt stop_opts[] = {
	{ OPT_FLAG, 'd', "discard", NULL, offsetof(struct trcstop_args, discards),
		.help = "throw away entries that are not in the log yet" },
	{ OPT_FLAG, 's', "serialise", NULL, offsetof(struct trcstop_args, serialises),
		.help = "taken as on AIX: entries are always written in order" },
	{ .kind = OPT_END },
};

static const struct opt_group stop_groups[] = {
	{ .title = "How it ends", .opts = stop_opts },
	{ .opts = NULL },
};

static const struct opt_group no_groups[] = { { .opts = NULL } };

static const struct example on_examples[] = {
	{ "rastrum trace -ad; rastrum trcon; ./app; rastrum trcstop",
		"the session of channel 0 waits for it" },
	{ "rastrum trace -adg; rastrum trcon 1; ./app; rastrum trcstop 1", "that of channel 1" },
	{ "rastrum trace -ad; rastrum trcon; sleep 1; rastrum trcoff; rastrum trcstop", "one second" },
	{ NULL, NULL },
};

static const struct example off_examples[] = {
	{ "rastrum trace -a; ./app; rastrum trcoff; rastrum trcstop", "the session pauses, and ends" },
	{ "rastrum trace -ag; rastrum trcoff 1; ./app; rastrum trcstop 1",
		"nothing is recorded on channel 1" },
	{ "rastrum trace -a; rastrum trcoff; rastrum trcon; ./app; rastrum trcstop", "with a pause" },
	{ NULL, NULL },
};

static const struct example stop_examples[] = {
	{ "rastrum trace -a; ./app; rastrum trcstop", "the session of channel 0 ends, and its log is whole" },
	{ "rastrum trace -ag; ./app; rastrum trcstop 1", "that of channel 1" },
	{ "rastrum trace -a; ./app; rastrum trcstop -d", "without entries that are not in the log yet" },
	{ NULL, NULL },
};

static int trcstop_channel_of(int n_operands, char **operands)
{
	char *end;
	const long channel = n_operands ? strtol(operands[0], &end, 10) : 0;

	if (n_operands == 0)
		return 0;
	return n_operands > 1 || end == operands[0] || *end || channel < 0 || channel >= CHANNELS
		       ? -1
		       : (int)channel;
}

static const struct rst_error *request_failed(struct rst_error *err, int channel, int error)
{
	switch (error) {
	case ENODEV:
		error_set(err, RST_E_IO, RST_NO_OFFSET, "channel %d has no session", channel);
		error_advise(err, "`rastrum trace -a` starts one");
		break;
	case EAGAIN:
		error_set(err, RST_E_IO, RST_NO_OFFSET, "the session of channel %d does not answer", channel);
		error_advise(
			err, "a signal has stopped its process, `rastrum trace`; `kill -CONT` lets it go on");
		break;
	default:
		error_set(err, RST_E_IO, RST_NO_OFFSET, "the session of channel %d failed: %s", channel,
			strerror(error));
		error_advise(err, "it has said why where it was started");
	}
	return err;
}

static int request(int n_operands, char **operands, enum channel_request what)
{
	const int channel = trcstop_channel_of(n_operands, operands);
	struct rst_error err;
	int error;

	if (channel < 0) {
		common_refuse(&err, "0 is the system trace, 1 to 7 are sessions of -g",
			"a channel is a number, 0 to 7");
		return common_fail(&err);
	}
	error = channel_ask(channel, what);
	if (error == 0)
		return EXIT_GOOD;
	return common_fail(request_failed(&err, channel, error));
}

static int trcon_run(void *args, int n_operands, char **operands)
{
	(void)args;
	return request(n_operands, operands, CHANNEL_ON);
}

static int trcoff_run(void *args, int n_operands, char **operands)
{
	(void)args;
	return request(n_operands, operands, CHANNEL_OFF);
}

static int trcstop_run(void *args, int n_operands, char **operands)
{
	const struct trcstop_args *stop = args;

	return request(n_operands, operands, stop->discards ? CHANNEL_DISCARD : CHANNEL_STOP);
}

const struct command command_trcon = {
	.name = "trcon",
	.usages = { "[CHANNEL]" },
	.summary = "let a session of `rastrum trace` record, as AIX's trcon does",
	.groups = no_groups,
	.examples = on_examples,
	.args_bytes = sizeof(struct trcstop_args),
	.run = trcon_run,
};

const struct command command_trcoff = {
	.name = "trcoff",
	.usages = { "[CHANNEL]" },
	.summary = "let a session of `rastrum trace` pause, as AIX's trcoff does",
	.groups = no_groups,
	.examples = off_examples,
	.args_bytes = sizeof(struct trcstop_args),
	.run = trcoff_run,
};

const struct command command_trcstop = {
	.name = "trcstop",
	.usages = { "[-d] [CHANNEL]" },
	.summary = "end a session of `rastrum trace`, as AIX's trcstop does",
	.groups = stop_groups,
	.examples = stop_examples,
	.args_bytes = sizeof(struct trcstop_args),
	.run = trcstop_run,
};
