/* SPDX-License-Identifier: MIT */
/*
 * `rastrum view`: a trace in the browser, from a server on loopback. It only reads, and gives nothing without its token.
 *
 *	main.c       rastrum-view: opens the trace, starts the threads, prints the link
 *	http.c       requests: who may ask, limits, headers
 *	doors.c      connections that are open, and how long they may take
 *	crew.c       the threads that make answers
 *	stream.c     /api/live
 *	routes.c     which path is answered by what
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

#include "cli/analysis/view.h"
#include "view/session/session.h"

enum {
	ANSWER_MAX = 500 * 1024, /* bytes of an answer: what is beyond is left out, and the answer says so */
	LABEL_MAX = 256		 /* bytes of a name */
};

/* --- http.c ----------------------------------------------------------------------------------------------------- */

struct server;

enum { TOKEN_BYTES = 16, TOKEN_DIGITS = 2 * TOKEN_BYTES };

/* port 0: any that is free. Returns RST_E_IO if it cannot be had. */
enum rst_status server_start(struct server **ret_server, struct session *sessions, size_t n_sessions,
	uint16_t port, struct rst_error *err);
uint16_t server_port(const struct server *server);
const char *server_token(const struct server *server);
/* To be called every SERVER_TICK_MS. */
enum { SERVER_TICK_MS = 200 };
void server_tick(struct server *server);
/* The sessions must have been stopped. */
struct server *server_stop(struct server *server);

/* --- routes.c --------------------------------------------------------------------------------------------------- */

/* A request that may be answered: parameters are those of the link. */
struct request {
	struct session *sessions;
	size_t n_sessions;
	struct session *session; /* the one that is asked about: set by route() */
	const char *path;
	const char *(*parameter)(
		const struct request *request, const char *name); /* NULL if it is not given */
	void *connection;
};

struct answer {
	unsigned status; /* of HTTP */
	const char *type;
	struct outbuf body; /* in memory */
	const void *asset;  /* static bytes in place of the body; or NULL */
	size_t asset_bytes;
};

enum route_kind {
	ROUTE_READY, /* what is asked for is at hand */
	ROUTE_SLOW,  /* the trace is read for it */
	ROUTE_PART,  /* it is read where only a part is asked for: route_kind() says which */
	ROUTE_LIVE   /* the answer goes on */
};

enum route_kind route_kind(const struct request *request);

/*
 * The session that the request is about. Returns NULL if there is none of that number, and the answer says
 * so.
 */
struct session *route_session(const struct request *request, struct answer *answer);

/* Answers; the body is the caller's. Returns false if memory ran out. */
bool route(struct request *request, struct answer *answer);

/* An answer that is no good one, as JSON: {"error": sentence}. */
bool answer_fail(struct answer *answer, unsigned status, const char *sentence);

/*
 * A number of the link between two bounds. Returns false if it is given and is none, and the answer says so.
 */
bool parameter_number(const struct request *request, struct answer *answer, const char *name, uint64_t least,
	uint64_t most, uint64_t *ret_number);

/* --- facts.c ---------------------------------------------------------------------------------------------------- */

/* ,"KEY":NUMBER */
void put_number(struct outbuf *out, const char *key, uint64_t number);
/* From 0 to 1, in thousandths. */
void put_value(struct outbuf *out, const char *key, struct number number);
void put_share(struct outbuf *out, const char *key, uint64_t part, uint64_t all);
/* ,"KEY":"NAME" of an entity; nothing where there is none. */
void put_label(struct outbuf *out, const char *key, const struct rst_entity *entity);
/* "state":…, and of a wait its reason. */
void put_state(struct outbuf *out, unsigned class);
/* What else is known of a segment, each fact behind a comma; those that it does not have are left out. */
void put_facts(struct outbuf *out, const struct tracks *tracks, const struct track *track,
	const struct segment *segment);
void put_track(struct outbuf *out, const struct tracks *tracks, const struct track *track);

static inline size_t out_bytes(const struct outbuf *out)
{
	return (size_t)(out->at - out->start);
}

/* Takes back what was written behind so many bytes. */
static inline void out_rewind(struct outbuf *out, size_t n_bytes)
{
	out->at = out->start + n_bytes;
}

/* --- events.c --------------------------------------------------------------------------------------------------- */

/*
 * Writes "events":[…],"seqs":[…]: the events as JSON Lines have them, and their numbers as intervals and
 * findings have them. Returns false if they cannot be read, and the answer says why, or memory ran out.
 */
bool events_put(const struct request *request, struct answer *answer, struct events_query *query);

/* --- answer_*.c ------------------------------------------------------------------------------------------------- */

bool answer_info(const struct request *request, struct answer *answer);
bool answer_tracks(const struct request *request, struct answer *answer);
bool answer_tiles(const struct request *request, struct answer *answer);
bool answer_arrows(const struct request *request, struct answer *answer);
bool answer_details(const struct request *request, struct answer *answer);
bool answer_events(const struct request *request, struct answer *answer);
bool answer_search(const struct request *request, struct answer *answer);
bool answer_stats(const struct request *request, struct answer *answer);
bool answer_findings(const struct request *request, struct answer *answer);

/* --- assets.c --------------------------------------------------------------------------------------------------- */

struct asset {
	const char *path, *type;
	const char *bytes, *end;
};

extern const struct asset assets[];
extern const size_t n_assets;

#endif
