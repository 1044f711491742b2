/* SPDX-License-Identifier: MIT */
/* The life of a link, whatever its kind (link.h). Begin reading at link_read(). */
#include "input/live/link.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/steady.h"

enum {
	RETRY_FIRST_MS = 100,
	RETRY_LAST_MS = 1000,
	LOOK_MS = 50,		 /* between looks at a file that may have grown */
	SEND_MS = 1000,		 /* if a link takes no byte for this long, sending commands fails */
	DOUBT_BYTES = 16 * 1024, /* this many bytes without an event are reported, … */
	DOUBT_MS = 1000,	 /* … this long after the first byte came */
};

void link_notify(const struct link *link, const char *format, ...)
{
	char sentence[300];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	link->notify(link->notify_context, sentence);
}

enum rst_status link_refused(const struct link *link, const char *verb, int reason, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot %s: %s", verb, strerror(reason));
	error_name(err, link->name);
	return RST_E_IO;
}

/* --- from start to end ---------------------------------------------------------------------------------- */

enum rst_status link_start(struct link *link, struct rst_error *err)
{
	link->fd = link->listen_fd = -1;
	link->deadline_ms = UINT64_MAX;
	link->limit_at_ms = link->limit_ms ? steady_ms() + link->limit_ms : UINT64_MAX;
	link->retry_ms = RETRY_FIRST_MS;
	link->held = malloc(LINK_BYTES);
	if (!link->held)
		return error_nomem(err);
	link_watch_signals(link);
	return RST_OK;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Counts also the bytes that were dropped behind the last one. */
void link_done(struct link *link)
{
	link_leave_signals(link);
	if (link->fd >= 0 && link->kind->count)
		link->kind->count(link);
	link_print_counts(link, true);
	if (!link->kind->ends) /* a pipe belongs to the caller */
		close_fd(&link->fd);
	close_fd(&link->listen_fd);
	free(link->held);
	link->held = NULL;
}

/* --- taking up ------------------------------------------------------------------------------------------ */

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

/* If the link fails here, the next read finds it lost. */
static void send_commands(struct link *link)
{
	uint64_t deadline_ms = link->deadline_ms;

	link->deadline_ms = UINT64_MAX;
	for (size_t i = 0; i < link->n_commands; i++)
		if (!send_bytes(link, link->commands[i].bytes, CLIENT_COMMAND_BYTES)) {
			link_notify(link, "the commands could not be sent");
			break;
		}
	link->deadline_ms = deadline_ms;
}

static void link_is_up(struct link *link)
{
	if (!link->was_up && link->kind->tell_begun)
		link->kind->tell_begun(link);
	if (link->is_lost && !link->is_back)
		link_notify(link, "the link is back");
	link->is_back = link->is_lost;
	link->was_up = true;
	link->n_at_open = link->n_bytes;
	send_commands(link);
}

static void wait_longer(struct link *link)
{
	link->retry_at_ms = steady_ms() + link->retry_ms;
	link->retry_ms = link->retry_ms < RETRY_LAST_MS / 2 ? link->retry_ms * 2 : RETRY_LAST_MS;
}

/*
 * Tries until the link is up or the time is over. The first try must succeed, so that a wrong name is
 * reported at once. If the link has been up before, take_up() waits for it, with longer and longer pauses.
 */
static enum rst_status take_up(struct link *link, struct rst_error *err)
{
	for (;;) {
		uint64_t now_ms = steady_ms();
		enum rst_status status = RST_OK;

		if (now_ms < link->retry_at_ms)
			status = link_wait(link, -1, 0, (int)(link->retry_at_ms - now_ms));
		if (status == RST_END)
			return RST_END;
		if (steady_ms() < link->retry_at_ms)
			return RST_MORE;
		status = link->kind->open(link, err);
		if (status == RST_OK)
			link_is_up(link);
		if (status != RST_E_IO || !link->was_up)
			return status;
		wait_longer(link);
	}
}

/* --- reading -------------------------------------------------------------------------------------------- */

static enum rst_status link_save(
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

void link_gave(struct link *link, uint64_t n_good, uint64_t n_bad)
{
	link->n_good = n_good;
	link->n_bad = n_bad;
}

/*
 * Whether many bytes have made hardly any event so far, as happens with a wrong rate, port or dialect. Bytes
 * that have just come prove nothing: it may take half a second to recognise a dialect.
 */
static bool is_doubtful(const struct link *link)
{
	return !link->is_doubted && link->kind->doubt && link->n_bytes >= DOUBT_BYTES &&
	       link->n_good <= link->n_bad;
}

/* Reports the doubt once. */
static void link_doubt(struct link *link)
{
	if (!is_doubtful(link) || steady_ms() < link->doubt_at_ms)
		return;
	link->is_doubted = true;
	link_notify(
		link, "%" PRIu64 " bytes and hardly an event of them: %s", link->n_bytes, link->kind->doubt);
}

static enum rst_status take_bytes(
	struct link *link, const uint8_t *bytes, size_t n_bytes, struct rst_error *err)
{
	if (!link->n_bytes)
		link->doubt_at_ms = steady_ms() + DOUBT_MS;
	link->n_bytes += n_bytes;
	link->is_lost = link->is_back = false;
	link->retry_ms = RETRY_FIRST_MS;
	link->retry_at_ms = 0;
	return link_save(link, bytes, n_bytes, err);
}

/* No bytes are missing until bytes of another connection come. */
static enum rst_status link_closed(struct link *link)
{
	bool is_new = link->n_bytes != link->n_at_open || !link->is_lost;

	if (link->is_once)
		return RST_END;
	if (is_new)
		link_notify(link, "%s; waiting for the next one (--once ends there)", link->kind->lost);
	else if (!link->kind->is_awaited)
		wait_longer(link);
	link->is_lost = link->is_reopened = true;
	link->is_back = false;
	return RST_OK;
}

/* If a link comes and goes without a byte, the wait goes on as if it had not come. */
static enum rst_status link_lose(struct link *link, int reason)
{
	close_fd(&link->fd);
	if (reason == 0 && link->kind->is_closed)
		return link_closed(link);
	if (link->n_bytes == link->n_at_open && link->is_lost) {
		if (!link->kind->is_awaited)
			wait_longer(link);
		return RST_OK;
	}
	link_notify(link, "the link is lost: %s; waiting for it to come back",
		reason && reason != ESTALE ? strerror(reason) : link->kind->lost);
	link->missing = "the link was lost here";
	link->is_lost = true;
	link->is_back = false;
	return RST_MORE;
}

/* Returns RST_MORE once for each time that bytes were lost on the way. */
static enum rst_status note_missing(struct link *link)
{
	bool is_missing = link->is_missing;

	link_print_counts(link, false);
	link->is_missing = false;
	return is_missing ? RST_MORE : RST_OK;
}

/*
 * Reads the bytes that are there. Returns RST_OK without bytes if nothing was there, or if a lost link is not
 * reported.
 */
static enum rst_status read_once(
	struct link *link, uint8_t *room, size_t n_room, size_t *ret_n_bytes, struct rst_error *err)
{
	ssize_t n = link->kind->read ? link->kind->read(link, room, n_room) : read(link->fd, room, n_room);
	int reason = n < 0 ? errno : 0;

	if (n > 0) {
		*ret_n_bytes = (size_t)n;
		return take_bytes(link, room, (size_t)n, err);
	}
	if (reason == EAGAIN || reason == EINTR)
		return note_missing(link);
	if (n == 0 && link->kind->is_watched) {
		enum rst_status status = link_wait(link, -1, 0, LOOK_MS);

		return status == RST_END ? RST_END : RST_OK;
	}
	if (link->kind->ends)
		return n == 0 ? RST_END : link_refused(link, "read on", reason, err);
	return link_lose(link, reason);
}

/*
 * Counts dropped bytes while there is nothing to read: their report must not wait for the next byte, which
 * may never come. Returns true if bytes were dropped.
 */
static bool has_missed(struct link *link)
{
	if (!link->kind->count || link->n_held || link_wait(link, link->fd, POLLIN, 0) != RST_MORE)
		return false;
	link->kind->count(link);
	return note_missing(link) == RST_MORE;
}

/* Waits until there is something to read, if the kind of link can report that before a read. */
static enum rst_status await_bytes(struct link *link)
{
	if (!link->kind->is_watched && !link->n_held)
		return link_wait(link, link->fd, POLLIN, LIVE_FOREVER);
	return link_goes_on(link) ? RST_OK : RST_END;
}

/* Whether the connection has a first byte. One that is closed again before it reports no gap. */
static bool has_bytes(const struct link *link)
{
	char first;

	return recv(link->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* Ends the link when its time is over. Returns whether it is. */
static bool link_reaches_limit(struct link *link)
{
	if (steady_ms() < link->limit_at_ms)
		return false;
	link_stop(link);
	return true;
}

static enum rst_status link_read(
	void *context, uint8_t *room, size_t n_room, int wait_ms, size_t *ret_n_bytes, struct rst_error *err)
{
	struct link *link = context;
	const uint64_t wait_end_ms = wait_ms < 0 ? UINT64_MAX : steady_ms() + (uint64_t)wait_ms;
	const uint64_t end_ms = wait_end_ms < link->limit_at_ms ? wait_end_ms : link->limit_at_ms;
	enum rst_status status;

	*ret_n_bytes = 0;
	if (link_reaches_limit(link))
		return RST_END;
	do {
		link_doubt(link);
		link->deadline_ms =
			is_doubtful(link) && link->doubt_at_ms < end_ms ? link->doubt_at_ms : end_ms;
		status = link->fd < 0 ? take_up(link, err) : RST_OK;
		if (status == RST_OK && has_missed(link))
			return RST_MORE;
		if (status == RST_OK)
			status = await_bytes(link);
		if (status == RST_OK && link->is_reopened && has_bytes(link)) {
			link->is_reopened = false;
			link->missing = "the connection was closed here, and another one follows";
			return RST_MORE;
		}
		if (status == RST_MORE)
			status = RST_OK; /* the deadline has passed */
		else if (status == RST_OK)
			status = read_once(link, room, n_room, ret_n_bytes, err);
	} while (status == RST_OK && *ret_n_bytes == 0 && steady_ms() < end_ms);
	return status == RST_OK && *ret_n_bytes == 0 && link_reaches_limit(link) ? RST_END : status;
}

static const char *link_missing(void *context)
{
	const struct link *link = context;

	return link->missing;
}

static void link_unknown(void *context, uint64_t n_bytes)
{
	link_notify(context,
		"no dialect recognises the %" PRIu64
		" bytes so far; waiting for some that one does, or name one with "
		"--dialect",
		n_bytes);
}

struct live_input link_input(struct link *link)
{
	return (struct live_input){
		.name = link->name,
		.is_pipe = link->kind->ends,
		.is_file = link->kind->is_watched,
		.context = link,
		.read = link_read,
		.missing = link_missing,
		.unknown = link_unknown,
	};
}
