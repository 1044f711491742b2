/* SPDX-License-Identifier: MIT */
/*
 * `rastrum view` shows a trace in the browser, from a server on loopback. It only reads, and requires its
 * token for each answer.
 *
 *	http.c       requests: who may ask, limits, headers
 *	doors.c      open connections, and their time limits
 *	crew.c       the threads that make answers
 *	stream.c     /api/live
 *	routes.c     which function answers which path
 *	answer_*.c   one answer each
 *	events.c     events out of the trace as JSON
 *	facts.c      tracks, segments and entities as JSON
 *	assets.c     the page, which is part of the program
 *
 * docs/VIEW.md has the interface.
 */
#ifndef VIEW_SERVER_SERVER_H
#define VIEW_SERVER_SERVER_H

#include <pthread.h>

#include "base/json.h"
#include "view/session/session.h"

enum {
	ANSWER_MAX = 500 * 1024, /* bytes of an answer; a longer one is cut, and has a note of that */
	LABEL_MAX = 256		 /* bytes of a name */
};

/* --- http.c --------------------------------------------------------------------------------------------- */

struct server;

enum { TOKEN_BYTES = 16, TOKEN_DIGITS = 2 * TOKEN_BYTES };

/* Port 0: any free port. Returns RST_E_IO if the port is not available. */
enum rst_status server_start(struct server **ret_server, struct session *sessions, size_t n_sessions,
	uint16_t port, struct rst_error *err);
uint16_t server_port(const struct server *server);
const char *server_token(const struct server *server);
/* Call server_tick() every SERVER_TICK_MS. */
enum { SERVER_TICK_MS = 200 };
void server_tick(struct server *server);
/* Stop the sessions before this call. */
struct server *server_stop(struct server *server);

/* --- routes.c ------------------------------------------------------------------------------------------- */

/* A request that passed all checks. Its parameters are those of the link. */
struct request {
	struct session *sessions;
	size_t n_sessions;
	struct session *session; /* the request's session: set by route() */
	const char *path;
	const char *(*parameter)(const struct request *request, const char *name); /* NULL if it is missing */
	void *connection;
};

struct answer {
	unsigned status; /* of HTTP */
	const char *type;
	struct outbuf body; /* in memory */
	const void *asset;  /* static bytes instead of the body, or NULL */
	size_t asset_bytes;
};

enum route_kind {
	ROUTE_READY, /* the answer needs no reading */
	ROUTE_SLOW,  /* the answer reads the trace */
	ROUTE_PART,  /* reads the trace if a part is wanted: see route_kind() */
	ROUTE_LIVE   /* the answer is a stream */
};

enum route_kind route_kind(const struct request *request);

/*
 * Returns the session of the request. If no session has that number, it returns NULL and writes the error to
 * the answer.
 */
struct session *route_session(const struct request *request, struct answer *answer);

/* Makes the answer. The caller owns the body. Returns false if memory ran out. */
bool route(struct request *request, struct answer *answer);

/* Writes an error answer as JSON: {"error": sentence}. */
bool answer_fail(struct answer *answer, unsigned status, const char *sentence);

/*
 * Parses a number of the link between two bounds. If the parameter is given and invalid, it returns false and
 * writes the error to the answer.
 */
bool parameter_number(const struct request *request, struct answer *answer, const char *name, uint64_t least,
	uint64_t most, uint64_t *ret_number);

/* --- facts.c -------------------------------------------------------------------------------------------- */

/* Writes a level's number, and also its exact text if readers of JSON would lose digits. */
void put_value(struct json *json, const char *key, struct number number);
/* Writes a share from 0 to 1, in thousandths. */
void put_share(struct json *json, const char *key, uint64_t part, uint64_t all);
/* Writes the name of an entity; writes nothing without an entity. */
void put_label(struct json *json, const char *key, const struct rst_entity *entity);
/* Writes the state, and the reason of a wait. */
void put_state(struct json *json, unsigned class);
/* Writes the other facts of a segment. Leaves out the facts that it does not have. */
void put_facts(struct json *json, const struct tracks *tracks, const struct track *track,
	const struct segment *segment);
void put_track(struct json *json, const char *key, const struct tracks *tracks, const struct track *track);

static inline size_t out_bytes(const struct outbuf *out)
{
	return (size_t)(out->at - out->start);
}

/* --- events.c ------------------------------------------------------------------------------------------- */

/*
 * Writes "events":[…],"seqs":[…]: the events in the form of JSON Lines, and the numbers by which intervals
 * and findings refer to them. Returns false if memory ran out, or if the events cannot be read: then it
 * writes the reason to the answer.
 */
bool events_put(
	const struct request *request, struct answer *answer, struct json *json, struct events_query *query);

/* --- answer_*.c ----------------------------------------------------------------------------------------- */

bool answer_info(const struct request *request, struct answer *answer);
bool answer_tracks(const struct request *request, struct answer *answer);
bool answer_tiles(const struct request *request, struct answer *answer);
bool answer_arrows(const struct request *request, struct answer *answer);
bool answer_details(const struct request *request, struct answer *answer);
bool answer_events(const struct request *request, struct answer *answer);
bool answer_search(const struct request *request, struct answer *answer);
bool answer_stats(const struct request *request, struct answer *answer);
bool answer_findings(const struct request *request, struct answer *answer);

/* --- assets.c ------------------------------------------------------------------------------------------- */

struct asset {
	const char *path, *type;
	const char *bytes, *end;
};

extern const struct asset assets[];
extern const size_t n_assets;

#endif
