/* SPDX-License-Identifier: MIT */
/*
 * What is viewed, in the browser or in the terminal: a thread reads a trace into tracks, findings and tables, which may be asked for
 * meanwhile.
 *
 *	session.c    the reader, what it gathers, its lock
 *	messages.c   which event received what another one sent
 *	events.c     events out of the trace, which is read once more for them
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

enum { SESSION_LOSSES_MAX = 4096 /* places that are kept; the others are counted */ };

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
	pthread_mutex_t lock, turn; /* turn: who gets the lock next: session_lock() */

	struct rst_trace *trace; /* NULL: nothing has come of a live input */
	struct scan scan;
	struct stats stats; /* all tables, where they are wanted */
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
enum rst_status session_begin(
	struct session *session, const struct session_spec *spec, size_t number, struct rst_error *err);
/* Bytes of a file that was open were not there any more: if it was this one, its reader ends, and says so. */
void session_check_file(struct session *session);
/* The reader is to end, and so is all that reads for answers. */
void session_stop(struct session *session);
/* Waits until the reader has ended; returns the exit status. */
int session_end(struct session *session);

/* The reader gives the lock away between two batches, and gets it back behind all that wait for it then. */
void session_lock(struct session *session);
void session_unlock(struct session *session);

/* --- events.c ----------------------------------------------------------------------------------------------------- */

enum { EVENTS_MAX = 1000, EVENTS_BYTES_MAX = 500 * 1024 };

struct events_query {
	const struct report_format *format;
	struct filter_spec filter;
	uint64_t from, to;	  /* of the filter, in ticks: nothing behind it is read */
	uint64_t first;		  /* events before this number are left out */
	uint64_t limit;		  /* events, losses and damages: at most EVENTS_MAX */
	const char *text;	  /* that the line must have; NULL: none */
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
 * Reads the events; events_done() is due in any case. RST_E_USAGE: the trace came through a pipe; RST_E_NOMEM, and those of
 * opening it.
 */
enum rst_status events_read(const struct session *session, struct events_query *query, struct events *events,
	struct rst_error *err);
void events_done(struct events *events);

/* --- memory.c ----------------------------------------------------------------------------------------------------- */

/* Where much of the files is in memory: gives it back to the system. */
void session_release(struct session *session);

/* --- cut.c -------------------------------------------------------------------------------------------------------- */

enum { SIGCUT = SIGUSR2 };

/* From now on bytes that are not in their file any more are zeros, and SIGCUT comes: session_check_file() is due. */
void cut_watch(void);

#endif
