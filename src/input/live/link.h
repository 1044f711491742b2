/* SPDX-License-Identifier: MIT */
/*
 * A link is a source of bytes that are still being made: a device, a socket, a file that grows. It is taken
 * up, read, lost, and taken up again, as often as needed; a signal ends it.
 *
 *	         take up                  bytes
 *	  down ───────────► up ─────────► read(2) ──► saved ──► given out
 *	   ▲  waits, longer  │
 *	   └──── each time ──┘ lost: reported, and a marker in the trace
 *
 * Each kind of link is one const struct in a link_*.c; src/cli/live.c chooses the kind by the options. All
 * waiting happens in link_wait(), which also sees the signals, so no other function has to.
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

/* The system's counters of transfer errors. */
enum link_count {
	LINK_DATAGRAMS, /* dropped */
	LINK_OVERRUNS,	/* bytes that came before the device had passed on the last ones */
	LINK_FULL,	/* times that the driver had no room */
	LINK_FRAMING,	/* bytes without a stop bit; given out as they are */
	LINK_PARITY,	/* bytes with a wrong parity; given out as they are */
	LINK_N_COUNTS
};

struct link_counter {
	uint32_t last;		/* the system's count, modulo 2^32 */
	uint64_t n, n_notified; /* since link_start(), and the part of them already reported */
};

struct link_kind {
	const char *lost;  /* one clause: why the link is lost if the other end went without an error */
	bool can_send;	   /* commands may be sent to the other end */
	bool is_watched;   /* a file: poll() does not report its growth, so it is looked at often */
	bool ends;	   /* no more bytes follow an end: a pipe */
	bool is_awaited;   /* open() waits for the other end, so no pause is needed before it */
	bool is_closed;	   /* the other end closes without an error on purpose, so no bytes need be missing */
	const char *doubt; /* what may be wrong if many bytes make no event; NULL for no report */

	/*
	 * Reports that the link has been taken up for the first time. NULL if the kind has nothing to report.
	 */
	void (*tell_begun)(const struct link *link);

	/*
	 * Tries once to take the link up and sets link->fd, which does not block. Returns RST_OK; RST_MORE if
	 * link->deadline_ms came first; RST_END if a signal stopped it; RST_E_IO if it failed but may succeed
	 * later; RST_E_USAGE or RST_E_NOMEM if it will never succeed.
	 */
	enum rst_status (*open)(struct link *link, struct rst_error *err);

	/*
	 * Works as read(2); NULL stands for read(2) itself. EAGAIN and EINTR mean that there is nothing now.
	 * 0 and other errors mean that the link is lost. For a watched file, 0 means that there is nothing
	 * now, and ESTALE that it is another file now.
	 */
	ssize_t (*read)(struct link *link, uint8_t *room, size_t n_room);

	/*
	 * Passes the system's counts to link_counted(); called while there is nothing to read. read() may do
	 * so too, and gives no byte if bytes are missing here. NULL if the system has no counts for this
	 * kind.
	 */
	void (*count)(struct link *link);
};

extern const struct link_kind link_pipe, link_file, link_serial, link_tcp, link_tcp_listen, link_udp_listen;

struct link {
	/* The caller sets all of these before link_start(). */
	const struct link_kind *kind;
	const char *address; /* path, HOST:PORT or PORT */
	const char *name;    /* its name in messages */
	uint64_t baud;	     /* serial only */
	bool is_once;	     /* the link ends when the other end closes it */
	uint64_t limit_ms; /* the link ends so long after its start, as by a signal; 0: it has no such end */
	int out_fd;	   /* the link ends when this has no reader any more; -1: no output */
	int save_fd;	   /* gets every byte as it came; -1 if the bytes are not saved */
	void (*notify)(void *context, const char *sentence); /* reports what happens to the link */
	void *notify_context;
	size_t n_commands; /* sent in this order each time that the link is taken up */
	struct client_command commands[LINK_COMMANDS_MAX];

	/* The link's own state. */
	int fd;		    /* -1 if the link is down */
	int listen_fd;	    /* -1 if the link does not listen */
	sigset_t signals;   /* those that end it; empty before link_start() */
	bool is_stopped;    /* a signal came, or the output has no reader any more */
	bool was_up;	    /* it has been up once, so from now on it is waited for */
	bool is_lost;	    /* its loss was reported, and no byte has come since */
	bool is_back;	    /* its return was reported, too */
	uint64_t n_bytes;   /* the bytes read so far */
	uint64_t n_at_open; /* n_bytes when it was last taken up */
	unsigned retry_ms;
	uint64_t retry_at_ms, deadline_ms; /* times of the monotonic clock */
	uint64_t limit_at_ms;		   /* likewise, of limit_ms */
	uint8_t *held;			   /* a datagram */
	size_t n_held, n_given;
	struct link_counter counters[LINK_N_COUNTS];
	uint64_t notify_at_ms;	/* the earliest time of the next report of counts */
	bool is_missing;	/* bytes were lost here, and that is not yet reported to the reader */
	bool is_reopened;	/* it was closed; the next bytes are of another connection */
	uint64_t doubt_at_ms;	/* the earliest time to report that its bytes make no event */
	bool is_doubted;	/* it was reported that its bytes make no event */
	uint64_t n_good, n_bad; /* events, and losses and damages, that its bytes made: link_gave() */
	const char *missing;	/* the last reason given to the reader */
	dev_t device;		/* of a file: its identity, … */
	ino_t inode;
	off_t n_seen; /* … and how far it has been read */
};

/*
 * From now on SIGINT and SIGTERM end the link instead of the program, unless they are ignored; a second one
 * ends the program, wherever it hangs. The first read takes the link up. Returns RST_OK or RST_E_NOMEM; the
 * caller must call link_done() in either case.
 */
enum rst_status link_start(struct link *link, struct rst_error *err);
void link_done(struct link *link);

/* Returns the input that the trace reads. The link must not move in memory. */
struct live_input link_input(struct link *link);

/* Returns true if no signal has come so far and the output has a reader. */
bool link_goes_on(struct link *link);

/* Ends the link, as a signal does. */
void link_stop(struct link *link);

/*
 * Sets the number of events, and of losses and damages, so far. A link whose bytes make no events may be a
 * wrong one.
 */
void link_gave(struct link *link, uint64_t n_good, uint64_t n_bad);

/* --- for link.c ----------------------------------------------------------------------------------------- */

/* From here to link_leave_signals(), link_wait() sees SIGINT and SIGTERM, unless they are ignored. */
void link_watch_signals(struct link *link);
void link_leave_signals(struct link *link);

/* --- for kinds ------------------------------------------------------------------------------------------ */

/*
 * Waits for events of fd (-1: for time only) until wait_ms has passed or the link's deadline has come.
 * Returns RST_OK; RST_MORE if the time is over; RST_END if a signal stopped it or the output has no reader
 * any more.
 */
enum rst_status link_wait(struct link *link, int fd, short events, int wait_ms);

/* Sets err to "cannot VERB: the system's reason", with the link's name. Returns RST_E_IO. */
enum rst_status link_refused(const struct link *link, const char *verb, int reason, struct rst_error *err);

void link_notify(const struct link *link, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- link_counts.c -------------------------------------------------------------------------------------- */

/*
 * Takes the system's current count; call it each time that the count is read. Returns false if bytes are
 * missing in front of those that are read next.
 */
bool link_counted(struct link *link, enum link_count which, uint32_t now);

/* Starts counting at now: the system's earlier counts do not belong to this link. */
void link_count_from(struct link *link, enum link_count which, uint32_t now);

/*
 * Reports the counts since the last report, once a second at most; if is_last, reports all counts once more.
 */
void link_print_counts(struct link *link, bool is_last);

#endif
