/* SPDX-License-Identifier: MIT */
/* How a link waits, and the signals that end it. All functions of a link wait in link_wait(). */
#include <errno.h>
#include <poll.h>

#include "base/steady.h"
#include "input/live/link.h"

/*
 * The action of a signal shows whether it has come: SA_RESETHAND restores the default action when it comes.
 * So a second signal ends the program even if nothing checks for the first, such as in a write that nothing
 * reads.
 */
static const int stop_signals[] = { SIGINT, SIGTERM };
enum { N_STOP_SIGNALS = sizeof(stop_signals) / sizeof(stop_signals[0]) };

static void note_signal(int number)
{
	(void)number;
}

/* A signal that is ignored (nohup, background jobs of a script) stays ignored. */
void link_watch_signals(struct link *link)
{
	sigemptyset(&link->signals);
	const struct sigaction noted = { .sa_handler = note_signal,
		.sa_flags = (int)(SA_RESETHAND | SA_RESTART) };

	for (size_t i = 0; i < N_STOP_SIGNALS; i++) {
		struct sigaction action;

		if (sigaction(stop_signals[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
			continue;
		if (sigaction(stop_signals[i], &noted, NULL) == 0)
			sigaddset(&link->signals, stop_signals[i]);
	}
}

static bool signal_has_come(const sigset_t *signals)
{
	for (size_t i = 0; i < N_STOP_SIGNALS; i++) {
		struct sigaction action;

		if (sigismember(signals, stop_signals[i]) == 1 &&
			sigaction(stop_signals[i], NULL, &action) == 0 && action.sa_handler != note_signal)
			return true;
	}
	return false;
}

/* From now on the next signal ends the program at once. */
void link_leave_signals(struct link *link)
{
	for (size_t i = 0; i < N_STOP_SIGNALS; i++)
		if (sigismember(&link->signals, stop_signals[i]) == 1)
			signal(stop_signals[i], SIG_DFL);
	sigemptyset(&link->signals);
}

void link_stop(struct link *link)
{
	link->is_stopped = true;
	link_leave_signals(link);
}

/* Returns the time when waiting ends: the earlier of both limits. */
static uint64_t wait_end(const struct link *link, int wait_ms)
{
	uint64_t end_ms = wait_ms < 0 ? UINT64_MAX : steady_ms() + (uint64_t)wait_ms;

	return end_ms < link->deadline_ms ? end_ms : link->deadline_ms;
}

/*
 * Calls poll(2) and lets signals in only while it waits: it sees an earlier signal first, and a later one
 * ends the wait.
 */
static int poll_once(struct link *link, struct pollfd *polled, nfds_t n_polled, uint64_t end_ms)
{
	uint64_t now_ms = steady_ms(), left_ms = end_ms > now_ms ? end_ms - now_ms : 0;
	struct timespec left = { .tv_sec = (time_t)(left_ms / 1000),
		.tv_nsec = (long)(left_ms % 1000) * 1000000 };
	sigset_t before;
	int n_ready = 0;

	sigprocmask(SIG_BLOCK, &link->signals, &before);
	if (signal_has_come(&link->signals))
		link_stop(link);
	else
		n_ready = ppoll(polled, n_polled, end_ms == UINT64_MAX ? NULL : &left, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return n_ready;
}

enum rst_status link_wait(struct link *link, int fd, short events, int wait_ms)
{
	/* Even without events, poll(2) reports the end of a pipe or a terminal that is gone. */
	struct pollfd polled[] = { { .fd = link->out_fd }, { .fd = fd, .events = events } };
	uint64_t end_ms = wait_end(link, wait_ms);
	int n_ready;

	do
		n_ready = link->is_stopped ? 0 : poll_once(link, polled, 2, end_ms);
	while (n_ready < 0 && (errno == EINTR || errno == EAGAIN));
	if (!link->is_stopped && polled[0].revents)
		link_stop(link);
	if (link->is_stopped)
		return RST_END;
	return polled[1].revents ? RST_OK : RST_MORE;
}

bool link_goes_on(struct link *link)
{
	return link_wait(link, -1, 0, 0) != RST_END;
}
