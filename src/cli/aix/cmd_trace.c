/* SPDX-License-Identifier: MIT */
/*
 * `rastrum trace`: a session as AIX's trace command starts it, with its letters. cli/trace/trace.h names the
 * parts. With -a it goes on in the background: the command returns when the session records, so that a
 * script's next line is traced.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aixtrace/channel.h"
#include "cli/aix/trace.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "record/posix/recorder.h"

static const struct opt what_opts[] = {
	{ OPT_LIST, 'j', "hooks", "LIST", offsetof(struct trace_args, hooks),
		.help = "record these hooks alone: ids of 3 or 4 digits" },
	{ OPT_LIST, 'J', "groups", "LIST", offsetof(struct trace_args, groups),
		.help = "likewise, hooks of these groups; `rastrum trcevgrp -l` lists them" },
	{ OPT_LIST, 'k', "not-hooks", "LIST", offsetof(struct trace_args, not_hooks),
		.help = "record all hooks but these" },
	{ OPT_LIST, 'K', "not-groups", "LIST", offsetof(struct trace_args, not_groups),
		.help = "likewise, all but those of these groups" },
	{ OPT_LIST, 'A', "processes", "LIST", offsetof(struct trace_args, pids),
		.help = "of these processes alone, by number", .complete = complete_processes },
	{ OPT_TEXT, 'x', "program", "COMMAND", offsetof(struct trace_args, program),
		.help = "run this, record it alone, and end with it" },
	{ OPT_TEXT, 'X', "lasting-program", "COMMAND", offsetof(struct trace_args, lasting_program),
		.help = "likewise, but the session goes on when it has ended" },
	{ OPT_TEXT, 'P', "propagate", "p|t|pt", offsetof(struct trace_args, propagate),
		.help = "children of -A, -x and -X are recorded, too" },
	{ .kind = OPT_END },
};

static const struct opt how_opts[] = {
	{ OPT_FLAG, 'a', "background", NULL, offsetof(struct trace_args, is_async),
		.help = "return when the session records; it goes on in the background" },
	{ OPT_FLAG, 'd', "delayed", NULL, offsetof(struct trace_args, is_deferred),
		.help = "record from trcon on" },
	{ OPT_FLAG, 'g', "generic", NULL, offsetof(struct trace_args, is_generic),
		.help = "a channel of its own, 1 to 7, whose number is printed (default: channel 0)" },
	{ OPT_FLAG, 'f', "single", NULL, offsetof(struct trace_args, is_single),
		.help = "fill memory once, then record no more" },
	{ OPT_FLAG, 'l', "circular", NULL, offsetof(struct trace_args, is_circular),
		.help = "keep the newest entries in memory, and write them at the end" },
	{ OPT_LIST, 0, "rare", "LIST", offsetof(struct trace_args, rare),
		.help = "with -l: hooks that a flood of others never overwrites" },
	{ OPT_LIST, 0, "common", "LIST", offsetof(struct trace_args, common),
		.help = "with -l: hooks of the flood (default: those that turn out to be)" },
	{ OPT_FLAG, 's', "stop-when-full", NULL, offsetof(struct trace_args, stops_when_full),
		.help = "a full log takes no more (default: it drops its oldest entries)" },
	{ .kind = OPT_END },
};

static const struct opt log_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct trace_args, output),
		.help = "the log (default: trcfile); - is standard output", .complete = complete_files },
	{ OPT_FLAG, 'c', "keep-old", NULL, offsetof(struct trace_args, keeps_old),
		.help = "an older FILE becomes FILE.old, in place of a log of that name" },
	{ OPT_FLAG, 0, "force", NULL, offsetof(struct trace_args, is_forced),
		.help = "overwrite FILE even if it is no log" },
	{ OPT_NUMBER, 'L', "log-size", "SIZE", offsetof(struct trace_args, log_bytes),
		.help = "bytes of entries in the log (default: no bound)" },
	{ OPT_NUMBER, 'T', "buffer-size", "SIZE", offsetof(struct trace_args, buffer_bytes),
		.help = "bytes of memory for entries (default 4Mi)" },
	{ OPT_TEXT, 'm', "message", "TEXT", offsetof(struct trace_args, message),
		.help = "the log's name, which reports show" },
	{ .kind = OPT_END },
};

static const struct opt_group trace_groups[] = {
	{ .title = "What is recorded", .opts = what_opts },
	{ .title = "How", .opts = how_opts },
	{ .title = "The log", .opts = log_opts },
	{ .title = "Of AIX, refused here", .opts = trace_absent_opts },
	{ .opts = NULL },
};

static const struct example trace_examples[] = {
	{ "rastrum trace -a -o run.rst; ./app; rastrum trcstop",
		"hooks of all programs of yours, while one runs" },
	{ "rastrum trace -x './app --fast' -P p -o app-1.rst", "of one program and its children" },
	{ "rastrum trace -al -T 16Mi -j 010,011; ./app; rastrum trcstop", "the newest entries of two hooks" },
	{ "rastrum trace -agd; rastrum trcon 1; ./app; rastrum trcstop 1",
		"a session on a channel of its own, which trcon begins" },
	{ NULL, NULL },
};

static void trace_defaults(void *arguments)
{
	struct trace_args *args = arguments;

	args->log_bytes = args->buffer_bytes = UINT64_MAX;
}

/* --- the command line ----------------------------------------------------------------------------------- */

/* "The buffer is at most half of the log, and with -f as large as it is" (trace Command, -T). */
static enum rst_status check_sizes(const struct trace_args *args, struct rst_error *err)
{
	const uint64_t log = args->log_bytes, buffer = args->buffer_bytes;

	if (buffer != UINT64_MAX && (buffer == 0 || buffer >= UINT32_MAX))
		return common_refuse(err, "for instance 16Mi", "-T takes 1 byte to a little less than 4 GiB");
	if (log == 0)
		return common_refuse(err, "for instance 100Mi", "-L cannot be 0");
	if (args->is_single && args->is_circular)
		return common_refuse(
			err, "leave out one of them", "-f stops when memory is full, -l never does");
	if (args->is_circular && log != UINT64_MAX)
		return common_refuse(err, "give -T", "-l keeps entries in memory, whose size is -T");
	if (!args->is_circular && (args->rare.n_items || args->common.n_items))
		return common_refuse(
			err, "give -l, too", "--rare and --common: only -l has a ring for rare hooks");
	if (args->stops_when_full && log == UINT64_MAX)
		return common_refuse(err, "give -L", "-s: without a size the log is never full");
	if (log == UINT64_MAX || buffer == UINT64_MAX)
		return RST_OK;
	if (args->is_single ? buffer > log : buffer > log / 2)
		return common_refuse(err, "give a larger -L", "-T is at most %s -L",
			args->is_single ? "as large as" : "half of");
	return RST_OK;
}

static enum rst_status check_targets(const struct trace_args *args, struct rst_error *err)
{
	if ((args->program != NULL) + (args->lasting_program != NULL) + (args->pids.n_items > 0) > 1)
		return common_refuse(err, "give one of them", "-A, -x and -X each say what is recorded");
	if (args->propagate && (!*args->propagate || args->propagate[strspn(args->propagate, "pt")]))
		return common_refuse(err, "p, t or pt", "-P cannot be '%s'", args->propagate);
	if (args->is_generic && !args->is_async)
		return common_refuse(
			err, "give -a, too", "-g: a session of a program runs in the background");
	if (args->output && strcmp(args->output, "-") == 0 &&
		(args->is_async || args->program || args->lasting_program))
		return common_refuse(
			err, "give -o a file or a named pipe", "standard output is used otherwise");
	return RST_OK;
}

static enum rst_status trace_args_check(const struct trace_args *args, struct rst_error *err)
{
	error_try(trace_refuse_absent(args, err));
	error_try(check_sizes(args, err));
	return check_targets(args, err);
}

/* --- the session's parts -------------------------------------------------------------------------------- */

static enum rst_status take_channel(struct trace_session *session, struct rst_error *err)
{
	const bool is_generic = session->stream.args->is_generic;

	for (int channel = is_generic; channel < (is_generic ? CHANNELS : 1); channel++) {
		session->listening = channel_listen(channel);
		session->stream.channel = channel;
		if (session->listening >= 0)
			return RST_OK;
		if (errno != EADDRINUSE)
			return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot listen for trcstop: %s",
				strerror(errno));
	}
	error_set(err, RST_E_IO, RST_NO_OFFSET,
		is_generic ? "all channels have a session" : "there is a session on channel 0 already");
	error_advise(err, "%s",
		is_generic ? "`rastrum trcstop 1` ends that of channel 1"
			   : "`rastrum trcstop` ends it, -g gives this one a channel of its own");
	return RST_E_IO;
}

/* Only a log is replaced by an older log. */
static enum rst_status keep_old(const char *path, const char *old, bool is_forced, struct rst_error *err)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return RST_OK;
	if (logfile_check_old(old, is_forced, err) < 0) {
		error_advise(err, "-c would replace it by the older log; move it away, or give --force");
		return err->status;
	}
	if (rename(path, old) == 0)
		return RST_OK;
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot rename it to %s: %s", old, strerror(errno));
	return error_name(err, path), RST_E_IO;
}

static enum rst_status open_log(struct trace_session *session, struct rst_error *err)
{
	const struct trace_args *args = session->stream.args;
	const char *path = args->output ? args->output : TRACE_LOG;
	enum rst_status status;
	char *old;

	if (args->keeps_old && strcmp(path, "-") != 0) {
		if (asprintf(&old, "%s.old", path) < 0)
			return error_nomem(err);
		status = keep_old(path, old, args->is_forced, err);
		free(old);
		if (status < 0)
			return status;
	}
	return logfile_open(&session->stream.log, path, args->is_forced, err);
}

static enum rst_status watch_signals(struct trace_session *session, struct rst_error *err)
{
	static const int watched[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD };

	sigemptyset(&session->watched);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(&session->watched, watched[i]);
	sigprocmask(SIG_BLOCK, &session->watched, &session->before);
	session->signal_fd = signalfd(-1, &session->watched, SFD_CLOEXEC | SFD_NONBLOCK);
	return session->signal_fd >= 0 ? RST_OK
				       : error_set(err, RST_E_IO, RST_NO_OFFSET,
						 "cannot wait for signals: %s", strerror(errno));
}

/*
 * A shell runs it, as the command line of -x is one text; exec lets it be the process that is traced. Its
 * process is made before the stream, of which it would be a child otherwise, and inherit it.
 */
static enum rst_status hold_program(struct trace_session *session, struct rst_error *err)
{
	const struct trace_args *args = session->stream.args;
	const char *command = args->program ? args->program : args->lasting_program;
	char *line, *arguments[] = { (char *)(uintptr_t) "/bin/sh", (char *)(uintptr_t) "-c", NULL, NULL };
	const struct program_start start = {
		.path = "/bin/sh", .arguments = arguments, .signals = &session->before
	};
	enum rst_status status;

	if (!command)
		return RST_OK;
	if (asprintf(&line, "exec %s", command) < 0)
		return error_nomem(err);
	arguments[2] = line;
	status = program_hold(&session->program, &start, err);
	free(line);
	return status;
}

static enum rst_status start_program(struct trace_session *session, struct rst_error *err)
{
	struct program *program = &session->program;
	int error;

	if (program->pid <= 0)
		return RST_OK;
	error = posix_trace_attach_np(
		session->stream.trid, program->pid, trace_inheritance(session->stream.args));
	if (error)
		return error_set(
			err, RST_E_IO, RST_NO_OFFSET, "cannot trace the program: %s", strerror(error));
	if (program_go(program, "/bin/sh", "") == 0)
		return RST_OK;
	program->pid = 0;
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot run the program");
}

static enum rst_status trace_begin(struct trace_session *session, struct rst_error *err)
{
	const struct trace_args *args = session->stream.args;
	struct posix_trace_hooks_np hooks, rare;
	int error;

	/* A wrong list is reported before anything is made. */
	error_try(trace_hooks_read(args, &hooks, err));
	error_try(trace_rings_read(args, &hooks, &rare, err));
	error_try(take_channel(session, err));
	error_try(open_log(session, err));
	error_try(watch_signals(session, err));
	error_try(hold_program(session, err));
	error_try(trace_stream_begin(&session->stream, err));
	error_try(trace_processes_begin(&session->processes, args, session->stream.trid, err));
	error = args->is_deferred ? 0 : trace_stream_turn(&session->stream, true);
	if (error)
		return error_set(
			err, RST_E_IO, RST_NO_OFFSET, "cannot trace_begin to record: %s", strerror(error));
	return start_program(session, err);
}

/* --- foreground and background -------------------------------------------------------------------------- */

/*
 * The command that was called waits for one byte, which is sent when the session records. End of file without
 * that byte is a failure.
 */
static void say_ready(int ready, const struct trace_session *session)
{
	const unsigned char channel = (unsigned char)session->stream.channel;

	if (ready < 0)
		return;
	while (write(ready, &channel, 1) < 0 && errno == EINTR)
		;
	close(ready);
}

/* In the background nothing of a terminal is held. Messages still go where they went. */
static void leave_terminal(void)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
}

/* A reader of the command's messages, say $(...), would wait for the end of the session. */
static void leave_pipe(void)
{
	struct stat st;
	const int null = fstat(STDERR_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
				 ? open("/dev/null", O_RDWR | O_CLOEXEC)
				 : -1;

	if (null < 0)
		return;
	dup2(null, STDERR_FILENO);
	close(null);
}

static int session_run(const struct trace_args *args, int ready)
{
	struct trace_session session = { .stream = { .args = args, .log.fd = -1 },
		.processes.watch_fd = -1,
		.listening = -1,
		.signal_fd = -1,
		.input = args->is_async || args->program ? -1 : STDIN_FILENO };
	struct rst_error err;
	int exit_status;

	recorder_begin();
	if (trace_begin(&session, &err) < 0) {
		exit_status = common_fail(&err);
		if (session.program.pid > 0)
			program_drop(&session.program);
		trace_stream_end(&session.stream, true);
	} else {
		if (args->is_async)
			leave_pipe();
		say_ready(ready, &session);
		exit_status = trace_serve(&session);
	}
	trace_session_free_channel(&session);
	trace_processes_done(&session.processes);
	logfile_close(&session.stream.log);
	recorder_end();
	return exit_status;
}

/* The session is a child of its own; the command ends when it records, or with its failure. */
static int session_detach(const struct trace_args *args)
{
	unsigned char channel;
	int ends[2], status;
	pid_t pid;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0) {
		struct rst_error err;

		error_set(&err, RST_E_IO, RST_NO_OFFSET, "cannot trace_begin a process: %s", strerror(errno));
		return common_fail(&err);
	}
	if (pid == 0) {
		close(ends[0]);
		leave_terminal();
		exit(session_run(args, ends[1]));
	}
	close(ends[1]);
	while ((n = read(ends[0], &channel, 1)) < 0 && errno == EINTR)
		;
	close(ends[0]);
	if (n == 1) {
		if (args->is_generic)
			printf("%d\n", channel);
		return EXIT_GOOD;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_IO;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_IO;
}

static int trace_run(void *arguments, int n_operands, char **operands)
{
	const struct trace_args *args = arguments;
	struct rst_error err;

	(void)operands;
	if (n_operands) {
		common_refuse(&err, "-o names the log, -x a program", "trace takes no words but its options");
		return common_fail(&err);
	}
	if (trace_args_check(args, &err) < 0)
		return common_fail(&err);
	return args->is_async ? session_detach(args) : session_run(args, -1);
}

const struct command command_trace = {
	.name = "trace",
	.usages = { "[options]" },
	.summary = "start a session that records hooks, as AIX's trace does",
	.groups = trace_groups,
	.examples = trace_examples,
	.args_bytes = sizeof(struct trace_args),
	.defaults = trace_defaults,
	.run = trace_run,
};
