/* SPDX-License-Identifier: MIT */
/*
 * Who may ask: a browser on this machine that was given the link. Other pages of that browser must not, so the Host is ours, the
 * Origin, if there is one, too, and the token is there: in the link, as a bearer token, or in the cookie that the page got.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/text.h"
#include "view/server/server.h"

enum { CONNECTIONS_MAX = 64, IDLE_SECONDS = 30, COOKIE_MAX = 64, CONNECTION_MEMORY = 32 * 1024 };

struct server {
	struct MHD_Daemon *daemon;
	struct session *sessions;
	size_t n_sessions;
	uint16_t port;
	char token[TOKEN_DIGITS + 1];
	char cookie[COOKIE_MAX]; /* its name: one for each port, which browsers do not tell apart */
};

static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* --- who asks --------------------------------------------------------------------------------------------------------- */

static bool is_ours(const struct server *server, const char *host)
{
	char own[32];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(own, sizeof(own), "%s:%u", i ? "localhost" : "127.0.0.1", server->port);
		if (host && strcmp(host, own) == 0)
			return true;
	}
	return false;
}

/* As long whatever the difference is. */
static bool is_token(const struct server *server, const char *given)
{
	unsigned difference = 0;

	if (!given || strlen(given) != TOKEN_DIGITS)
		return false;
	for (size_t i = 0; i < TOKEN_DIGITS; i++)
		difference |= (unsigned char)given[i] ^ (unsigned char)server->token[i];
	return difference == 0;
}

static bool has_token(const struct server *server, struct MHD_Connection *connection)
{
	static const char bearer[] = "Bearer ";
	const char *given =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

	if (given && strncmp(given, bearer, sizeof(bearer) - 1) == 0)
		return is_token(server, given + sizeof(bearer) - 1);
	return is_token(server, MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token")) ||
	       is_token(server, MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, server->cookie));
}

/* 0: it may be answered; else the status that refuses. */
static unsigned refuse(const struct server *server, struct MHD_Connection *connection, const char *method)
{
	static const char scheme[] = "http://";
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);

	if (!is_ours(server, host) || (origin && (strncmp(origin, scheme, sizeof(scheme) - 1) != 0 ||
							 !is_ours(server, origin + sizeof(scheme) - 1))))
		return MHD_HTTP_FORBIDDEN;
	if (!has_token(server, connection))
		return MHD_HTTP_UNAUTHORIZED;
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0
		       ? 0
		       : MHD_HTTP_METHOD_NOT_ALLOWED;
}

/* --- answers ---------------------------------------------------------------------------------------------------------- */

static const char *parameter_of(const struct request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

static bool refuse_answer(struct answer *answer, unsigned status)
{
	const char *sentence = status == MHD_HTTP_UNAUTHORIZED ? "the token of the link is needed"
			       : status == MHD_HTTP_FORBIDDEN  ? "only pages of this server may ask"
							       : "the server only reads";

	return answer_fail(answer, status, sentence);
}

static struct MHD_Response *response_make(const struct server *server, struct answer *answer)
{
	struct MHD_Response *response;
	char cookie[COOKIE_MAX + TOKEN_DIGITS + 64];

	response = answer->asset
			   ? MHD_create_response_from_buffer(answer->asset_bytes,
				     (void *)(uintptr_t)answer->asset, MHD_RESPMEM_PERSISTENT)
			   : MHD_create_response_from_buffer((size_t)(answer->body.at - answer->body.start),
				     answer->body.start, MHD_RESPMEM_MUST_COPY);
	if (!response)
		return NULL;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_SECURITY_POLICY, policy);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(response, MHD_HTTP_HEADER_X_CONTENT_TYPE_OPTIONS, "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	if (answer->asset && answer->status == MHD_HTTP_OK) {
		snprintf(cookie, sizeof(cookie), "%s=%s; HttpOnly; SameSite=Strict; Path=/", server->cookie,
			server->token);
		MHD_add_response_header(response, MHD_HTTP_HEADER_SET_COOKIE, cookie);
	}
	return response;
}

/* Called by the library twice for each request: first with its head, then when its body, if any, is there. */
static enum MHD_Result answer_request(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **request_state)
{
	static int head_is_read;
	struct server *server = context;
	struct request request = { .sessions = server->sessions,
		.n_sessions = server->n_sessions,
		.path = url,
		.parameter = parameter_of,
		.connection = connection };
	struct answer answer = { .status = MHD_HTTP_OK, .type = "application/json" };
	struct MHD_Response *response = NULL;
	enum MHD_Result result = MHD_NO;
	unsigned status;

	(void)version, (void)upload;
	if (!*request_state) {
		*request_state = &head_is_read;
		return MHD_YES;
	}
	*upload_bytes = 0;
	if (!outbuf_init(&answer.body, OUTBUF_MEMORY))
		return MHD_NO;
	status = refuse(server, connection, method);
	if ((status ? refuse_answer(&answer, status) : route(&request, &answer)) && !answer.body.error)
		response = response_make(server, &answer);
	if (response) {
		result = MHD_queue_response(connection, answer.status, response);
		MHD_destroy_response(response);
	}
	outbuf_done(&answer.body);
	return result;
}

/* --- the server ------------------------------------------------------------------------------------------------------- */

static bool token_make(char token[TOKEN_DIGITS + 1])
{
	uint8_t bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	*text_put_hex_bytes(token, bytes, sizeof(bytes)) = '\0';
	return true;
}

static struct MHD_Daemon *daemon_start(struct server *server, uint16_t port)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};

	return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, port, NULL, NULL,
		answer_request, server, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
}

enum rst_status server_start(struct server **ret_server, struct session *sessions, size_t n_sessions,
	uint16_t port, struct rst_error *err)
{
	struct server *server = calloc(1, sizeof(*server));

	if (!server)
		return error_nomem(err);
	server->sessions = sessions;
	server->n_sessions = n_sessions;
	errno = 0;
	server->daemon = token_make(server->token) ? daemon_start(server, port) : NULL;
	if (!server->daemon) {
		free(server);
		error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot listen on port %u of 127.0.0.1: %s", port,
			errno ? strerror(errno) : "no reason is known");
		error_advise(err, "use another --port, or 0 for any that is free");
		return RST_E_IO;
	}
	server->port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	snprintf(server->cookie, sizeof(server->cookie), "rastrum_%u", server->port);
	*ret_server = server;
	return RST_OK;
}

uint16_t server_port(const struct server *server)
{
	return server->port;
}

const char *server_token(const struct server *server)
{
	return server->token;
}

struct server *server_stop(struct server *server)
{
	if (!server)
		return NULL;
	MHD_stop_daemon(server->daemon);
	free(server);
	return NULL;
}
