/* SPDX-License-Identifier: MIT */
#include "aixtrace/channel.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 16, ANSWER_BYTES = 16 };

static const char *const words[N_CHANNEL_REQUESTS] = { "on", "off", "stop", "discard", "come" };

/*
 * Of the real user, as the streams that a session makes; and of the file system in which its processes meet, so that a container with
 * its own has its own sessions.
 */
static socklen_t address_make(struct sockaddr_un *address, int channel)
{
	struct stat place = { .st_dev = 0 };
	int n;

	stat("/dev/shm", &place);
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "rastrum-trace-%lu-%llx-%d",
		(unsigned long)getuid(), (unsigned long long)place.st_dev, channel);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Another user may have taken the name, or ask for what is not its own; root may do all. */
static bool peer_is_good(int fd)
{
	struct ucred peer;
	socklen_t n_bytes = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n_bytes) == 0 &&
	       (peer.uid == getuid() || peer.uid == 0);
}

static int socket_make(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

int channel_listen(int channel)
{
	struct sockaddr_un address;
	const socklen_t n_bytes = address_make(&address, channel);
	const int fd = socket_make();

	if (fd < 0)
		return -1;
	if (bind(fd, (const struct sockaddr *)&address, n_bytes) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	const int error = errno;

	close(fd);
	errno = error;
	return -1;
}

static int channel_connect(int channel)
{
	struct sockaddr_un address;
	const socklen_t n_bytes = address_make(&address, channel);
	const int fd = channel >= 0 && channel < CHANNELS ? socket_make() : -1;

	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address, n_bytes) == 0 && peer_is_good(fd))
		return fd;
	close(fd);
	return -1;
}

bool channel_is_taken(int channel)
{
	const int fd = channel_connect(channel);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static ssize_t answer_read(int fd, char *answer)
{
	ssize_t n;

	do
		n = recv(fd, answer, ANSWER_BYTES - 1, 0);
	while (n < 0 && errno == EINTR);
	answer[n > 0 ? n : 0] = '\0';
	return n;
}

static int request_send(int channel, enum channel_request request, const struct timeval *patience)
{
	const char *word = words[request];
	char answer[ANSWER_BYTES];
	const int fd = channel_connect(channel);
	int error = EIO;

	if (fd < 0)
		return ENODEV;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, patience, sizeof(*patience)) == 0 &&
		send(fd, word, strlen(word), MSG_NOSIGNAL) == (ssize_t)strlen(word) &&
		answer_read(fd, answer) > 0)
		error = (int)strtol(answer, NULL, 10);
	close(fd);
	return error;
}

int channel_ask(int channel, enum channel_request request)
{
	/* A log may take its time. */
	return request_send(channel, request, &(const struct timeval){ 0 });
}

void channel_come(void)
{
	const int error = errno;

	for (int channel = 0; channel < CHANNELS; channel++)
		request_send(channel, CHANNEL_COME, &(const struct timeval){ .tv_sec = 1 });
	errno = error;
}

/* A client that connects and says nothing is no request: the word is there when the connection is, or it does not count. */
int channel_accept(int listening, int *ret_fd)
{
	char word[CHANNEL_WORD_BYTES];
	const int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	const struct timeval patience = { .tv_usec = 200000 };
	ssize_t n = -1;

	*ret_fd = fd;
	if (fd < 0)
		return -1;
	if (peer_is_good(fd) && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0)
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
	socklen_t n_bytes = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n_bytes) == 0 ? peer.pid : 0;
}

void channel_answer(int fd, int error)
{
	char answer[ANSWER_BYTES];
	const int n = snprintf(answer, sizeof(answer), "%d", error);

	send(fd, answer, (size_t)n, MSG_NOSIGNAL);
	close(fd);
}
