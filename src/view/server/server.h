/* SPDX-License-Identifier: MIT */
/*
 * `rastrum view`: a trace in the browser, from a server on loopback. It only reads, and gives nothing without its token.
 *
 *	main.c       rastrum-view: opens the trace, starts both threads, prints the link
 *	session.c    what is viewed: a thread reads the trace into tracks and tables, which may be asked for meanwhile
 *	http.c       requests: who may ask, limits, headers
 *	routes.c     which path is answered by what
 *	answer_*.c   one answer each
 *	assets.c     the page, which is part of the program
 *
 * docs/VIEW.md has the interface.
 */
#ifndef VIEW_SERVER_SERVER_H
#define VIEW_SERVER_SERVER_H

#include <pthread.h>

#include "analysis/stats/stats.h"
#include "cli/analysis/analysis.h"
#include "store/tracks.h"

enum {
	ANSWER_MAX = 500 * 1024,  /* bytes of an answer, about: what is beyond is left out, and said so */
	SESSION_LOSSES_MAX = 4096 /* places that are kept; the others are counted */
};

/* --- session.c -------------------------------------------------------------------------------------------------- */

struct session_loss {
	uint64_t at;
	bool is_damage;
};

/* What is viewed. All but the first members are read and written with the lock. */
struct session {
	struct survey *survey; /* how traces are opened */
	pthread_t reader;
	pthread_mutex_t lock;

	struct rst_trace *trace;
	struct scan scan;
	struct stats stats; /* all tables */
	struct tracks tracks;
	struct observer observer;
	struct session_loss losses[SESSION_LOSSES_MAX];
	uint64_t n_losses;
	bool is_done;	  /* the trace was read to its end … */
	bool is_stopping; /* … or is not to be read any more */
	int exit_status;
};

/* Opens the trace and starts its reader. RST_E_NOMEM, and those of survey_open(). */
enum rst_status session_begin(struct session *session, struct survey *survey, struct rst_error *err);
/* Waits until the reader has ended; returns the exit status. */
int session_end(struct session *session);

/* --- http.c ----------------------------------------------------------------------------------------------------- */

struct server;

enum { TOKEN_BYTES = 16, TOKEN_DIGITS = 2 * TOKEN_BYTES };

/* port 0: any that is free. RST_E_IO: it cannot be had. */
enum rst_status server_start(
	struct server **ret_server, struct session *session, uint16_t port, struct rst_error *err);
uint16_t server_port(const struct server *server);
const char *server_token(const struct server *server);
struct server *server_stop(struct server *server);

/* --- routes.c --------------------------------------------------------------------------------------------------- */

/* A request that may be answered: parameters are those of the link. */
struct request {
	struct session *session;
	const char *path;
	const char *(*parameter)(const struct request *request, const char *name); /* NULL: not given */
	void *connection;
};

struct answer {
	unsigned status; /* of HTTP */
	const char *type;
	struct outbuf body; /* in memory */
	const void *asset;  /* static bytes in place of the body; or NULL */
	size_t asset_bytes;
};

/* Answers; the body is the caller's. false: memory ran out. */
bool route(const struct request *request, struct answer *answer);

/* An answer that is no good one, as JSON: {"error": sentence}. */
bool answer_fail(struct answer *answer, unsigned status, const char *sentence);

/* A number of the link between two bounds. false: it is given and is none, and the answer says so. */
bool parameter_number(const struct request *request, struct answer *answer, const char *name, uint64_t least,
	uint64_t most, uint64_t *ret_number);

/* --- answer_*.c ------------------------------------------------------------------------------------------------- */

bool answer_info(const struct request *request, struct answer *answer);
bool answer_tracks(const struct request *request, struct answer *answer);
bool answer_tiles(const struct request *request, struct answer *answer);
bool answer_events(const struct request *request, struct answer *answer);
bool answer_search(const struct request *request, struct answer *answer);
bool answer_stats(const struct request *request, struct answer *answer);

/* --- assets.c --------------------------------------------------------------------------------------------------- */

struct asset {
	const char *path, *type;
	const char *bytes, *end;
};

extern const struct asset assets[];
extern const size_t n_assets;

#endif
