/* SPDX-License-Identifier: MIT */
/*
 * What is viewed, in the browser or in the terminal: a thread reads a trace into tracks, findings and tables, which may be asked for
 * meanwhile.
 *
 *	session.c    the reader, what it gathers
 *	judge.c      findings and tables, which have a reader of their own where the file is large
 *	lock.c       who works with what is gathered
 *	messages.c   which event received what another one sent
 *	events.c     events out of the trace, which is read once more for them
 *	places.c     where that may begin
 *	details.c    which events show what a track did at a moment
 *	memory.c     memory that files back
 *	cut.c        files that become shorter while they are read
 */
#ifndef VIEW_SESSION_SESSION_H
#define VIEW_SESSION_SESSION_H

#include <pthread.h>
#include <signal.h>

#include "analysis/explain/explain.h"
#include "analysis/stats/stats.h"
#include "cli/analysis/analysis.h"
#include "cli/live.h"
#include "report/format.h"
#include "store/tracks.h"
#include "view/session/messages.h"
#include "view/session/places.h"

enum {
	SESSION_LOSSES_MAX = 4096, /* places that are kept; the others are counted */
	SESSION_LARGE =
		16 << 20 /* bytes of a file from which on findings and tables have a reader of their own */
};

/* A mutex alone would mostly come back to the reader, which wants it again at once; one that waits has the turn. */
struct turnstile {
	pthread_mutex_t lock, turn;
};

void turnstile_init(struct turnstile *turnstile);
void turnstile_done(struct turnstile *turnstile);
void turnstile_lock(struct turnstile *turnstile);
void turnstile_unlock(struct turnstile *turnstile);

/*
 * What judges a trace: findings and, where they are wanted, tables. In a large file that takes longer than its tracks do: it is
 * read a second time for that at the same time, so that the picture does not wait. Members are used with judge_lock().
 */
struct judge {
	struct turnstile turnstile;
	bool is_apart; /* it has a reader of its own, with what follows */
	pthread_t reader;
	bool is_reading;
	struct analysis_args args; /* the session's, without messages: its reader has them */
	struct survey survey;
	struct rst_trace *trace;
	struct scan own_scan;

	const struct scan *scan; /* its own, or the session's */
	struct stats stats;	 /* all tables, where they are wanted */
	struct findings findings;
	struct observer observer; /* stops its reader */
	bool is_done;
};

/* What is to be viewed, and for what. */
struct session_spec {
	const struct command *command;
	const struct analysis_args *args;
	int n_operands;
	char **operands;
	bool is_followed;   /* the file may grow */
	bool has_relations; /* tables and messages are gathered, too */
};

struct session_loss {
	uint64_t at;
	bool is_damage;
};

/* What is viewed: one trace. Members behind the lock are read and written with it. */
struct session {
	/* Set by session_begin(), and not changed. */
	size_t number;			   /* of the trace, among those that are viewed */
	struct survey survey;		   /* how the reader opens it */
	struct session_spec spec;	   /* what was asked for */
	struct analysis_args args;	   /* the survey's */
	const struct analysis_args *again; /* how it is opened once more, … */
	bool can_read_again;		   /* … which pipes cannot be */
	bool is_live;			   /* it may grow */
	off_t n_bytes;			   /* of the file; below 0: it is none */
	struct live live;
	struct live_args live_args;
	struct live_input input; /* the link's, without the lock while it waits */
	pthread_t reader;
	bool is_reading;	    /* the reader was started */
	struct turnstile turnstile; /* session_lock() */

	struct rst_trace *trace; /* NULL if nothing has come of a live input */
	struct scan scan;
	struct judge judge; /* behind a lock of its own */
	struct tracks tracks;
	struct messages messages;
	struct places *places; /* its own; what they keep open may change while the session does not */
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
enum rst_status session_begin(
	struct session *session, const struct session_spec *spec, size_t number, struct rst_error *err);
/* Bytes of a file that was open were not there any more: if it was this one, its reader ends, and says so. */
void session_check_file(struct session *session);
/* How much of the file is read, in percent; -1 if that is not known. With the lock. */
int session_percent(const struct session *session);
/* The reader is to end, and so is all that reads for answers. */
void session_stop(struct session *session);
/* Waits until the reader has ended; returns the exit status. */
int session_end(struct session *session);

/* --- lock.c --------------------------------------------------------------------------------------------------------- */

/* The reader gives the lock away between two batches, and gets it back behind all that wait for it then. */
void session_lock(struct session *session);
void session_unlock(struct session *session);
/* The same for findings and tables. Where both are needed, the session's comes first. */
void judge_lock(struct session *session);
void judge_unlock(struct session *session);

/* What a reader that holds the locks gives away for a moment. */
void session_pause(struct session *session);
void judge_pause(struct session *session);

/* --- judge.c -------------------------------------------------------------------------------------------------------- */

/* Before the session is read. RST_E_NOMEM; judge_done() is due in any case. */
enum rst_status judge_begin(struct session *session, struct rst_error *err);
/* Starts its reader, if it has one. RST_E_NOMEM. */
enum rst_status judge_start(struct session *session, struct rst_error *err);
/* All is read: the last findings. Returns false if memory ran out. */
bool judge_finish(struct session *session);
/* Waits until its reader has ended. */
void judge_end(struct session *session);
void judge_done(struct session *session);

/* The reader is to end: the user wants it, or the file was cut. */
bool session_is_ending(const struct session *session);
/* What went wrong: the first sentence stays. */
void session_fail(struct session *session, const struct rst_error *err);

/* --- events.c ----------------------------------------------------------------------------------------------------- */

enum { EVENTS_MAX = 1000, EVENTS_BYTES_MAX = 500 * 1024 };

struct events_query {
	const struct report_format *format;
	struct filter_spec filter;
	uint64_t from, to;	  /* of the filter, in ticks: nothing behind it is read */
	uint64_t first;		  /* events before this number are left out */
	uint64_t limit;		  /* events, losses and damages: at most EVENTS_MAX */
	const char *text;	  /* that the line must have; NULL: none */
	bool is_patient;	  /* time does not end it before the first line */
	bool is_stopped;	  /* set by another thread: what was found until then is enough */
	bool is_cut;		  /* result: there may be more … */
	uint64_t next_from, next; /* … from this moment and this number on */
};

/* Lines, each with its end, one for each event, loss or damage. */
struct events {
	struct outbuf lines;
	size_t n_bytes; /* of lines */
	uint64_t n;	/* lines */
	uint64_t seqs
		[EVENTS_MAX]; /* numbers as intervals and findings have them; RST_NO_SEQ: a loss or damage */
	uint64_t ticks[EVENTS_MAX];
};

/*
 * Reads the events; events_done() is due in any case. Returns RST_E_USAGE if the trace came through a pipe;
 * RST_E_NOMEM, and those of opening it.
 */
enum rst_status events_read(
	struct session *session, struct events_query *query, struct events *events, struct rst_error *err);
void events_done(struct events *events);

/* --- details.c ---------------------------------------------------------------------------------------------------- */

enum { DETAILS_LABEL_MAX = 256, DETAILS_NUMBER_MAX = 24, DETAILS_SEQS = 2 };

/* What a track did at a moment, copied: while events are read, the reader goes on. */
struct details {
	struct segment segment;
	char thread[DETAILS_LABEL_MAX]; /* whose events count; "": those that begin and end the segment */

	/* What the query of details_ask() points to. */
	const char *thread_name;
	char from[DETAILS_NUMBER_MAX], to[DETAILS_NUMBER_MAX];
	uint64_t seqs[DETAILS_SEQS];
};

/* With the lock. */
void details_take(struct details *details, const struct tracks *tracks, const struct track *track,
	const struct segment *segment);
/* The query for its events, which points into `details`; false if no events are known of it. */
bool details_ask(struct details *details, struct events_query *ret_query);

/* --- memory.c ----------------------------------------------------------------------------------------------------- */

/* Where much of the files is in memory: gives it back to the system. */
void session_release(struct session *session);

/* --- cut.c -------------------------------------------------------------------------------------------------------- */

enum { SIGCUT = SIGUSR2 };

/* From now on bytes that are not in their file any more are zeros, and SIGCUT comes: session_check_file() is due. */
void cut_watch(void);

#endif
