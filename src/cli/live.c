/* SPDX-License-Identifier: MIT */
/* From options to a link (src/input/live/link.h). */
#include "cli/live.h"
#include "cli/completion.h"
#include "cli/message.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BAUD_USUAL 115200

const struct opt live_opts[] = {
	{ OPT_FLAG, 0, "follow", NULL, offsetof(struct live_args, is_followed),
		.help = "go on as the file grows, until Ctrl-C" },
	{ OPT_TEXT, 0, "serial", "DEVICE", offsetof(struct live_args, serial),
		.help = "read this serial device live (8N1)", .complete = complete_devices },
	{ OPT_NUMBER, 0, "baud", "N", offsetof(struct live_args, baud),
		.help = "bits per second of --serial (default 115200)", .complete = complete_rates },
	{ OPT_TEXT, 0, "tcp", "HOST:PORT", offsetof(struct live_args, tcp),
		.help = "connect to this port and read it live" },
	{ OPT_TEXT, 0, "listen", "tcp:PORT|udp:PORT", offsetof(struct live_args, listen),
		.help = "read live what is sent to this port of this machine (tcp:HOST:PORT: of an "
			"address)",
		.complete = complete_listeners },
	{ OPT_FLAG, 0, "once", NULL, offsetof(struct live_args, is_once),
		.help = "end where a TCP connection is closed, and wait for no other" },
	{ OPT_TEXT, 0, "save", "FILE", offsetof(struct live_args, save),
		.help = "keep the bytes of a live input as they come, to report them later",
		.complete = complete_files },
	{ OPT_TEXT, 0, "duration", "TIME", offsetof(struct live_args, duration),
		.help = "how long to read: seconds, or 500ms, 10m, 2h (default: until Ctrl-C)" },
	{ OPT_LIST, 0, "send", "LIST", offsetof(struct live_args, commands),
		.help = "commands to a LiteOS board, each time the link comes up: start, stop, mask=N, "
			"dump",
		.complete = complete_commands },
	{ .kind = OPT_END },
};

static void link_print(void *context, const char *sentence)
{
	const struct link *link = context;

	message_print("%s: %s", link->name, sentence);
}

/* "tcp:PORT" or "udp:PORT". */
static enum rst_status listener_find(struct link *link, const char *text, struct rst_error *err)
{
	static const struct {
		const char *prefix;
		const struct link_kind *kind;
	} rows[] = { { "tcp:", &link_tcp_listen }, { "udp:", &link_udp_listen } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strncmp(text, rows[i].prefix, strlen(rows[i].prefix)) == 0) {
			link->kind = rows[i].kind;
			link->address = text + strlen(rows[i].prefix);
			return RST_OK;
		}
	return common_refuse(err, NULL, "--listen needs tcp:PORT or udp:PORT");
}

/* Bytes that come once and have an end are no link: a file, also where it is standard input. */
static bool input_is_pipe(int n_operands, char **operands)
{
	struct stat st;

	return n_operands == 1 && strcmp(operands[0], "-") == 0 && fstat(STDIN_FILENO, &st) == 0 &&
	       !S_ISREG(st.st_mode);
}

/* Sets link->kind and address; kind stays NULL when the command line has no link. */
static enum rst_status link_find(struct live *live, struct rst_error *err)
{
	struct link *link = &live->link;
	const struct live_args *args = live->args;
	char **operands = live->operands;
	const int n_operands = live->n_operands;
	const char *addresses[] = { args->serial, args->tcp, args->listen };
	int n_links = args->is_followed;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		n_links += addresses[i] != NULL;
	if (n_links > 1)
		return common_refuse(
			err, NULL, "one live input at a time: --follow, --serial, --tcp or --listen");
	if (args->is_followed && (n_operands != 1 || args->common.is_joined))
		return common_refuse(err, NULL, "--follow needs one file");
	if (args->is_followed && strcmp(operands[0], "-") == 0)
		return common_refuse(
			err, NULL, "--follow needs one file by its name; a pipe is followed without it");
	if (n_links && !args->is_followed && n_operands)
		return common_refuse(err, NULL, "a live input leaves no room for files");
	if (args->listen)
		return listener_find(link, args->listen, err);
	if (args->is_followed)
		link->kind = &link_file;
	else if (input_is_pipe(n_operands, operands))
		link->kind = &link_pipe;
	link->address = link->kind == &link_pipe ? "standard input" : n_operands ? operands[0] : NULL;
	if (args->serial || args->tcp) {
		link->kind = args->serial ? &link_serial : &link_tcp;
		link->address = args->serial ? args->serial : args->tcp;
	}
	return RST_OK;
}

static enum rst_status link_check(
	const struct link *link, const struct live_args *args, struct rst_error *err)
{
	if (args->baud != UINT64_MAX && !args->serial)
		return common_refuse(err, NULL, "--baud goes with --serial");
	if (args->serial && (link->baud == 0 || link->baud > UINT32_MAX))
		return common_refuse(err, NULL, "--baud needs a rate from 1 to 4294967295");
	if (args->is_once && !(link->kind && link->kind->is_closed))
		return common_refuse(err, NULL, "--once goes with --tcp or --listen tcp:");
	if (args->duration && !link->kind)
		return common_refuse(
			err, NULL, "--duration goes with a live input; files are read to their end");
	if (args->save && !link->kind)
		return common_refuse(err, NULL, "--save keeps a live input; files are kept already");
	if (args->save && strcmp(args->save, "-") == 0)
		return common_refuse(err, NULL, "--save needs a file; standard output is the report's");
	if (args->commands.n_items && !(link->kind && link->kind->can_send))
		return common_refuse(
			err, NULL, "--send needs a link with another end: --serial, --tcp or --listen tcp:");
	if (args->commands.n_items > LINK_COMMANDS_MAX)
		return common_refuse(err, NULL, "--send takes 16 commands at most");
	return RST_OK;
}

static enum rst_status commands_take(struct link *link, const struct text_list *words, struct rst_error *err)
{
	for (; link->n_commands < words->n_items; link->n_commands++)
		error_try(client_command_parse(
			&link->commands[link->n_commands], words->items[link->n_commands], err));
	return RST_OK;
}

static enum rst_status duration_take(struct link *link, const char *text, struct rst_error *err)
{
	uint64_t ns = 0;

	if (text)
		error_try(common_parse_duration(text, &ns, err));
	link->limit_ms = ns / 1000000 + (ns % 1000000 != 0);
	return RST_OK;
}

static enum rst_status save_open(struct live *live, struct rst_error *err)
{
	struct link *link = &live->link;
	struct stat saved, output;
	int fd;

	error_try(common_output(live->args->save, false, live->n_operands, live->operands, &fd, err));
	link->save_fd = fd;
	if (fstat(fd, &saved) == 0 && fstat(link->out_fd, &output) == 0 && S_ISREG(saved.st_mode) &&
		saved.st_dev == output.st_dev && saved.st_ino == output.st_ino)
		return common_refuse(err, NULL, "--save needs another file than the report");
	return RST_OK;
}

/* Sets up the link of the command line, with all its settings. Its kind is NULL if no link was given. */
static enum rst_status link_set_up(struct live *live, struct rst_error *err)
{
	const struct live_args *args = live->args;
	struct link *link = &live->link;

	*link = (struct link){ .fd = -1, .listen_fd = -1, .out_fd = live->out_fd, .save_fd = -1 };
	link->baud = args->baud != UINT64_MAX ? args->baud : BAUD_USUAL;
	link->is_once = args->is_once;
	link->notify = link_print;
	link->notify_context = link;
	error_try(link_find(live, err));
	link->name = args->listen ? args->listen : link->address;
	error_try(link_check(link, args, err));
	error_try(duration_take(link, args->duration, err));
	if (link->kind)
		error_try(commands_take(link, &args->commands, err));
	if (link->kind && args->save)
		error_try(save_open(live, err));
	return RST_OK;
}

enum rst_status live_find(struct live *live, struct rst_error *err)
{
	enum rst_status status = link_set_up(live, err);

	if (status == RST_E_USAGE && !err->advice[0])
		error_advise(err, "see `rastrum %s --help`", live->command->name);
	error_try(status);
	live->is_on = live->link.kind != NULL;
	return live->is_on || live->n_operands ? RST_OK : common_lacks(live->command, err);
}

enum rst_status live_start(struct live *live, struct rst_error *err)
{
	error_try(live_find(live, err));
	if (!live->is_on)
		return RST_OK;
	live->is_started = true;
	error_try(link_start(&live->link, err));
	live->input = link_input(&live->link);
	live->args->common.live = &live->input;
	return RST_OK;
}

/* If a signal ends the link, the user wanted that end: it is not an error, even if no data had come yet. */
int live_done(struct live *live, int exit_status)
{
	struct link *link = &live->link;
	bool is_stopped = link->is_stopped;

	if (live->is_started)
		link_done(link);
	if (link->save_fd >= 0)
		exit_status = outcome_worse(exit_status, common_close(link->save_fd));
	if (live->args)
		live->args->common.live = NULL;
	return is_stopped && exit_status == EXIT_DAMAGED ? EXIT_GOOD : exit_status;
}
