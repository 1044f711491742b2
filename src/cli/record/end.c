/* SPDX-License-Identifier: MIT */
/*
 * The end of a recording: the wait for the consumer, which writes the rest of the log, and what became of the
 * log's file meanwhile. Neither consumer nor file are ours alone: other programs can stop the one and change
 * the other.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/steady.h"
#include "cli/cli.h"
#include "cli/record/record.h"

enum {
	PATIENCE_MS = 1000, /* an impatient signal more does not cost a consumer that is at work its log */
	LOOK_MS = 100,
	TELL_MS = 3000,
};

/* --- the consumer --------------------------------------------------------------------------------------- */

/* Shared with a thread that may never come back. */
struct shutdown {
	trace_id_t trid;
	int done_fd;
	int error;
};

static void *shutdown_run(void *argument)
{
	struct shutdown *shutdown = argument;

	/* By this name templates/posix.trcfmt knows that its STOP is the end of the recording. */
	pthread_setname_np(pthread_self(), "rastrum-end");
	shutdown->error = posix_trace_shutdown(shutdown->trid);
	eventfd_write(shutdown->done_fd, 1);
	return NULL;
}

/* A signal that would end this program; SIGCHLD and the signal for a snapshot would not. */
static bool has_ending_signal(int signal_fd, int snapshot_signal)
{
	struct signalfd_siginfo info;
	bool has = false;

	while (signal_fd >= 0 && read(signal_fd, &info, sizeof(info)) == sizeof(info))
		has |= info.ssi_signo != SIGCHLD && (int)info.ssi_signo != snapshot_signal;
	return has;
}

static bool shutdown_await(const struct shutdown *shutdown, struct recording *recording)
{
	struct pollfd done = { .fd = shutdown->done_fd, .events = POLLIN };
	bool is_impatient = false, is_told = false;
	uint64_t begun = steady_ns();

	while (poll(&done, 1, LOOK_MS) <= 0) {
		uint64_t waited_ms = (steady_ns() - begun) / 1000000;

		is_impatient |= has_ending_signal(recording->signal_fd, recording->snapshot_signal);
		if (is_impatient && waited_ms >= PATIENCE_MS)
			return false;
		if (waited_ms >= TELL_MS && !is_told) {
			live_line_clear(&recording->line);
			fprintf(stderr,
				"rastrum: %s: waiting for the log's consumer, posix-trace-consumer; Ctrl-C "
				"leaves it\n",
				recording->path);
			is_told = true;
		}
	}
	return true;
}

int end_shutdown(struct recording *recording)
{
	struct shutdown *shutdown = calloc(1, sizeof(*shutdown));
	int error = EINTR;
	pthread_t thread;

	if (!shutdown)
		return posix_trace_shutdown(recording->trid);
	shutdown->trid = recording->trid;
	shutdown->done_fd = eventfd(0, EFD_CLOEXEC);
	if (shutdown->done_fd < 0 || pthread_create(&thread, NULL, shutdown_run, shutdown) != 0)
		error = posix_trace_shutdown(recording->trid);
	else if (!shutdown_await(shutdown, recording))
		return EINTR; /* the thread keeps what it has */
	else if (pthread_join(thread, NULL) == 0)
		error = shutdown->error;
	if (shutdown->done_fd >= 0)
		close(shutdown->done_fd);
	free(shutdown);
	return error;
}

/* --- the file ------------------------------------------------------------------------------------------- */

enum end_log end_look(struct recording *recording)
{
	struct tally *tally = &recording->tally;
	struct stat st, named;

	if (tally->fd < 0 || fstat(tally->fd, &st) != 0)
		return END_LOG_GOOD;
	/* From the beginning: what was counted meanwhile may be gone. */
	*tally = (struct tally){ .fd = tally->fd };
	tally_look(tally);
	if (st.st_nlink == 0)
		return END_LOG_REMOVED;
	if (tally->read_error)
		return END_LOG_UNREAD;
	if (!tally->has_end)
		return END_LOG_CHANGED;
	return stat(recording->path, &named) == 0 && named.st_ino == st.st_ino && named.st_dev == st.st_dev
		       ? END_LOG_GOOD
		       : END_LOG_MOVED;
}
