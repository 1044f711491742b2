/* SPDX-License-Identifier: MIT */
/* From options to a link (src/input/live/link.h). */
#include "cli/live.h"
#include "cli/say.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BAUD_USUAL 115200

const struct opt live_opts[] = {
	{ OPT_FLAG, 0, "follow", NULL, offsetof(struct live_args, is_followed),
		"go on as the file grows, until Ctrl-C", NULL, 0 },
	{ OPT_TEXT, 0, "serial", "DEVICE", offsetof(struct live_args, serial),
		"read this serial device live (8N1)", NULL, 0 },
	{ OPT_NUMBER, 0, "baud", "N", offsetof(struct live_args, baud),
		"bits per second of --serial (default 115200)", NULL, 0 },
	{ OPT_TEXT, 0, "tcp", "HOST:PORT", offsetof(struct live_args, tcp),
		"connect to this port and read it live", NULL, 0 },
	{ OPT_TEXT, 0, "listen", "tcp:PORT|udp:PORT", offsetof(struct live_args, listen),
		"read live what is sent to this port of this machine (tcp:HOST:PORT: of an address)", NULL,
		0 },
	{ OPT_FLAG, 0, "once", NULL, offsetof(struct live_args, is_once),
		"end where a TCP connection is closed, and wait for no other", NULL, 0 },
	{ OPT_TEXT, 0, "save", "FILE", offsetof(struct live_args, save),
		"keep the bytes of a live input as they come, to report them later", NULL, 0 },
	{ OPT_LIST, 0, "send", "LIST", offsetof(struct live_args, commands),
		"commands to a LiteOS board, each time the link comes up: start, stop, mask=N, dump", NULL,
		0 },
	{ .kind = OPT_END },
};

static void tell_link(void *context, const char *sentence)
{
	const struct link *link = context;

	say("%s: %s", link->name, sentence);
}

static enum rst_status refuse(const char *what, struct rst_error *err)
{
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s", what);
	error_advise(err, "see --help");
	return RST_E_USAGE;
}

/* "tcp:PORT" or "udp:PORT". */
static enum rst_status find_listener(struct link *link, const char *text, struct rst_error *err)
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
	return refuse("--listen needs tcp:PORT or udp:PORT", err);
}

/* Bytes that come once and have an end are no link: a file, also where it is standard input. */
static bool is_pipe(int n_operands, char **operands)
{
	struct stat st;

	return n_operands == 1 && strcmp(operands[0], "-") == 0 && fstat(STDIN_FILENO, &st) == 0 &&
	       !S_ISREG(st.st_mode);
}

/* Sets link->kind and address; kind stays NULL when no link is asked for. */
static enum rst_status find_link(struct link *link, const struct live_args *args, int n_operands,
	char **operands, struct rst_error *err)
{
	const char *addresses[] = { args->serial, args->tcp, args->listen };
	int n_links = args->is_followed;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		n_links += addresses[i] != NULL;
	if (n_links > 1)
		return refuse("one live input at a time: --follow, --serial, --tcp or --listen", err);
	if (args->is_followed && (n_operands != 1 || args->common.is_joined))
		return refuse("--follow needs one file", err);
	if (args->is_followed && strcmp(operands[0], "-") == 0)
		return refuse("--follow needs one file by its name; a pipe is followed without it", err);
	if (n_links && !args->is_followed && n_operands)
		return refuse("a live input leaves no room for files", err);
	if (args->listen)
		return find_listener(link, args->listen, err);
	if (args->is_followed)
		link->kind = &link_file;
	else if (is_pipe(n_operands, operands))
		link->kind = &link_pipe;
	link->address = link->kind == &link_pipe ? "standard input" : n_operands ? operands[0] : NULL;
	if (args->serial || args->tcp) {
		link->kind = args->serial ? &link_serial : &link_tcp;
		link->address = args->serial ? args->serial : args->tcp;
	}
	return RST_OK;
}

static enum rst_status check_rest(
	const struct link *link, const struct live_args *args, struct rst_error *err)
{
	if (args->baud != UINT64_MAX && !args->serial)
		return refuse("--baud goes with --serial", err);
	if (args->serial && (link->baud == 0 || link->baud > UINT32_MAX))
		return refuse("--baud needs a rate from 1 to 4294967295", err);
	if (args->is_once && !(link->kind && link->kind->is_closed))
		return refuse("--once goes with --tcp or --listen tcp:", err);
	if (args->save && !link->kind)
		return refuse("--save keeps a live input; files are kept already", err);
	if (args->save && strcmp(args->save, "-") == 0)
		return refuse("--save needs a file; standard output is the report's", err);
	if (args->commands.n_items && !(link->kind && link->kind->can_send))
		return refuse("--send needs a link with another end: --serial, --tcp or --listen tcp:", err);
	if (args->commands.n_items > LINK_COMMANDS_MAX)
		return refuse("--send takes 16 commands at most", err);
	return RST_OK;
}

static enum rst_status take_commands(struct link *link, const struct opt_list *words, struct rst_error *err)
{
	for (; link->n_commands < words->n_items; link->n_commands++)
		error_try(client_command_parse(
			&link->commands[link->n_commands], words->items[link->n_commands], err));
	return RST_OK;
}

static enum rst_status open_save(
	struct link *link, const char *path, int n_operands, char **operands, struct rst_error *err)
{
	struct stat saved, output;
	int fd;

	error_try(common_output(path, false, n_operands, operands, &fd, err));
	link->save_fd = fd;
	if (fstat(fd, &saved) == 0 && fstat(link->out_fd, &output) == 0 && S_ISREG(saved.st_mode) &&
		saved.st_dev == output.st_dev && saved.st_ino == output.st_ino)
		return refuse("--save needs another file than the report", err);
	return RST_OK;
}

enum rst_status live_start(struct live *live, struct live_args *args, const struct command *command,
	int n_operands, char **operands, int out_fd, struct rst_error *err)
{
	struct link *link = &live->link;

	*live = (struct live){ .args = args };
	*link = (struct link){ .fd = -1, .listen_fd = -1, .out_fd = out_fd, .save_fd = -1 };
	link->baud = args->baud != UINT64_MAX ? args->baud : BAUD_USUAL;
	link->is_once = args->is_once;
	link->tell = tell_link;
	link->tell_context = link;
	error_try(find_link(link, args, n_operands, operands, err));
	link->name = args->listen ? args->listen : link->address;
	error_try(check_rest(link, args, err));
	live->is_on = link->kind != NULL;
	if (!live->is_on && !n_operands)
		return common_lacks(command, err);
	if (!live->is_on)
		return RST_OK;
	error_try(take_commands(link, &args->commands, err));
	if (args->save)
		error_try(open_save(link, args->save, n_operands, operands, err));
	live->is_started = true;
	error_try(link_start(link, err));
	live->input = link_input(link);
	args->common.live = &live->input;
	return RST_OK;
}

/* What a signal ends, ends where the user wanted: that is no fault of what came, not even when nothing had come yet. */
int live_done(struct live *live, int exit_status)
{
	struct link *link = &live->link;
	bool is_stopped = link->is_stopped;

	if (live->is_started)
		link_done(link);
	if (link->save_fd >= 0)
		exit_status = common_worse(exit_status, common_close(link->save_fd));
	live->args->common.live = NULL;
	return is_stopped && exit_status == EXIT_DAMAGED ? EXIT_GOOD : exit_status;
}
