/* SPDX-License-Identifier: MIT */
#include "aixtrace/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "record/rendezvous/directory.h"

/* All programs of a user may begin at once. The system's own limit may be lower. */
enum { BACKLOG = 4096, ANSWER_BYTES = 16, STAT_BYTES = 512, LOCK_TRIES = 2000, LOCK_NAP_NS = 1000000 };

static const char *const words[N_CHANNEL_REQUESTS] = { "on", "off", "stop", "discard", "come" };

/* --- names ---------------------------------------------------------------------------------------------- */

/* The directory is kept open, so that the name is in the same directory that was checked. */
struct place {
	int directory;
	struct sockaddr_un address;
};

/* Returns 0 or an error number; after an error, there is nothing to close. */
static int place_open(struct place *place, int channel, bool make)
{
	const int error = channel >= 0 && channel < CHANNELS
				  ? directory_open(directory_uid(), make, &place->directory)
				  : ENODEV;

	if (error)
		return error;
	place->address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(place->address.sun_path, sizeof(place->address.sun_path), "/proc/self/fd/%d/session-%d",
		place->directory, channel);
	return 0;
}

/*
 * One process at a time checks whether a name is taken, and takes it. The kernel frees the lock when its
 * holder ends. Waiting for the lock is limited, because the holder may be stopped.
 */
static int place_lock(const struct place *place, int *ret_lock)
{
	const struct timespec nap = { .tv_nsec = LOCK_NAP_NS };
	int error = EBUSY;

	*ret_lock = openat(place->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_lock < 0)
		return errno;
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(*ret_lock, LOCK_EX | LOCK_NB) == 0)
			return 0;
		nanosleep(&nap, NULL);
	}
	close(*ret_lock);
	return error;
}

/* --- the session's end ---------------------------------------------------------------------------------- */

static bool peer_of(int fd, struct ucred *ret_peer)
{
	socklen_t n_bytes = sizeof(*ret_peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ret_peer, &n_bytes) == 0;
}

/* Root may do everything. */
static bool peer_is_good(int fd)
{
	struct ucred peer;

	return peer_of(fd, &peer) && (peer.uid == directory_uid() || peer.uid == 0);
}

static int socket_make(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/*
 * Connects without waiting. Returns 0 or an error. EAGAIN: a session has a socket there and takes no
 * connections now. EPERM: a process of another user has it. ENODEV: there is no session, or only the name
 * that a killed session left.
 */
static int place_connect(const struct place *place, int *ret_fd)
{
	const int fd = socket_make();
	int error = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, (const struct sockaddr *)&place->address, sizeof(place->address)) != 0)
		error = errno == EAGAIN ? EAGAIN : ENODEV;
	else if (!peer_is_good(fd))
		error = EPERM;
	if (error)
		close(fd);
	else
		*ret_fd = fd;
	return error;
}

/*
 * Listens at a name that is free, or that a killed session left. The file's mode is set in spite of the
 * umask: its own user must be able to connect.
 */
static int place_listen(const struct place *place, int *ret_fd)
{
	const char *path = place->address.sun_path;
	const int fd = socket_make();

	*ret_fd = fd;
	if (fd < 0)
		return errno;
	if ((unlink(path) == 0 || errno == ENOENT) &&
		bind(fd, (const struct sockaddr *)&place->address, sizeof(place->address)) == 0 &&
		chmod(path, 0600) == 0 && listen(fd, BACKLOG) == 0)
		return 0;
	const int error = errno;

	close(fd);
	*ret_fd = -1;
	return error;
}

int channel_listen(int channel)
{
	struct place place;
	int fd = -1, other, lock, error = place_open(&place, channel, true);

	if (error) {
		errno = error;
		return -1;
	}
	error = place_lock(&place, &lock);
	if (!error) {
		error = place_connect(&place, &other);
		if (!error)
			close(other);
		error = error == ENODEV ? place_listen(&place, &fd) : EADDRINUSE;
		close(lock);
	}
	close(place.directory);
	errno = error;
	return fd;
}

/* The name is removed first: it belongs to this session as long as the socket is open. */
void channel_close(int fd, int channel)
{
	struct place place;

	if (fd < 0)
		return;
	if (place_open(&place, channel, false) == 0) {
		unlink(place.address.sun_path);
		close(place.directory);
	}
	close(fd);
}

/* --- the other end -------------------------------------------------------------------------------------- */

static int channel_connect(int channel, int *ret_fd)
{
	struct place place;
	int error;

	if (place_open(&place, channel, false) != 0)
		return ENODEV;
	error = place_connect(&place, ret_fd);
	close(place.directory);
	return error == EAGAIN || error == 0 ? error : ENODEV;
}

bool channel_is_taken(int channel)
{
	int fd;
	const int error = channel_connect(channel, &fd);

	if (!error)
		close(fd);
	return error != ENODEV;
}

/* A process of another pid namespace cannot be examined. */
static bool peer_is_stopped(int fd)
{
	char path[32], text[STAT_BYTES];
	struct ucred peer;
	const char *name_end;
	ssize_t n;
	int stat;

	if (!peer_of(fd, &peer) || peer.pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)peer.pid);
	stat = open(path, O_RDONLY | O_CLOEXEC);
	if (stat < 0)
		return false;
	n = read(stat, text, sizeof(text) - 1);
	close(stat);
	text[n > 0 ? n : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && (name_end[1] == ' ') && (name_end[2] == 'T' || name_end[2] == 't');
}

/*
 * Waits for an answer or the session's end for so many milliseconds, or longer because of signals. Returns
 * whether it came.
 */
static bool answer_waits(int fd, int milliseconds)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int n;

	do
		n = poll(&poll_fd, 1, milliseconds);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

static int answer_read(int fd)
{
	char answer[ANSWER_BYTES];
	const ssize_t n = recv(fd, answer, sizeof(answer) - 1, 0);

	if (n <= 0)
		return EIO;
	answer[n] = '\0';
	return (int)strtol(answer, NULL, 10);
}

static int request_send(int channel, enum channel_request request, int *ret_fd)
{
	const size_t n_word = strlen(words[request]);
	int error = channel_connect(channel, ret_fd);

	if (error)
		return error;
	if (send(*ret_fd, words[request], n_word, MSG_NOSIGNAL) == (ssize_t)n_word)
		return 0;
	close(*ret_fd);
	return EIO;
}

/* There is no time limit, because a log may take long. */
int channel_ask(int channel, enum channel_request request)
{
	int fd, error = request_send(channel, request, &fd);

	if (error)
		return error;
	while (!error && !answer_waits(fd, 1000))
		if (peer_is_stopped(fd))
			error = EAGAIN;
	if (!error)
		error = answer_read(fd);
	close(fd);
	return error;
}

static int64_t milliseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void channel_come(void)
{
	const int kept = errno;
	const int64_t end = milliseconds_now() + 1000;

	for (int channel = 0; channel < CHANNELS; channel++) {
		int fd;
		int64_t left;

		if (request_send(channel, CHANNEL_COME, &fd) != 0)
			continue;
		left = end - milliseconds_now();
		if (left > 0 && !peer_is_stopped(fd))
			answer_waits(fd, (int)left);
		close(fd);
	}
	errno = kept;
}

/* --- requests ------------------------------------------------------------------------------------------- */

/* A client gets a short time between connecting and sending. If it sends nothing, it is not a request. */
int channel_accept(int listening, int *ret_fd)
{
	char word[CHANNEL_WORD_BYTES];
	const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	ssize_t n = -1;

	*ret_fd = fd;
	if (fd < 0)
		return -1;
	if (peer_is_good(fd) && answer_waits(fd, 200))
		n = recv(fd, word, sizeof(word) - 1, 0);
	word[n > 0 ? n : 0] = '\0';
	for (int i = 0; i < N_CHANNEL_REQUESTS; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	close(fd);
	*ret_fd = -1;
	return -1;
}

pid_t channel_peer(int fd)
{
	struct ucred peer;

	return peer_of(fd, &peer) ? peer.pid : 0;
}

void channel_answer(int fd, int error)
{
	char answer[ANSWER_BYTES];
	const int n = snprintf(answer, sizeof(answer), "%d", error);

	send(fd, answer, (size_t)n, MSG_NOSIGNAL);
	close(fd);
}
