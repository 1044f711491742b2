/* SPDX-License-Identifier: MIT */
/*
 * TCP and datagrams. TCP connects or listens, with one sender at a time; the next ones wait. The bytes of
 * datagrams from any sender follow each other as they arrive. Addresses are [HOST:]PORT; an IPv6 address as a
 * host stands in brackets.
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "input/live/link.h"

enum {
	CONNECT_MS = 5000,
	DATAGRAM_ROOM = 4 * 1024 * 1024, /* the system's buffer, used while rastrum prints */
};

#define LOOPBACK "127.0.0.1"

/* --- addresses ------------------------------------------------------------------------------------------ */

struct address {
	char host[256];
	char port[32];
};

/* Parses "PORT", "HOST:PORT" or "[::1]:PORT". */
static bool address_parse(struct address *address, const char *text)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	size_t n_host = colon ? (size_t)(colon - text) : 0;

	if (n_host >= 2 && text[0] == '[' && text[n_host - 1] == ']') {
		text++;
		n_host -= 2;
	} else if (memchr(text, ':', n_host)) {
		return false;
	}
	if (!port[0] || strlen(port) >= sizeof(address->port) || n_host >= sizeof(address->host))
		return false;
	memcpy(address->host, text, n_host);
	address->host[n_host] = '\0';
	strcpy(address->port, port);
	return true;
}

/* getaddrinfo() takes any number and cuts it to 16 bits. Any other text is the name of a service. */
static bool is_port(const char *text)
{
	uint64_t number;

	return text[strspn(text, "0123456789")] != '\0' ||
	       (text_parse_u64(text, &number) && number <= UINT16_MAX);
}

static enum rst_status refuse_address(const struct link *link, const char *what, struct rst_error *err)
{
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s", what);
	error_advise(err, "an address is HOST:PORT, or [HOST]:PORT with an IPv6 address");
	error_name(err, link->name);
	return RST_E_USAGE;
}

/* The caller frees *ret_list by freeaddrinfo(). A name that cannot be found now may be found later. */
static enum rst_status look_up(
	const struct link *link, int type, bool is_ours, struct addrinfo **ret_list, struct rst_error *err)
{
	struct addrinfo hints = { .ai_socktype = type, .ai_flags = is_ours ? AI_PASSIVE : AI_ADDRCONFIG };
	struct address address;
	const char *host = address.host;
	int reason;

	if (!address_parse(&address, link->address) || (!is_ours && !address.host[0]))
		return refuse_address(link, "this is no address", err);
	if (!is_port(address.port))
		return refuse_address(link, "there is no such port", err);
	/* A listening socket has no protection: other machines reach it only if an address is given. */
	if (!host[0])
		host = LOOPBACK;
	reason = getaddrinfo(host, address.port, &hints, ret_list);
	if (reason == EAI_SERVICE)
		return refuse_address(link, "there is no such port", err);
	if (reason == 0)
		return RST_OK;
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot find the host: %s",
		reason == EAI_SYSTEM ? strerror(errno) : gai_strerror(reason));
	error_name(err, link->name);
	return RST_E_IO;
}

/* --- connecting ----------------------------------------------------------------------------------------- */

/* A board that lost its power is silent: after half a minute the system probes whether it is still there. */
static void watch_peer(int fd)
{
	static const int on = 1, idle_s = 30, every_s = 5, n_tries = 3;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &n_tries, sizeof(n_tries));
}

/*
 * Returns RST_OK with the reason of a failure in *ret_reason, or 0 if it is connected; RST_END if a signal
 * stopped it.
 */
static enum rst_status connect_one(struct link *link, int fd, const struct addrinfo *to, int *ret_reason)
{
	socklen_t n_reason = sizeof(*ret_reason);
	enum rst_status status;

	*ret_reason = connect(fd, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
	if (*ret_reason != EINPROGRESS)
		return RST_OK;
	status = link_wait(link, fd, POLLOUT, CONNECT_MS);
	*ret_reason = ETIMEDOUT;
	if (status == RST_OK)
		getsockopt(fd, SOL_SOCKET, SO_ERROR, ret_reason, &n_reason);
	return status == RST_END ? RST_END : RST_OK;
}

static enum rst_status open_tcp(struct link *link, struct rst_error *err)
{
	struct addrinfo *list;
	enum rst_status status = RST_OK;
	int reason = EADDRNOTAVAIL;

	error_try(look_up(link, SOCK_STREAM, false, &list, err));
	for (const struct addrinfo *to = list; to && link->fd < 0 && status == RST_OK; to = to->ai_next) {
		int fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		if (fd < 0) {
			reason = errno;
			continue;
		}
		status = connect_one(link, fd, to, &reason);
		if (status == RST_OK && reason == 0)
			link->fd = fd;
		else
			close(fd);
	}
	freeaddrinfo(list);
	if (status != RST_OK)
		return status;
	if (link->fd < 0)
		return link_refused(link, "connect", reason, err);
	watch_peer(link->fd);
	return RST_OK;
}

static void tell_connected(const struct link *link)
{
	link_notify(link, "connected; Ctrl-C ends the report");
}

const struct link_kind link_tcp = {
	.lost = "the other end has closed the connection",
	.doubt = "are the port and --dialect right?",
	.can_send = true,
	.is_closed = true,
	.tell_begun = tell_connected,
	.open = open_tcp,
};

/* --- listening ------------------------------------------------------------------------------------------ */

/* Binds a socket to one of the addresses. It tries IPv6 first, since such a socket takes IPv4, too. */
static enum rst_status bind_socket(const struct link *link, int type, int *ret_fd, struct rst_error *err)
{
	static const int on = 1, off = 0;
	static const int families[] = { AF_INET6, AF_INET };
	struct addrinfo *list;
	int reason = EADDRNOTAVAIL, fd = -1;

	error_try(look_up(link, type, true, &list, err));
	for (size_t i = 0; fd < 0 && i < sizeof(families) / sizeof(families[0]); i++)
		for (const struct addrinfo *at = list; at && fd < 0; at = at->ai_next) {
			if (at->ai_family != families[i])
				continue;
			fd = socket(at->ai_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
			if (fd < 0) {
				reason = errno;
				continue;
			}
			if (type == SOCK_STREAM)
				setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
			if (at->ai_family == AF_INET6)
				setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
			if (bind(fd, at->ai_addr, at->ai_addrlen) == 0)
				continue;
			reason = errno;
			close(fd);
			fd = -1;
		}
	freeaddrinfo(list);
	*ret_fd = fd;
	return fd < 0 ? link_refused(link, "listen", reason, err) : RST_OK;
}

/* Reports the port, since the system may have chosen it (port 0), and the address. */
static void tell_port(const struct link *link, int fd)
{
	struct sockaddr_storage at = { 0 };
	socklen_t n_at = sizeof(at);
	char host[64] = "?", port[32] = "?";

	if (getsockname(fd, (struct sockaddr *)&at, &n_at) == 0)
		getnameinfo((const struct sockaddr *)&at, n_at, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV);
	link_notify(link, "listening on port %s of %s; Ctrl-C ends the report", port, host);
}

static enum rst_status start_listening(struct link *link, struct rst_error *err)
{
	int fd;

	error_try(bind_socket(link, SOCK_STREAM, &fd, err));
	if (listen(fd, SOMAXCONN) != 0) {
		int reason = errno;

		close(fd);
		return link_refused(link, "listen", reason, err);
	}
	link->listen_fd = fd;
	tell_port(link, fd);
	return RST_OK;
}

static enum rst_status open_tcp_listen(struct link *link, struct rst_error *err)
{
	enum rst_status status;

	if (link->listen_fd < 0)
		error_try(start_listening(link, err));
	do {
		status = link_wait(link, link->listen_fd, POLLIN, LIVE_FOREVER);
		if (status != RST_OK)
			return status;
		link->fd = accept4(link->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	} while (link->fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED));
	if (link->fd < 0)
		return link_refused(link, "listen", errno, err);
	watch_peer(link->fd);
	return RST_OK;
}

const struct link_kind link_tcp_listen = {
	.lost = "the sender has closed the connection",
	.doubt = "are the sender and --dialect right?",
	.can_send = true,
	.is_closed = true,
	.is_awaited = true,
	.open = open_tcp_listen,
};

static enum rst_status open_udp_listen(struct link *link, struct rst_error *err)
{
	static const int room = DATAGRAM_ROOM, on = 1;

	error_try(bind_socket(link, SOCK_DGRAM, &link->fd, err));
	setsockopt(link->fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
	setsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	link_count_from(link, LINK_DATAGRAMS, 0);
	tell_port(link, link->fd);
	return RST_OK;
}

/* Counts the datagrams that the socket dropped, by the last field of SO_MEMINFO. Old systems lack it. */
static void count_dropped(struct link *link)
{
	uint32_t meminfo[SK_MEMINFO_VARS] = { 0 };
	socklen_t n_bytes = sizeof(meminfo);

	if (getsockopt(link->fd, SOL_SOCKET, SO_MEMINFO, meminfo, &n_bytes) == 0 &&
		n_bytes > SK_MEMINFO_DROPS * sizeof(meminfo[0]))
		link_counted(link, LINK_DATAGRAMS, meminfo[SK_MEMINFO_DROPS]);
}

/*
 * Each datagram carries the number dropped before it. Returns false if some were dropped since the last one.
 */
static bool is_next(struct link *link, struct msghdr *message)
{
	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		uint32_t n_dropped;

		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SO_RXQ_OVFL ||
			at->cmsg_len < CMSG_LEN(sizeof(n_dropped)))
			continue;
		memcpy(&n_dropped, CMSG_DATA(at), sizeof(n_dropped));
		return link_counted(link, LINK_DATAGRAMS, n_dropped);
	}
	return true;
}

/*
 * Receives a datagram into link->held. Returns false with errno if no bytes came, or datagrams are missing in
 * front of it.
 */
static bool hold_datagram(struct link *link)
{
	_Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(uint32_t))];
	struct iovec held = { link->held, LINK_BYTES };
	struct msghdr message = {
		.msg_iov = &held, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	ssize_t n = recvmsg(link->fd, &message, 0);
	bool is_good = n >= 0 && is_next(link, &message);

	link->n_held = n > 0 ? (size_t)n : 0;
	link->n_given = 0;
	if (n >= 0)
		errno = EAGAIN;
	return is_good && n > 0;
}

/*
 * Receives a datagram as a whole and gives it in as many parts as needed. An empty datagram gives no bytes.
 */
static ssize_t read_datagram(struct link *link, uint8_t *room, size_t n_room)
{
	if (!link->n_held && !hold_datagram(link))
		return -1;
	size_t n_bytes = link->n_held < n_room ? link->n_held : n_room;

	memcpy(room, link->held + link->n_given, n_bytes);
	link->n_given += n_bytes;
	link->n_held -= n_bytes;
	return (ssize_t)n_bytes;
}

const struct link_kind link_udp_listen = {
	.lost = "the socket is closed",
	.doubt = "are the sender and --dialect right?",
	.open = open_udp_listen,
	.read = read_datagram,
	.count = count_dropped,
};
