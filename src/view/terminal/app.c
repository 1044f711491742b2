/* SPDX-License-Identifier: MIT */
/* The screen while it is shown: it waits for keys, signals and time. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "view/terminal/screen.h"

enum { PICTURE_MS = 250 /* between two pictures of what is being read */, END_S = 2 };

/* The thread that waits for keys takes signals between two pictures: the screen is complete then. */
static bool signals_begin(struct app *app)
{
	const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH, SIGCUT };

	sigemptyset(&app->signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&app->signals, numbers[i]);
	pthread_sigmask(SIG_BLOCK, &app->signals, NULL);
	cut_watch();
	app->signals_fd = signalfd(-1, &app->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return app->signals_fd >= 0;
}

static void signal_take(struct app *app)
{
	struct signalfd_siginfo info;

	while (read(app->signals_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			screen_suspend();
		else if (info.ssi_signo == SIGWINCH)
			screen_resize();
		else if (info.ssi_signo == SIGCUT)
			for (size_t i = 0; i < app->n_windows; i++)
				session_check_file(app->windows[i].session);
		else {
			app->signal = (int)info.ssi_signo;
			app->is_quitting = true;
		}
	}
}

int app_key(struct app *app, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = app->signals_fd, .events = POLLIN } };
	int key = getch();

	if (key != ERR)
		return key;
	if (poll(fds, 2, timeout_ms) <= 0)
		return ERR;
	if (fds[1].revents)
		signal_take(app);
	if (fds[0].revents & POLLIN)
		key = getch();
	else if (fds[0].revents) {
		app->signal = SIGHUP;
		app->is_quitting = true;
	}
	return key;
}

/* Handles all keys that have already arrived before the next picture. */
static void app_run(struct app *app)
{
	while (!app->is_quitting) {
		const bool is_final = window_draw(&app->windows[app->shown]);
		int key = app_key(app, is_final ? -1 : PICTURE_MS);

		for (; key != ERR && !app->is_quitting; key = getch())
			key_run(app, key);
	}
}

static void end_now(int number)
{
	(void)number;
	_exit(EXIT_GOOD);
}

/* Called after the screen is restored. An alarm ends the program if a reader does not end in time. */
static int app_end(struct app *app, struct session *sessions, int outcome)
{
	signal(SIGALRM, end_now);
	alarm(END_S);
	for (size_t i = 0; i < app->n_windows; i++)
		session_stop(&sessions[i]);
	for (size_t i = 0; i < app->n_windows; i++) {
		outcome = outcome_worse(outcome, session_end(&sessions[i]));
		search_done(&app->windows[i]);
		arrange_done(&app->windows[i].arrangement);
	}
	alarm(0);
	close(app->signals_fd);
	if (app->signal) {
		signal(app->signal, SIG_DFL);
		raise(app->signal);
		pthread_sigmask(SIG_UNBLOCK, &app->signals, NULL);
	}
	return outcome;
}

static enum rst_status windows_begin(struct app *app, struct session *sessions, size_t n,
	const struct session_spec *spec, const struct screen_look *look, struct rst_error *err)
{
	enum rst_status status = RST_OK;

	while (status == RST_OK && app->n_windows < n) {
		struct window *window = &app->windows[app->n_windows];

		window->session = &sessions[app->n_windows];
		window->screen = &app->screen;
		window->is_followed = spec->is_followed;
		window->arrangement.names = look->tracks;
		status = session_begin(window->session, spec, app->n_windows++, err);
	}
	return status;
}

/* Sessions and windows exist while the screen does. */
int app_show(const struct session_spec *spec, size_t n_traces, const struct screen_look *look)
{
	struct session *sessions = calloc(n_traces, sizeof(*sessions));
	struct app app = { .windows = calloc(n_traces, sizeof(struct window)), .signals_fd = -1 };
	struct rst_error err;
	enum rst_status status = screen_check(&err);
	int outcome = EXIT_GOOD;

	if (status == RST_OK && (!sessions || !app.windows || !signals_begin(&app)))
		status = error_nomem(&err);
	if (status == RST_OK)
		status = windows_begin(&app, sessions, n_traces, spec, look, &err);
	if (status == RST_OK)
		status = screen_begin(&app.screen, look, &err);
	if (status == RST_OK) {
		app_run(&app);
		screen_end(&app.screen);
	} else {
		char text[640];

		spec->listener->tell(spec->listener->context, rst_error_text(&err, text, sizeof(text)));
		outcome = outcome_of(&err);
	}
	outcome = app_end(&app, sessions, outcome);
	free(sessions);
	free(app.windows);
	return outcome;
}
