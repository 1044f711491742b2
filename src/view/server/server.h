/* SPDX-License-Identifier: MIT */
/*
 * `rastrum view`: a trace in the browser, from a server on loopback. It only reads, and gives nothing without its token.
 *
 *	main.c       rastrum-view: opens the trace, starts the threads, prints the link
 *	session.c    what is viewed: a thread reads the trace into tracks, tables and findings, which may be asked for meanwhile
 *	memory.c     memory that files back
 *	messages.c   which event received what another one sent
 *	http.c       requests: who may ask, limits, headers
 *	doors.c      connections that are open, and how long they may take
 *	crew.c       the threads that make answers
 *	stream.c     /api/live
 *	routes.c     which path is answered by what
 *	answer_*.c   one answer each
 *	events.c     events out of the trace, which is read once more for them
 *	facts.c      tracks, segments and entities as JSON
 *	assets.c     the page, which is part of the program
 *
 * docs/VIEW.md has the interface.
 */
#ifndef VIEW_SERVER_SERVER_H
#define VIEW_SERVER_SERVER_H

#include <pthread.h>

#include "analysis/explain/explain.h"
#include "analysis/stats/stats.h"
#include "cli/analysis/view.h"
#include "cli/live.h"
#include "store/tracks.h"
#include "view/server/messages.h"

enum {
	ANSWER_MAX = 500 * 1024,  /* bytes of an answer: what is beyond is left out, and the answer says so */
	LABEL_MAX = 256,	  /* bytes of a name */
	SESSION_LOSSES_MAX = 4096 /* places that are kept; the others are counted */
};

/* --- session.c -------------------------------------------------------------------------------------------------- */

struct session_loss {
	uint64_t at;
	bool is_damage;
};

/* What is viewed: one trace. Members behind the lock are read and written with it. */
struct session {
	/* Set by session_begin(), and not changed. */
	size_t number;			   /* of the trace, among those that are viewed */
	struct survey survey;		   /* how the reader opens it */
	struct view_args args;		   /* the survey's */
	const struct analysis_args *again; /* how it is opened once more, … */
	bool can_read_again;		   /* … which pipes cannot be */
	bool is_live;			   /* it may grow */
	off_t n_bytes;			   /* of the file; below 0: it is none */
	struct live live;
	struct live_args live_args;
	struct live_input input; /* the link's, without the lock while it waits */
	pthread_t reader;
	bool is_reading;	    /* the reader was started */
	pthread_mutex_t lock, turn; /* turn: who gets the lock next: session_lock() */

	struct rst_trace *trace; /* NULL: nothing has come of a live input */
	struct scan scan;
	struct stats stats; /* all tables */
	struct findings findings;
	struct tracks tracks;
	struct messages messages;
	struct observer observer;
	struct session_loss losses[SESSION_LOSSES_MAX];
	uint64_t n_losses;
	bool is_done;	   /* the trace was read to its end … */
	bool is_stopping;  /* … or is not to be read any more */
	bool was_cut;	   /* the file became shorter while it was read */
	char failure[640]; /* why reading ended, "": it has not failed */
	int exit_status;
};

/*
 * Opens the trace with this number of the operands and starts its reader; one that is live is opened by its reader.
 * RST_E_NOMEM, and those of survey_open() and live_start().
 */
enum rst_status session_begin(struct session *session, const struct view_args *args, int n_operands,
	char **operands, size_t number, struct rst_error *err);
/* Bytes of a file that was open were not there any more: if it was this one, its reader ends, and says so. */
void session_check_file(struct session *session);
/* The reader is to end, and so is all that reads for answers. */
void session_stop(struct session *session);
/* Waits until the reader has ended; returns the exit status. */
int session_end(struct session *session);

/* The reader gives the lock away between two batches, and gets it back behind all that wait for it then. */
void session_lock(struct session *session);
void session_unlock(struct session *session);

/* --- memory.c --------------------------------------------------------------------------------------------------- */

/* Where much of the files is in memory: gives it back to the system. */
void session_release(struct session *session);

/* --- http.c ----------------------------------------------------------------------------------------------------- */

struct server;

enum { TOKEN_BYTES = 16, TOKEN_DIGITS = 2 * TOKEN_BYTES };

/* port 0: any that is free. RST_E_IO: it cannot be had. */
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

enum route_kind {
	ROUTE_READY, /* what is asked for is at hand */
	ROUTE_SLOW,  /* the trace is read for it */
	ROUTE_PART,  /* it is read where only a part is asked for: route_kind() says which */
	ROUTE_LIVE   /* the answer goes on */
};

enum route_kind route_kind(const struct request *request);

/* The session that the request is about. NULL: there is none of that number, and the answer says so. */
struct session *route_session(const struct request *request, struct answer *answer);

/* Answers; the body is the caller's. false: memory ran out. */
bool route(struct request *request, struct answer *answer);

/* An answer that is no good one, as JSON: {"error": sentence}. */
bool answer_fail(struct answer *answer, unsigned status, const char *sentence);

/* A number of the link between two bounds. false: it is given and is none, and the answer says so. */
bool parameter_number(const struct request *request, struct answer *answer, const char *name, uint64_t least,
	uint64_t most, uint64_t *ret_number);

/* --- facts.c ---------------------------------------------------------------------------------------------------- */

/* ,"KEY":NUMBER */
void put_number(struct outbuf *out, const char *key, uint64_t number);
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

enum { EVENTS_MAX = 1000 };

struct events_query {
	struct filter_spec filter;
	uint64_t from, to;	  /* of the filter, in ticks: nothing behind it is read */
	uint64_t first;		  /* events before this number are left out */
	uint64_t limit;		  /* events, losses and damages: at most EVENTS_MAX */
	const char *text;	  /* that the line must have; NULL: none */
	bool is_cut;		  /* result: there may be more … */
	uint64_t next_from, next; /* … from this moment and this number on */
};

/*
 * Writes "events":[…],"seqs":[…]: the events as JSON Lines have them, and their numbers as intervals and findings have them. false: they cannot be read, and the answer says why, or memory
 * ran out.
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
