/* SPDX-License-Identifier: MIT */
/*
 * A session of the browser or the terminal: a thread reads a trace into tracks, findings and tables. Other
 * threads can query them meanwhile.
 *
 *	session.c    the reader, and the data that it gathers
 *	judge.c      findings and tables, with a second reader if the file is large
 *	lock.c       access to the gathered data
 *	messages.c   which event received a message, and which one sent it
 *	events.c     events of the trace, which it reads a second time
 *	places.c     where that second reading can begin
 *	details.c    the events behind a track's state at a moment
 *	memory.c     memory that files back
 *	cut.c        files that become shorter while they are read
 */
#ifndef VIEW_SESSION_SESSION_H
#define VIEW_SESSION_SESSION_H

#include <pthread.h>
#include <signal.h>

#include "analysis/explain/explain.h"
#include "analysis/stats/stats.h"
#include "input/live/link.h"
#include "job/job.h"
#include "lines/format.h"
#include "tracks/tracks.h"
#include "view/session/messages.h"
#include "view/session/places.h"

enum {
	SESSION_LOSSES_MAX = 4096, /* places that are kept; others are only counted */
	SESSION_LARGE = 16 << 20 /* bytes of a file from which on findings and tables have a second reader */
};

/*
 * A fair lock. The reader takes a plain mutex again at once, mostly before others get it; here a waiter has
 * the turn.
 */
struct turnstile {
	pthread_mutex_t lock, turn;
};

void turnstile_init(struct turnstile *turnstile);
void turnstile_done(struct turnstile *turnstile);
void turnstile_lock(struct turnstile *turnstile);
void turnstile_unlock(struct turnstile *turnstile);

/*
 * The findings of a trace and, if they are wanted, its tables. In a large file they take longer than the
 * tracks. So a second reader reads the file at the same time, and the picture does not wait. Use the members
 * with judge_lock().
 */
struct judge {
	struct turnstile turnstile;
	bool is_apart; /* it has its own reader: the members below */
	pthread_t reader;
	bool is_reading;
	struct job job;
	struct rst_trace *trace;
	struct scan own_scan;

	struct scan *scan;  /* its own, or the session's */
	struct stats stats; /* all tables, if they are wanted */
	struct findings findings;
	bool is_done;
};

/* Gets the errors, damages and diagnoses of a session. Any thread of the session may call it. */
struct session_listener {
	tell_fn *tell;						  /* errors, damages */
	void (*diagnose)(void *context, const struct diag *diag); /* of templates; borrowed */
	void *context;
};

/*
 * The traces that sessions open, and the data that they gather. Everything is borrowed until session_end().
 */
struct session_spec {
	const struct job_spec *job;
	int n_paths;
	char **paths;
	struct link *link; /* a live input, which is not started yet, instead of the only path; NULL: files */
	const struct session_listener *listener;
	bool is_followed;   /* the link is a file that may come and go */
	bool has_relations; /* tables and messages are gathered, too */
};

struct session_loss {
	uint64_t at;
	bool is_damage;
};

/* A session views one trace. Take the lock to read or write the members behind it. */
struct session {
	/* Set by session_begin() and constant then. */
	size_t number;		      /* of the trace, among those that are viewed */
	struct session_spec spec;     /* what was asked for */
	struct job job;		      /* how the reader opens it */
	struct job_spec job_spec;     /* that of the job: with the live input */
	bool can_read_again;	      /* a second time, which pipes do not allow */
	bool is_live;		      /* it may grow */
	off_t n_bytes;		      /* of the file; below 0 if it is no file */
	struct live_input link_input; /* with has_link */
	struct live_input input;      /* the same, without the lock while it waits */
	bool has_link;		      /* it was started */
	pthread_t reader;
	bool is_reading;	    /* the reader was started */
	struct turnstile turnstile; /* session_lock() */

	struct rst_trace *trace; /* NULL if a live input has sent nothing yet */
	struct scan scan;
	struct judge judge; /* behind a lock of its own */
	struct tracks tracks;
	struct messages messages;
	struct places *places; /* its own; what they keep open may change while the session does not */
	struct session_loss losses[SESSION_LOSSES_MAX];
	uint64_t n_losses;
	bool is_done;	   /* the trace was read to its end … */
	bool is_stopping;  /* … or is not to be read any more */
	bool was_cut;	   /* the file became shorter while it was read */
	char failure[640]; /* why reading failed; "": it has not */
	int outcome;	   /* the worst of its errors */
};

/*
 * Opens the trace with this number and starts its reader; the reader itself opens a live trace. Returns
 * RST_E_NOMEM, and the errors of job_open() and link_start().
 */
enum rst_status session_begin(
	struct session *session, const struct session_spec *spec, size_t number, struct rst_error *err);
/* Called if an open file lost bytes: if it is this session's file, the reader ends with an error. */
void session_check_file(struct session *session);
/* Returns how much of the file is read, in percent; -1 if that is unknown. Call it with the lock. */
int session_percent(const struct session *session);
/* Asks the reader, and all readers for answers, to end. */
void session_stop(struct session *session);
/* Returns a job that opens the same trace once more, for one thread. Call job_done(). */
struct job session_job(const struct session *session);
/* Waits until the reader has ended; returns the outcome. */
int session_end(struct session *session);

/* --- lock.c --------------------------------------------------------------------------------------------- */

/*
 * The reader releases the lock between two batches, and gets it back after all threads that wait for it then.
 */
void session_lock(struct session *session);
void session_unlock(struct session *session);
/* The same for findings and tables. If you need both locks, take the session's first. */
void judge_lock(struct session *session);
void judge_unlock(struct session *session);

/* Called by a reader that holds the lock: lets others have the lock for a moment. */
void session_pause(struct session *session);
void judge_pause(struct session *session);

/* --- judge.c -------------------------------------------------------------------------------------------- */

/* Call it before the session is read. Returns RST_E_NOMEM. Call judge_done() in any case. */
enum rst_status judge_begin(struct session *session, struct rst_error *err);
/* Starts its reader, if it has one. Returns RST_E_NOMEM. */
enum rst_status judge_start(struct session *session, struct rst_error *err);
/* Called after all is read: makes the last findings. Returns false if memory ran out. */
bool judge_finish(struct session *session);
/* Waits until its reader has ended. */
void judge_end(struct session *session);
void judge_done(struct session *session);

/* Returns whether the reader has to end: the user wants it, or the file was cut. */
bool session_is_ending(const struct session *session);
/* Records an error. The text of the first error stays. */
void session_fail(struct session *session, const struct rst_error *err);

/* --- events.c ------------------------------------------------------------------------------------------- */

enum { EVENTS_MAX = 1000, EVENTS_BYTES_MAX = 500 * 1024 };

struct events_query {
	const struct report_format *format;
	struct filter_spec filter;
	uint64_t from, to;	  /* of the filter, in ticks; reading ends at `to` */
	uint64_t first;		  /* events before this number are left out */
	uint64_t limit;		  /* events, losses and damages: at most EVENTS_MAX */
	const char *text;	  /* the line must contain it; NULL: any line */
	bool is_patient;	  /* no time limit before the first line */
	bool is_stopped;	  /* another thread sets it: the results so far are enough */
	bool is_cut;		  /* result: there may be more … */
	uint64_t next_from, next; /* … from this moment and this number on */
};

/* Lines, each with its end, one for each event, loss or damage. */
struct events {
	struct outbuf lines;
	size_t n_bytes; /* of lines */
	uint64_t n;	/* lines */
	uint64_t seqs
		[EVENTS_MAX]; /* the numbers that intervals and findings use; RST_NO_SEQ: a loss or damage */
	uint64_t ticks[EVENTS_MAX];
};

/*
 * Reads the events. Call events_done() in any case. Returns RST_E_USAGE if the trace came through a pipe,
 * RST_E_NOMEM, and the errors of opening it.
 */
enum rst_status events_read(
	struct session *session, struct events_query *query, struct events *events, struct rst_error *err);
void events_done(struct events *events);

/* --- details.c ------------------------------------------------------------------------------------------ */

enum { DETAILS_LABEL_MAX = 256, DETAILS_NUMBER_MAX = 24, DETAILS_SEQS = 2 };

/* A copy of a track's state at a moment: the reader goes on while the events are read. */
struct details {
	struct segment segment;
	char thread[DETAILS_LABEL_MAX]; /* its events count; "": those that begin and end the segment */

	/* The query of details_ask() points to these. */
	const char *thread_name;
	char from[DETAILS_NUMBER_MAX], to[DETAILS_NUMBER_MAX];
	uint64_t seqs[DETAILS_SEQS];
};

/* Call it with the lock. */
void details_take(struct details *details, const struct tracks *tracks, const struct track *track,
	const struct segment *segment);
/* Makes the query for its events, which points into `details`. Returns false if it has no known events. */
bool details_ask(struct details *details, struct events_query *ret_query);

/* --- memory.c ------------------------------------------------------------------------------------------- */

/* Gives the memory of files back to the system if it is much. */
void session_release(struct session *session);

/* --- cut.c ---------------------------------------------------------------------------------------------- */

enum { SIGCUT = SIGUSR2 };

/*
 * From now on, bytes that a file has lost read as zeros, and SIGCUT arrives. Then call session_check_file().
 */
void cut_watch(void);

#endif
