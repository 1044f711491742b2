/* SPDX-License-Identifier: MIT */
/*
 * The server answers only a browser on this machine that has the link. Other pages of that browser get no
 * answer. So a request must have our Host, our Origin if it has any, and the token: in the link, as a bearer
 * token, or in the page's cookie.
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
#include "view/server/crew.h"
#include "view/server/doors.h"
#include "view/server/server.h"
#include "view/server/stream.h"

enum { CONNECTIONS_MAX = 128, IDLE_SECONDS = 30, COOKIE_MAX = 64, CONNECTION_MEMORY = 32 * 1024 };

struct server {
	struct MHD_Daemon *daemon;
	struct session *sessions;
	size_t n_sessions;
	struct crew *crew;
	struct streams streams;
	struct doors doors;
	uint16_t port;
	char token[TOKEN_DIGITS + 1];
	char cookie[COOKIE_MAX]; /* its name, with the port: browsers share cookies between ports */
};

static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* --- who asks ------------------------------------------------------------------------------------------- */

static bool is_ours(const struct server *server, const char *host)
{
	const unsigned port = __atomic_load_n(&server->port, __ATOMIC_ACQUIRE);
	char own[32];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(own, sizeof(own), "%s:%u", i ? "localhost" : "127.0.0.1", port);
		if (host && strcmp(host, own) == 0)
			return true;
	}
	return false;
}

/* Compares in constant time, wherever the texts differ. */
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

/*
 * Browsers send the origin of the page that made the request. A page of another origin, also one of another
 * port of this machine, may navigate the user to our page, as the file that opens the browser does, but may
 * request nothing else.
 */
static bool is_from_elsewhere(struct MHD_Connection *connection)
{
	const char *site = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site");
	const char *mode = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Mode");

	return site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0 &&
	       !(mode && strcmp(mode, "navigate") == 0);
}

/* Returns 0 if the request is allowed, else the status of the refusal. */
static unsigned refuse(const struct server *server, struct MHD_Connection *connection, const char *method)
{
	static const char scheme[] = "http://";
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);

	if (!is_ours(server, host) ||
		(origin && (strncmp(origin, scheme, sizeof(scheme) - 1) != 0 ||
				   !is_ours(server, origin + sizeof(scheme) - 1))) ||
		is_from_elsewhere(connection))
		return MHD_HTTP_FORBIDDEN;
	if (!has_token(server, connection))
		return MHD_HTTP_UNAUTHORIZED;
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0
		       ? 0
		       : MHD_HTTP_METHOD_NOT_ALLOWED;
}

/* --- answers -------------------------------------------------------------------------------------------- */

static const char *parameter_of(const struct request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

static const char *refusal_of(unsigned status)
{
	return status == MHD_HTTP_UNAUTHORIZED ? "the token of the link is needed"
	       : status == MHD_HTTP_FORBIDDEN  ? "only pages of this server may ask"
					       : "the server only reads";
}

static void headers_add(struct MHD_Response *response, const char *type)
{
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_SECURITY_POLICY, policy);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(response, MHD_HTTP_HEADER_X_CONTENT_TYPE_OPTIONS, "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
}

/* The page gets the token as a cookie, which scripts cannot read and other pages cannot send. */
static void cookie_add(const struct server *server, struct MHD_Response *response)
{
	char cookie[COOKIE_MAX + TOKEN_DIGITS + 64];

	snprintf(cookie, sizeof(cookie), "%s=%s; HttpOnly; SameSite=Strict; Path=/", server->cookie,
		server->token);
	MHD_add_response_header(response, MHD_HTTP_HEADER_SET_COOKIE, cookie);
}

static enum MHD_Result answer_send(
	const struct server *server, struct MHD_Connection *connection, struct answer *answer)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = answer->asset ? MHD_create_response_from_buffer(answer->asset_bytes,
					   (void *)(uintptr_t)answer->asset, MHD_RESPMEM_PERSISTENT)
				 : MHD_create_response_from_buffer(out_bytes(&answer->body),
					   answer->body.start, MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	headers_add(response, answer->type);
	if (answer->asset && answer->status == MHD_HTTP_OK)
		cookie_add(server, response);
	if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	return result;
}

/* An answer that is made at once, because it says why there is no other. */
static enum MHD_Result refusal_send(
	const struct server *server, struct MHD_Connection *connection, unsigned status, const char *sentence)
{
	struct answer answer = { .status = MHD_HTTP_OK };
	enum MHD_Result result = MHD_NO;

	if (!outbuf_init(&answer.body, OUTBUF_MEMORY))
		return MHD_NO;
	if (answer_fail(&answer, status, sentence))
		result = answer_send(server, connection, &answer);
	outbuf_done(&answer.body);
	return result;
}

/* --- requests ------------------------------------------------------------------------------------------- */

/*
 * The request's state in the library until its head is complete: made from the raw path. A NUL would cut the
 * path.
 */
static const char path_is_good, path_has_nul;

static void *path_note(void *context, const char *path, struct MHD_Connection *connection)
{
	(void)context, (void)connection;
	return (void *)(uintptr_t)(strstr(path, "%00") ? &path_has_nul : &path_is_good);
}

static bool is_path_note(const void *request_state)
{
	return !request_state || request_state == &path_is_good || request_state == &path_has_nul;
}

/* Our state of a request, which the library keeps for us. */
struct visit {
	struct server *server;
	struct MHD_Connection *connection;
	bool has_nul; /* in its path or parameters */
	bool has_work;
	struct work work;
};

static void visit_resume(struct work *work)
{
	MHD_resume_connection(work->request.connection);
}

static enum MHD_Result live_send(struct server *server, struct visit *visit)
{
	struct answer answer = { .status = MHD_HTTP_OK };
	enum MHD_Result result = MHD_NO;
	struct MHD_Response *response;
	struct session *session;

	if (!outbuf_init(&answer.body, OUTBUF_MEMORY))
		return MHD_NO;
	session = route_session(&visit->work.request, &answer);
	response = session ? stream_open(&server->streams, session, visit->connection) : NULL;
	if (response) {
		headers_add(response, "text/event-stream");
		result = MHD_queue_response(visit->connection, MHD_HTTP_OK, response);
		MHD_destroy_response(response);
	} else if (!session || answer_fail(&answer, MHD_HTTP_SERVICE_UNAVAILABLE,
				       "too many live connections are open: close one")) {
		result = answer_send(server, visit->connection, &answer);
	}
	outbuf_done(&answer.body);
	return result;
}

/* Called with the complete head. The crew makes the answer, and the connection sleeps meanwhile. */
static enum MHD_Result visit_begin(
	struct server *server, struct visit *visit, const char *path, const char *method)
{
	const unsigned status = refuse(server, visit->connection, method);

	doors_enter(&server->doors, visit->connection);
	if (status)
		return refusal_send(server, visit->connection, status, refusal_of(status));
	if (visit->has_nul)
		return refusal_send(
			server, visit->connection, MHD_HTTP_NOT_FOUND, "there is nothing of that name");
	visit->work = (struct work){ .request = { .sessions = server->sessions,
					     .n_sessions = server->n_sessions,
					     .path = path,
					     .parameter = parameter_of,
					     .connection = visit->connection },
		.answer = { .status = MHD_HTTP_OK, .type = "application/json" } };
	const enum route_kind kind = route_kind(&visit->work.request);

	visit->work.is_slow = kind == ROUTE_SLOW;
	if (kind == ROUTE_LIVE)
		return live_send(server, visit);
	visit->has_work = true;
	MHD_suspend_connection(visit->connection);
	crew_give(server->crew, &visit->work);
	return MHD_YES;
}

/*
 * Called by the library: first with the head of a request, then when its body, if any, is there, and again
 * when it has slept.
 */
static enum MHD_Result answer_request(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_bytes,
	void **request_state)
{
	struct server *server = context;
	struct visit *visit = *request_state;

	(void)version, (void)upload;
	if (is_path_note(*request_state)) {
		visit = calloc(1, sizeof(*visit));
		if (!visit)
			return MHD_NO;
		visit->has_nul = *request_state == &path_has_nul;
		*request_state = visit;
		visit->server = server;
		visit->connection = connection;
		return MHD_YES;
	}
	if (*upload_bytes) {
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (!visit->has_work)
		return visit_begin(server, visit, url, method);
	if (!__atomic_load_n(&visit->work.is_made, __ATOMIC_ACQUIRE))
		return MHD_YES;
	return visit->work.is_good ? answer_send(server, connection, &visit->work.answer) : MHD_NO;
}

/* Called after the answer was sent or the connection was closed. */
static void request_completed(void *context, struct MHD_Connection *connection, void **request_state,
	enum MHD_RequestTerminationCode code)
{
	struct server *server = context;
	struct visit *visit = *request_state;

	(void)code;
	doors_leave(&server->doors, connection);
	*request_state = NULL;
	if (is_path_note(visit))
		return;
	if (visit->work.has_body)
		outbuf_done(&visit->work.answer.body);
	free(visit);
}

/* --- the server ----------------------------------------------------------------------------------------- */

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

	return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME,
		port, NULL, NULL, answer_request, server, MHD_OPTION_URI_LOG_CALLBACK, path_note, server,
		MHD_OPTION_NOTIFY_COMPLETED, request_completed, server, MHD_OPTION_NOTIFY_CONNECTION,
		doors_notify, &server->doors, MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT,
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
	streams_init(&server->streams);
	doors_init(&server->doors);
	if (crew_start(&server->crew, visit_resume, err) < 0) {
		server_stop(server);
		return RST_E_NOMEM;
	}
	errno = 0;
	server->daemon = token_make(server->token) ? daemon_start(server, port) : NULL;
	if (!server->daemon) {
		server_stop(server);
		error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot listen on port %u of 127.0.0.1: %s", port,
			errno ? strerror(errno) : "no reason is known");
		error_advise(err, "use another --port, or 0 for any that is free");
		return RST_E_IO;
	}
	const uint16_t bound = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;

	snprintf(server->cookie, sizeof(server->cookie), "rastrum_%u", bound);
	/*
	 * The library's thread runs already: until it sees the port, and with it the cookie, no Host is ours.
	 */
	__atomic_store_n(&server->port, bound, __ATOMIC_RELEASE);
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

void server_tick(struct server *server)
{
	streams_tick(&server->streams);
	doors_tick(&server->doors);
	for (size_t i = 0; i < server->n_sessions; i++)
		session_release(&server->sessions[i]);
}

/* Connections that sleep must be awake before the library ends; those that come until then get no answer. */
struct server *server_stop(struct server *server)
{
	if (!server)
		return NULL;
	streams_stop(&server->streams);
	if (server->crew)
		crew_stop(server->crew);
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	crew_free(server->crew);
	streams_done(&server->streams);
	doors_done(&server->doors);
	free(server);
	return NULL;
}
