/* SPDX-License-Identifier: MIT */
/* rastrum-view, which does the work of `rastrum view` and takes the words behind it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analysis/view.h"
#include "view/server/server.h"

/* A process of its own, which the server does not wait for; without a desktop there is none, and the link is printed anyway. */
static void browser_open(const char *link)
{
	const char *const opener = getenv("BROWSER") ? getenv("BROWSER") : "xdg-open";
	const pid_t child = fork();

	if (child != 0)
		return;
	setsid();
	if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
		!freopen("/dev/null", "w", stderr))
		_exit(EXIT_FAILURE);
	execlp(opener, opener, link, (char *)NULL);
	_exit(EXIT_FAILURE);
}

/* Signals are taken here and in no other thread: they end the server as the user wants it. */
static void signals_block(sigset_t *ret_signals)
{
	sigemptyset(ret_signals);
	sigaddset(ret_signals, SIGINT);
	sigaddset(ret_signals, SIGTERM);
	sigaddset(ret_signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ret_signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
}

static int serve(const struct view_args *args, struct survey *survey, struct session *session)
{
	struct server *server = NULL;
	sigset_t signals;
	struct rst_error err;
	char link[128];
	int number;

	signals_block(&signals);
	if (session_begin(session, survey, &err) < 0)
		return common_fail(&err);
	if (server_start(&server, session, (uint16_t)args->port, &err) < 0)
		return common_worse(common_fail(&err), session_end(session));
	snprintf(link, sizeof(link), "http://127.0.0.1:%u/?token=%s", server_port(server),
		server_token(server));
	puts(link);
	fflush(stdout);
	if (!args->has_no_browser)
		browser_open(link);
	sigwait(&signals, &number);
	server_stop(server);
	return session_end(session);
}

static int view_run(void *arguments, int n_operands, char **operands)
{
	const struct view_args *args = arguments;
	struct survey survey = { .args = &args->analysis, .n_operands = n_operands, .operands = operands };
	struct session *session = calloc(1, sizeof(*session));
	struct rst_error err;
	int exit_status;

	if ((!n_operands && common_lacks(&command_view, &err) < 0) ||
		(common_n_traces(&args->analysis.common, n_operands) != 1 &&
			common_refuse(&err, "with --join the files are parts of one trace",
				"view shows one trace") < 0) ||
		(args->port > UINT16_MAX &&
			common_refuse(&err, "use 1 to 65535, or 0 for any that is free",
				"--port cannot be %llu", (unsigned long long)args->port) < 0)) {
		free(session);
		return common_fail(&err);
	}
	survey_filter(&survey);
	exit_status = session ? serve(args, &survey, session) : EXIT_IO;
	templates_free(survey.templates);
	free(session);
	return exit_status;
}

int main(int argc, char **argv)
{
	struct command command = command_view;
	int exit_status;

	command.program = NULL;
	command.run = view_run;
	command_begin();
	exit_status = command_run(&command, argc - 1, argv + 1);
	return common_worse(exit_status, common_finish_stdout());
}
