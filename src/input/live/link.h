/* SPDX-License-Identifier: MIT */
/*
 * A link is where bytes come from while they are made: a device, a socket, a file that grows. It is taken up, read, lost,
 * and taken up again, as often as it takes; a signal ends it.
 *
 *	         take up                  bytes
 *	  down ───────────► up ─────────► read(2) ──► saved ──► given out
 *	   ▲  waits, longer  │
 *	   └──── each time ──┘ lost: reported, and a marker in the trace
 *
 * A kind of link is one const struct in a link_*.c; src/cli/live.c chooses by the options. Everything waits in link_wait(),
 * which also sees the signals, so that nothing else has to.
 */
#ifndef INPUT_LIVE_LINK_H
#define INPUT_LIVE_LINK_H

#include <signal.h>
#include <sys/types.h>

#include "base/error.h"
#include "input/live.h"
#include "input/live/client_command.h"

enum {
	LINK_BYTES = 64 * 1024, /* the largest datagram */
	LINK_COMMANDS_MAX = 16,
};

struct link;

/* What the system counts of what went wrong with bytes on their way to us. */
enum link_count {
	LINK_DATAGRAMS, /* dropped */
	LINK_OVERRUNS,	/* bytes that came before the device gave the last ones away */
	LINK_FULL,	/* as often the driver had no room */
	LINK_FRAMING,	/* bytes without a stop bit … */
	LINK_PARITY,	/* … and with a wrong parity, which are given out as they are */
	LINK_N_COUNTS
};

struct link_counter {
	uint32_t last;		/* as the system counts, modulo 2^32 */
	uint64_t n, n_notified; /* since link_start(), and of these reported */
};

struct link_kind {
	const char *lost;  /* one clause, when the other end has gone without an error */
	bool can_send;	   /* commands may be sent to the other end */
	bool is_watched;   /* a file: there is no descriptor that polls for more, so it is looked at often */
	bool ends;	   /* the end is the end: a pipe */
	bool is_awaited;   /* open() waits for the other end, so that no pause is due before it */
	bool is_closed;	   /* an end without an error is what the other end wanted: nothing need be missing */
	const char *doubt; /* what may be wrong when nothing comes of many bytes */

	/*
	 * One clause about a link that has been taken up for the first time. Returns NULL if there is nothing
	 * to report.
	 */
	void (*tell_begun)(const struct link *link);

	/*
	 * Tries once to take the link up and sets link->fd, which does not block. RST_OK; RST_MORE if
	 * link->deadline_ms came first; RST_END: stopped by a signal; RST_E_IO: not now; RST_E_USAGE,
	 * RST_E_NOMEM: never.
	 */
	enum rst_status (*open)(struct link *link, struct rst_error *err);

	/*
	 * As read(2), which NULL stands for. Errors EAGAIN and EINTR: nothing now. 0 and other errors: the link is lost, or, of
	 * a file that is watched, 0: nothing now, and ESTALE: it is another file now.
	 */
	ssize_t (*read)(struct link *link, uint8_t *room, size_t n_room);

	/*
	 * Looks at the system's counts, link_counted(); called while nothing is there to be read. read() may
	 * do so, too, and gives no byte when something is missing here. Returns NULL if there are no counts.
	 */
	void (*count)(struct link *link);
};

extern const struct link_kind link_pipe, link_file, link_serial, link_tcp, link_tcp_listen, link_udp_listen;

struct link {
	/* Set by the caller, all before link_start(). */
	const struct link_kind *kind;
	const char *address; /* path, HOST:PORT or PORT */
	const char *name;    /* as messages name it */
	uint64_t baud;	     /* serial only */
	bool is_once;	     /* where it is closed it ends */
	int out_fd;	     /* when it has no reader any more, the link ends; -1: none */
	int save_fd;	     /* gets every byte as it came; -1 if nothing is saved */
	void (*notify)(void *context, const char *sentence); /* what becomes of the link */
	void *notify_context;
	size_t n_commands; /* sent in this order each time that the link is taken up */
	struct client_command commands[LINK_COMMANDS_MAX];

	/* Its own. */
	int fd;		    /* -1: down */
	int listen_fd;	    /* -1: none */
	sigset_t signals;   /* that end it; none before link_start() */
	bool is_stopped;    /* by a signal, or because the output has no reader any more */
	bool was_up;	    /* it has been there: from now on it is waited for */
	bool is_lost;	    /* that was reported, and no byte has come since */
	bool is_back;	    /* that was reported, too */
	uint64_t n_bytes;   /* in all */
	uint64_t n_at_open; /* as many were there when it was last taken up */
	unsigned retry_ms;
	uint64_t retry_at_ms, deadline_ms; /* of the monotonic clock */
	uint8_t *held;			   /* a datagram */
	size_t n_held, n_given;
	struct link_counter counters[LINK_N_COUNTS];
	uint64_t notify_at_ms;	/* not before then are counts reported again */
	bool is_missing;	/* bytes were lost here, which the reader does not know yet */
	bool is_reopened;	/* it was closed, and bytes of another connection come */
	uint64_t doubt_at_ms;	/* not before then is it reported that no event comes of its bytes */
	bool is_doubted;	/* that no event comes of its bytes was reported */
	uint64_t n_good, n_bad; /* events that came of them, and places that made none: link_gave() */
	const char *missing;	/* the reason that the reader got last */
	dev_t device;		/* of a file: which it is … */
	ino_t inode;
	off_t n_seen; /* … and how far it has been read */
};

/*
 * From here on SIGINT and SIGTERM end the link instead of the program, unless they are ignored; a second one ends the
 * program, wherever it hangs. The link is taken up when it is first read. RST_E_NOMEM; link_done() is due whatever comes.
 */
enum rst_status link_start(struct link *link, struct rst_error *err);
void link_done(struct link *link);

/* What the trace reads. The link must stay where it is. */
struct live_input link_input(struct link *link);

/* Returns true if there was no signal so far, and the output has a reader. */
bool link_goes_on(struct link *link);

/* Ends it, as a signal does. */
void link_stop(struct link *link);

/* How many events came of its bytes so far, and how many losses and damages: a link that gives none may be a wrong one. */
void link_gave(struct link *link, uint64_t n_good, uint64_t n_bad);

/* --- for link.c -------------------------------------------------------------------------------------------------- */

/* From here to link_leave_signals(), SIGINT and SIGTERM are seen by link_wait(), unless they are ignored. */
void link_watch_signals(struct link *link);
void link_leave_signals(struct link *link);

/* --- for kinds ----------------------------------------------------------------------------------------------- */

/*
 * Waits for events of fd (-1: for time only) until wait_ms or the link's deadline have gone by. RST_OK;
 * RST_MORE if time is over; RST_END if stopped by a signal, or the output has no reader any more.
 */
enum rst_status link_wait(struct link *link, int fd, short events, int wait_ms);

/* RST_E_IO: "cannot VERB: the system's reason", with the link's name. */
enum rst_status link_refused(const struct link *link, const char *verb, int reason, struct rst_error *err);

void link_notify(const struct link *link, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- link_counts.c ------------------------------------------------------------------------------------------- */

/*
 * What the system counts now, as often as it is looked at. Returns false if bytes are missing in front of
 * what is read next.
 */
bool link_counted(struct link *link, enum link_count which, uint32_t now);

/* Counts from here on: what the system has counted before is not of this link. */
void link_count_from(struct link *link, enum link_count which, uint32_t now);

/* Reports what was counted since the last report, once a second at most; with is_last all that was counted, once more. */
void link_print_counts(struct link *link, bool is_last);

#endif
