/* SPDX-License-Identifier: MIT */
/* rastrum-view, which does the work of `rastrum view` and takes the words behind it. */
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/analysis/view.h"
#include "cli/message.h"
#include "programs/programs.h"
#include "view/server/browser.h"
#include "view/server/server.h"

enum { LARGE_BYTES = 128 * 1024 };

/* Only this thread takes signals: they end the server at the user's request. */
static void signals_block(sigset_t *ret_signals)
{
	sigemptyset(ret_signals);
	sigaddset(ret_signals, SIGINT);
	sigaddset(ret_signals, SIGTERM);
	sigaddset(ret_signals, SIGHUP);
	sigaddset(ret_signals, SIGCUT);
	pthread_sigmask(SIG_BLOCK, ret_signals, NULL);
	cut_watch();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
}

static void end_now(int number)
{
	(void)number;
	_exit(EXIT_GOOD);
}

/* A second signal ends the program at once. An alarm ends it if work cannot be interrupted. */
static void signals_leave(const sigset_t *signals)
{
	const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	signal(SIGALRM, end_now);
	alarm(1);
	signal(SIGCUT, SIG_IGN); /* files that are still read may still be cut */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		signal(numbers[i], SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, signals, NULL);
}

/* The link is the only thing on standard output. */
static int serve(
	const struct view_args *args, struct session *sessions, size_t n_sessions, const sigset_t *signals)
{
	struct server *server = NULL;
	struct rst_error err;
	char link[128];
	struct browser browser = { .path = "" };
	const struct timespec tick = { .tv_nsec = SERVER_TICK_MS * 1000000L };

	if (server_start(&server, sessions, n_sessions, (uint16_t)args->port, &err) < 0)
		return common_fail(&err);
	snprintf(link, sizeof(link), "http://127.0.0.1:%u/?token=%s", server_port(server),
		server_token(server));
	puts(link);
	fflush(stdout);
	if (!args->has_no_browser && !browser_open(&browser, link))
		message_print("note: no browser is started: there is no folder for the file that leads it to "
			      "the link");
	for (int number = -1; number < 0 || number == SIGCUT;) {
		number = sigtimedwait(signals, NULL, &tick);
		for (size_t i = 0; i < n_sessions && number == SIGCUT; i++)
			session_check_file(&sessions[i]);
		server_tick(server);
	}
	browser_close(&browser);
	signals_leave(signals);
	for (size_t i = 0; i < n_sessions; i++)
		session_stop(&sessions[i]);
	server_stop(server);
	return EXIT_GOOD;
}

static enum rst_status view_check(const struct view_args *args, struct rst_error *err)
{
	if (args->port > UINT16_MAX)
		return common_refuse(err, "use 1 to 65535, or 0 for any that is free",
			"--port cannot be %llu", (unsigned long long)args->port);
	return RST_OK;
}

static int view_run(void *arguments, int n_operands, char **operands)
{
	const struct view_args *args = arguments;
	struct viewing viewing = { .live_args.is_followed = args->is_followed };
	const size_t n = open_n_traces(&args->analysis.job.open, n_operands);
	struct session *sessions = NULL;
	struct rst_error err;
	enum rst_status status =
		viewing_begin(&viewing, &command_view, &args->analysis.job, n_operands, operands, &err);
	sigset_t signals;
	size_t n_begun = 0;
	int exit_status;

	if (status == RST_OK)
		status = view_check(args, &err);
	viewing.spec.has_relations = true;
	if (status == RST_OK) {
		sessions = calloc(n, sizeof(*sessions));
		status = sessions ? RST_OK : error_nomem(&err);
	}
	signals_block(&signals);
	while (status == RST_OK && n_begun < n) {
		status = session_begin(&sessions[n_begun], &viewing.spec, n_begun, &err);
		n_begun++;
	}
	exit_status = status == RST_OK ? serve(args, sessions, n, &signals) : common_fail(&err);
	for (size_t i = 0; i < n_begun; i++)
		exit_status = outcome_worse(exit_status, session_end(&sessions[i]));
	free(sessions);
	return live_done(&viewing.live, exit_status);
}

/* Large pieces, such as tables that were asked for, go back to the system; threads share what is left. */
static void memory_set_up(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
}

int main(int argc, char **argv)
{
	memory_set_up();
	return command_main(&command_view, NULL, view_run, argc, argv);
}
