/* SPDX-License-Identifier: MIT */
/* The life of a link, whatever its kind (link.h). Begin reading at link_read(). */
#include "collect/link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum {
	RETRY_FIRST_MS = 100,
	RETRY_LAST_MS = 1000,
	LOOK_MS = 50,	/* between looks at a file that may have grown */
	SEND_MS = 1000, /* a link that takes no byte for so long does not take commands */
};

static uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void link_tell(const struct link *link, const char *format, ...)
{
	char sentence[300];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	link->tell(link->tell_context, sentence);
}

enum rst_status link_refused(const struct link *link, const char *verb, int reason, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot %s: %s", verb, strerror(reason));
	error_name(err, link->address);
	return RST_E_IO;
}

/* --- signals and waiting ------------------------------------------------------------------------------------- */

/* What is ignored (nohup, jobs in the background of a script) stays ignored. */
static void find_signals(sigset_t *ret_signals)
{
	static const int numbers[] = { SIGINT, SIGTERM };

	sigemptyset(ret_signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction action;

		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(ret_signals, numbers[i]);
	}
}

/* A signal is taken, and the next one is not waited for: whoever is impatient must be able to end the program. */
static void link_stop(struct link *link)
{
	struct signalfd_siginfo info;
	sigset_t signals;

	find_signals(&signals);
	link->is_stopped = true;
	if (read(link->stop_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/* How long poll(2) may take: both limits in one, -1 without any. */
static int wait_left(const struct link *link, uint64_t now_ms, int wait_ms)
{
	uint64_t left_ms = link->deadline_ms > now_ms ? link->deadline_ms - now_ms : 0;

	if (wait_ms >= 0 && left_ms > (uint64_t)wait_ms)
		return wait_ms;
	return left_ms > INT32_MAX ? -1 : (int)left_ms;
}

enum rst_status link_wait(struct link *link, int fd, short events, int wait_ms)
{
	/* Without events poll(2) tells of an end of a pipe or a terminal that is gone. */
	struct pollfd polled[] = { { .fd = link->stop_fd, .events = POLLIN }, { .fd = link->out_fd },
		{ .fd = fd, .events = events } };
	uint64_t start_ms = clock_ms(), now_ms = start_ms;
	int n_ready;

	if (link->is_stopped)
		return RST_END;
	do {
		int left_ms = wait_ms < 0 ? -1 : wait_ms - (int)(now_ms - start_ms);

		n_ready = poll(polled, 3, wait_left(link, now_ms, wait_ms < 0 || left_ms > 0 ? left_ms : 0));
		now_ms = clock_ms();
	} while (n_ready < 0 && (errno == EINTR || errno == EAGAIN));
	if (polled[0].revents || polled[1].revents)
		link_stop(link);
	if (link->is_stopped)
		return RST_END;
	return polled[2].revents ? RST_OK : RST_MORE;
}

bool link_goes_on(struct link *link)
{
	return link->stop_fd < 0 || link_wait(link, -1, 0, 0) != RST_END;
}

/* --- from start to end --------------------------------------------------------------------------------------- */

enum rst_status link_start(struct link *link, struct rst_error *err)
{
	sigset_t signals;

	link->fd = link->listen_fd = link->stop_fd = -1;
	link->deadline_ms = UINT64_MAX;
	link->retry_ms = RETRY_FIRST_MS;
	find_signals(&signals);
	link->held = malloc(LINK_BYTES);
	if (!link->held)
		return error_nomem(err);
	link->stop_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (link->stop_fd < 0)
		return link_refused(link, "watch for signals", errno, err);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return RST_OK;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void link_done(struct link *link)
{
	sigset_t signals;

	if (link->stop_fd >= 0) {
		find_signals(&signals);
		sigprocmask(SIG_UNBLOCK, &signals, NULL);
	}
	if (!link->kind->ends) /* a pipe is the caller's */
		close_fd(&link->fd);
	close_fd(&link->listen_fd);
	close_fd(&link->stop_fd);
	free(link->held);
	link->held = NULL;
}

/* --- taking up ----------------------------------------------------------------------------------------------- */

static bool send_bytes(struct link *link, const uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes) {
		ssize_t n = write(link->fd, bytes, n_bytes);

		if (n > 0) {
			bytes += n;
			n_bytes -= (size_t)n;
		} else if (errno == EAGAIN) {
			if (link_wait(link, link->fd, POLLOUT, SEND_MS) != RST_OK)
				return false;
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

/* A link that fails here will be found lost when it is read. */
static void send_commands(struct link *link)
{
	uint64_t deadline_ms = link->deadline_ms;

	link->deadline_ms = UINT64_MAX;
	for (size_t i = 0; i < link->n_commands; i++)
		if (!send_bytes(link, link->commands[i].bytes, CLIENT_COMMAND_BYTES)) {
			link_tell(link, "the commands could not be sent");
			break;
		}
	link->deadline_ms = deadline_ms;
}

static void link_is_up(struct link *link)
{
	if (link->is_lost && !link->is_back)
		link_tell(link, "the link is back");
	link->is_back = link->is_lost;
	link->was_up = true;
	link->n_at_open = link->n_bytes;
	send_commands(link);
}

static void wait_longer(struct link *link)
{
	link->retry_at_ms = clock_ms() + link->retry_ms;
	link->retry_ms = link->retry_ms < RETRY_LAST_MS / 2 ? link->retry_ms * 2 : RETRY_LAST_MS;
}

/*
 * Tries until the link is up or time is over. The first time it must succeed, so that a wrong name is told at once; a link
 * that has been there is waited for, with longer and longer pauses.
 */
static enum rst_status take_up(struct link *link, struct rst_error *err)
{
	for (;;) {
		uint64_t now_ms = clock_ms();
		enum rst_status status = RST_OK;

		if (now_ms < link->retry_at_ms)
			status = link_wait(link, -1, 0, (int)(link->retry_at_ms - now_ms));
		if (status == RST_END)
			return RST_END;
		if (clock_ms() < link->retry_at_ms)
			return RST_MORE;
		status = link->kind->open(link, err);
		if (status == RST_OK)
			link_is_up(link);
		if (status != RST_E_IO || !link->was_up)
			return status;
		wait_longer(link);
	}
}

/* --- reading ------------------------------------------------------------------------------------------------- */

static enum rst_status save(
	const struct link *link, const uint8_t *bytes, size_t n_bytes, struct rst_error *err)
{
	while (link->save_fd >= 0 && n_bytes) {
		ssize_t n = write(link->save_fd, bytes, n_bytes);

		if (n > 0) {
			bytes += n;
			n_bytes -= (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			return link_refused(link, "save what comes", n ? errno : EIO, err);
		}
	}
	return RST_OK;
}

static enum rst_status take_bytes(
	struct link *link, const uint8_t *bytes, size_t n_bytes, struct rst_error *err)
{
	link->n_bytes += n_bytes;
	link->is_lost = link->is_back = false;
	link->retry_ms = RETRY_FIRST_MS;
	link->retry_at_ms = 0;
	return save(link, bytes, n_bytes, err);
}

/* One that comes and goes without a byte is waited for as if it had not come. */
static enum rst_status link_lose(struct link *link, int reason)
{
	close_fd(&link->fd);
	if (link->n_bytes == link->n_at_open && link->is_lost) {
		wait_longer(link);
		return RST_OK;
	}
	link_tell(link, "the link is lost: %s; waiting for it to come back",
		reason && reason != ESTALE && reason != EIO ? strerror(reason) : link->kind->lost);
	link->is_lost = true;
	link->is_back = false;
	return RST_MORE;
}

/* Reads what is there. RST_OK with none: there was nothing, or the link went unnoticed. */
static enum rst_status read_once(
	struct link *link, uint8_t *room, size_t n_room, size_t *ret_n_bytes, struct rst_error *err)
{
	ssize_t n = link->kind->read(link, room, n_room);
	int reason = n < 0 ? errno : 0;

	if (n > 0) {
		*ret_n_bytes = (size_t)n;
		return take_bytes(link, room, (size_t)n, err);
	}
	if (reason == EAGAIN || reason == EINTR)
		return RST_OK;
	if (n == 0 && link->kind->is_watched) {
		enum rst_status status = link_wait(link, -1, 0, LOOK_MS);

		return status == RST_END ? RST_END : RST_OK;
	}
	if (link->kind->ends)
		return n == 0 ? RST_END : link_refused(link, "read on", reason, err);
	return link_lose(link, reason);
}

/* Until there is something to read, as far as that can be known beforehand. */
static enum rst_status await_bytes(struct link *link)
{
	if (!link->kind->is_watched && !link->n_held)
		return link_wait(link, link->fd, POLLIN, LIVE_FOREVER);
	return link_goes_on(link) ? RST_OK : RST_END;
}

static enum rst_status link_read(
	void *context, uint8_t *room, size_t n_room, int wait_ms, size_t *ret_n_bytes, struct rst_error *err)
{
	struct link *link = context;
	enum rst_status status;

	*ret_n_bytes = 0;
	link->deadline_ms = wait_ms < 0 ? UINT64_MAX : clock_ms() + (uint64_t)wait_ms;
	do {
		status = link->fd < 0 ? take_up(link, err) : RST_OK;
		if (status == RST_OK)
			status = await_bytes(link);
		if (status == RST_MORE)
			return RST_OK; /* time is over */
		if (status == RST_OK)
			status = read_once(link, room, n_room, ret_n_bytes, err);
	} while (status == RST_OK && *ret_n_bytes == 0 && clock_ms() < link->deadline_ms);
	return status;
}

struct live_input link_input(struct link *link)
{
	return (struct live_input){
		.name = link->address,
		.is_pipe = link->kind->ends,
		.context = link,
		.read = link_read,
	};
}
