/* SPDX-License-Identifier: MIT */
/*
 * The loop that serves a session while it runs. One thread waits for everything, so each request finds the
 * session as the last request left it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "aixtrace/channel.h"
#include "cli/aix/trace.h"
#include "cli/cli.h"
#include "cli/message.h"

enum serve { GO_ON, END };

static int trace_serve_fail(const struct trace_session *session, int error)
{
	message_print("%s: the session cannot write its log: %s", session->stream.log.path, strerror(error));
	return EXIT_IO;
}

void trace_session_free_channel(struct trace_session *session)
{
	channel_close(session->listening, session->stream.channel);
	session->listening = -1;
}

/* Hooks of processes that could not be attached are nowhere: the log must not trace_serve_look whole. */
static int tell_missed(const struct trace_session *session)
{
	const unsigned n = session->processes.n_missed;

	if (n == 0)
		return EXIT_GOOD;
	message_print(
		"%s: the hooks of %u process%s are missing", session->stream.log.path, n, n == 1 ? "" : "es");
	return EXIT_IO;
}

/* --- requests of other processes ------------------------------------------------------------------------ */

static enum serve request_do(struct trace_session *session, int request, pid_t peer, int *ret_error)
{
	switch ((enum channel_request)request) {
	case CHANNEL_ON:
	case CHANNEL_OFF:
		*ret_error = trace_stream_turn(&session->stream, request == CHANNEL_ON);
		return GO_ON;
	case CHANNEL_STOP:
	case CHANNEL_DISCARD:
		*ret_error = trace_stream_end(&session->stream, request == CHANNEL_DISCARD);
		return END;
	case CHANNEL_COME:
		trace_processes_take(&session->processes, peer);
		return GO_ON;
	case N_CHANNEL_REQUESTS:
		break;
	}
	*ret_error = EINVAL;
	return GO_ON;
}

static enum serve take_request(struct trace_session *session, int *exit_status)
{
	int fd, error = 0;
	const int request = channel_accept(session->listening, &fd);
	enum serve next;

	if (request < 0)
		return GO_ON;
	next = request_do(session, request, channel_peer(fd), &error);
	/* The channel is free when the answer comes. */
	if (next == END)
		trace_session_free_channel(session);
	channel_answer(fd, error == 0 && !(request == CHANNEL_STOP && session->processes.n_missed) ? 0 : EIO);
	if (error)
		*exit_status = trace_serve_fail(session, error);
	return next;
}

/* --- subcommands of a person ("trace Command", Subcommands) --------------------------------------------- */

static void print_subcommands(void)
{
	puts("trcon    records\ntrcoff   records no more\n!COMMAND runs a command of the shell\n"
	     "quit     ends the session (q)\n?        this list");
}

static enum serve subcommand_do(struct trace_session *session, const char *line, int *exit_status)
{
	int error = 0;

	if (strcmp(line, "q") == 0 || strcmp(line, "quit") == 0)
		return END;
	if (strcmp(line, "trcon") == 0 || strcmp(line, "trcoff") == 0)
		error = trace_stream_turn(&session->stream, line[4] == 'n');
	else if (line[0] == '!')
		(void)!system(line + 1);
	else if (line[0])
		print_subcommands();
	if (error)
		*exit_status = trace_serve_fail(session, error);
	return GO_ON;
}

static void prompt(const struct trace_session *session)
{
	if (session->input < 0)
		return;
	if (isatty(session->input))
		fputs("-> ", stdout);
	fflush(stdout);
}

/* The end of the input ends the session, as `quit` does. */
static enum serve take_line(struct trace_session *session, int *exit_status)
{
	char line[512];
	enum serve next;

	if (!fgets(line, sizeof(line), stdin))
		return END;
	line[strcspn(line, "\n")] = '\0';
	next = subcommand_do(session, line, exit_status);
	if (next == GO_ON)
		prompt(session);
	return next;
}

/* --- the session ---------------------------------------------------------------------------------------- */

/* The program of -x ends the session, that of -X does not. */
static enum serve take_signals(struct trace_session *session, int *exit_status)
{
	struct signalfd_siginfo info;
	enum serve next = GO_ON;

	while (read(session->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			next = END;
	if (session->program.pid > 0 && program_has_ended(&session->program)) {
		*exit_status = outcome_worse(*exit_status, program_exit_status(&session->program));
		session->program.pid = 0;
		if (session->stream.args->program)
			next = END;
	}
	return next;
}

static enum serve trace_serve_look(struct trace_session *session, int *exit_status)
{
	struct pollfd fds[] = {
		{ .fd = session->signal_fd, .events = POLLIN },
		{ .fd = session->listening, .events = POLLIN },
		{ .fd = session->processes.watch_fd, .events = POLLIN },
		{ .fd = session->input, .events = POLLIN },
	};

	if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0)
		return errno == EINTR ? GO_ON : END;
	if (fds[2].revents)
		trace_processes_look(&session->processes);
	if (fds[0].revents && take_signals(session, exit_status) == END)
		return END;
	if (fds[1].revents && take_request(session, exit_status) == END)
		return END;
	return fds[3].revents ? take_line(session, exit_status) : GO_ON;
}

int trace_serve(struct trace_session *session)
{
	int exit_status = EXIT_GOOD, error;

	/* Lines that were read ahead would not be seen by poll(). */
	if (session->input >= 0)
		setvbuf(stdin, NULL, _IONBF, 0);
	prompt(session);
	while (trace_serve_look(session, &exit_status) == GO_ON)
		;
	error = trace_stream_end(&session->stream, false);
	exit_status = outcome_worse(exit_status, tell_missed(session));
	return error ? trace_serve_fail(session, error) : exit_status;
}
