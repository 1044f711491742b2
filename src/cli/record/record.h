/* SPDX-License-Identifier: MIT */
/*
 * The parts of `rastrum record`, which cmd_record.c puts together:
 *
 *	program.c    finds the program, holds it until its stream exists, starts it and waits for it
 *	preload.c    the libraries that --system puts in front of it
 *	sched.c      checks whether the kernel allows --sched
 *	file.c       the log's file, and the numbered files of snapshots
 *	stream.c     begins, watches and ends the stream
 *	filter.c     selects the types of events that are recorded
 *	killed.c     the event of a program that a signal has killed
 *	counts.c     counts the recorded events, and shows the counts
 *	end.c        waits for the log's consumer, and checks the log's file
 *	wait.c       waits for an end: signals, the program's end, the time
 */
#ifndef CLI_RECORD_RECORD_H
#define CLI_RECORD_RECORD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <trace.h>

#include "base/error.h"
#include "base/new_file.h"
#include "cli/opt.h"

struct record_args {
	const char *output;
	bool is_forced;
	uint64_t pid; /* UINT64_MAX: not given, and so for the other numbers */
	struct text_list filter;
	const char *duration;
	uint64_t ring_bytes;
	struct text_list snapshot_on;
	uint64_t stream_bytes, log_bytes, data_bytes;
	unsigned log_policy; /* enum record_policy */
	bool has_system, has_sched, has_faults, is_compressed, is_quiet;
};

enum record_policy { POLICY_NOT_GIVEN, POLICY_APPEND, POLICY_LOOP, POLICY_UNTIL_FULL, N_POLICIES };

/* --- program.c ------------------------------------------------------------------------------------------ */

/* The exit status that shells return for a program that they cannot run. */
enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 };

struct program {
	pid_t pid;
	int go_fd;   /* a byte written here starts it */
	int told_fd; /* why exec failed; an end of file when it did not */
};

/* Finds a program as shells do. 0, or the exit status, with the reason on stderr. */
int program_find(const char *name, char *ret_path, size_t path_bytes);

struct program_start {
	const char *path;
	char **arguments;	 /* ended by NULL */
	const sigset_t *signals; /* its mask */
	const char *preload;	 /* LD_PRELOAD; NULL: as it is */
};

/*
 * Makes the process that is to become the program; it waits, so that it can be traced before its first
 * instruction. RST_E_IO.
 */
enum rst_status program_hold(
	struct program *program, const struct program_start *start, struct rst_error *err);

/* Lets it become the program, with a variable (NAME=VALUE, or "") in its environment. As program_find(). */
int program_go(struct program *program, const char *path, const char *variable);

/* It never becomes the program. */
void program_drop(struct program *program);

/* Whether it has ended; it stays there to be looked at until program_exit_status(). */
bool program_has_ended(const struct program *program);

/* The signal that killed it, when it has ended so; 0 if none did. */
int program_killer(const struct program *program);

/* Its exit status as shells give it. */
int program_exit_status(const struct program *program);

/* --- preload.c ------------------------------------------------------------------------------------------ */

/*
 * LD_PRELOAD for a program, to be freed: what is set already, then the libraries of --system. Returns
 * RST_E_USAGE if the program can load no library first; RST_E_UNSUPPORTED if there are no such libraries;
 * RST_E_IO, RST_E_NOMEM.
 */
enum rst_status preload_make(const char *program, char **ret_preload, struct rst_error *err);

/* --- sched.c -------------------------------------------------------------------------------------------- */

/* Whether context switches are recorded: page faults come with them. */
static inline bool record_has_sched(const struct record_args *args)
{
	return args->has_sched || args->has_faults;
}

/* Whether switches can be recorded at all: of a process of the caller's own. RST_E_IO, RST_E_UNSUPPORTED. */
enum rst_status sched_check(struct rst_error *err);

/*
 * Descriptors for all threads on all processors: the consumer inherits what we may have. Behind
 * program_hold(), so that the program does not.
 */
void sched_make_room(void);

/* Whether an event of this name is one of the kernel's. */
bool sched_has_name(const char *name);

/* --- file.c --------------------------------------------------------------------------------------------- */

/*
 * A log's file. A new regular file does not have its name until logfile_keep(): what had the name before is
 * there until the new log has really begun.
 */
struct logfile {
	const char *path;
	struct new_file file; /* a regular one */
	bool lacks_name;      /* it gets it by logfile_keep() */
	int fd;		      /* -1 if it is not open */
	bool can_be_looked;   /* a regular file, readable */
};

/*
 * "-" is standard output. Returns RST_E_USAGE if the file contains something other than a log; RST_E_IO,
 * RST_E_NOMEM.
 */
enum rst_status logfile_open(struct logfile *file, const char *path, bool is_forced, struct rst_error *err);
/*
 * Checks whether the file with this name may be replaced: it does not exist, or it is a log that no recording
 * writes. With is_forced it may also be anything else. Returns RST_E_USAGE or RST_E_IO; the error has the
 * path.
 */
enum rst_status logfile_check_old(const char *path, bool is_forced, struct rst_error *err);

/*
 * Gives it the name of -o. Returns RST_E_IO if the file has no name, or another one, which the error
 * contains.
 */
enum rst_status logfile_keep(struct logfile *file, struct rst_error *err);

/* Closes it; one that was not kept is gone. */
void logfile_close(struct logfile *file);

/* A file for a snapshot, which has no name yet. RST_E_IO, RST_E_NOMEM. */
enum rst_status logfile_begin_snapshot(const char *path, struct new_file *ret_file, struct rst_error *err);
/*
 * It is whole: it is called "STEM-N.rst", with the first N from *number on that is free; N is put there.
 * RST_E_IO, RST_E_NOMEM.
 */
enum rst_status logfile_number(
	struct new_file *file, const char *path, unsigned *number, char **ret_name, struct rst_error *err);

/* --- filter.c ------------------------------------------------------------------------------------------- */

/*
 * The types that are recorded: a type must match a name or pattern of the list (all types match if it has no
 * such entry), and must not match an entry behind a `!`. Types that the trace system itself defines are
 * recorded unless such a `!` excludes them.
 */
struct pick {
	const struct text_list *list;
	bool has_wanted;  /* something without `!` */
	bool is_open;	  /* types that are not known yet may be wanted */
	bool needs_looks; /* a new type has to be compared by its name */
	char late[TRACE_EVENT_NAME_MAX +
		  1];	/* a wanted type whose case differs; "": none, or its message was printed */
	bool has_sched; /* switches have an option of their own and need no name */
	trace_event_set_t filter;
};

/* Returns RST_E_USAGE if a name that no event can have. */
enum rst_status pick_check(struct pick *pick, const struct text_list *list, struct rst_error *err);

/* Whether `!` leaves this name out. */
bool pick_leaves_out(const struct pick *pick, const char *name);

/* Opens the names of the list and sets the filter, before the stream is started. */
enum rst_status pick_begin(struct pick *pick, trace_id_t trid, struct rst_error *err);

/* Filters the types that have come since. 0 or an error number. */
int pick_look(struct pick *pick, trace_id_t trid);

/* --- counts.c ------------------------------------------------------------------------------------------- */

/* The contents of a growing log, counted block by block. */
struct tally {
	int fd; /* -1 if nothing can be known */
	bool has_begun, has_area, has_end;
	uint64_t at; /* offset of the next block */
	uint64_t n_events, n_bytes;
	uint64_t n_lost, n_overwritten; /* with has_end */
	uint32_t n_unnamed;		/* likewise: types that found no room */
	int write_error;
	int read_error;		  /* of looking; 0: what is there was counted */
	bool is_full, is_overrun; /* the log; the stream, which lost what it had no room for */
};

void tally_look(struct tally *tally);
/* "1234 events, 5.6 MiB"; "5.6 MiB, whose events cannot be counted: Input/output error". */
void tally_text(const struct tally *tally, char *text, size_t n_text);
/* "5.6 MiB". */
void tally_bytes_text(uint64_t n_bytes, char *text, size_t n_text);

/* A line on the terminal that stays in its place. */
struct live_line {
	bool is_wanted;
	size_t n_shown; /* characters that stand there */
};

void live_line_begin(struct live_line *line, bool is_wanted);
void live_line_show(struct live_line *line, const char *text);
void live_line_clear(struct live_line *line);

/* --- stream.c ------------------------------------------------------------------------------------------- */

struct recording {
	const struct record_args *args;
	const char *path; /* of the log; of snapshots without their numbers */
	const char *name; /* of the stream */
	pid_t target;
	trace_id_t trid;
	bool is_on;
	struct logfile log; /* not with --ring */
	struct pick pick;
	struct tally tally;
	struct live_line line;
	unsigned n_own; /* events of the recorder itself */
	unsigned n_snapshots, snapshot_number;
	bool wants_last_snapshot;
	int signal_fd, snapshot_signal; /* of struct waiting, while it waits; -1, 0 */
	int exit_status;		/* of what went wrong since the begin */
};

/* Sizes and policies that do not go together. RST_E_USAGE. */
enum rst_status recording_check(const struct record_args *args, struct rst_error *err);

/* Makes the stream of recording->target and starts it. RST_E_IO, RST_E_USAGE, RST_E_UNSUPPORTED. */
enum rst_status recording_begin(struct recording *recording, struct rst_error *err);

/* A flight recorder's snapshot into the next file; a failure is printed and kept in exit_status. */
void recording_snapshot(struct recording *recording);

/*
 * The program was killed by this signal: an event of the stream records it, behind all others of the program.
 */
void recording_note_killed(struct recording *recording, int signal_number);

/* Does the work that is due several times a second: new types, the live line. */
void recording_look(struct recording *recording);
/* Milliseconds until the next look; -1 if it needs none. */
int recording_pause(const struct recording *recording);

/* The last snapshot, the end of the log, the summary. Once is enough, more is harmless. */
void recording_end(struct recording *recording);
/* Ends it without a word, when it has come to nothing. */
void recording_drop(struct recording *recording);

/* --- end.c ---------------------------------------------------------------------------------------------- */

/* posix_trace_shutdown(); EINTR: a signal came while the consumer did not answer. */
int end_shutdown(struct recording *recording);

/* The state of the log's file at the end; the tally has counted it again. */
enum end_log {
	END_LOG_GOOD,
	END_LOG_MOVED,	 /* it has another name */
	END_LOG_REMOVED, /* it has none */
	END_LOG_CHANGED, /* another program wrote to it, or made it shorter */
	END_LOG_UNREAD,	 /* whether it is whole is not known: its disk fails */
};
enum end_log end_look(struct recording *recording);

/* --- wait.c --------------------------------------------------------------------------------------------- */

struct waiting {
	sigset_t watched, before; /* what we wait for; the mask that was there, and that a program gets */
	int signal_fd;
	int process_fd;		 /* --pid: readable when it has ended; else -1 */
	int snapshot_signal;	 /* 0: none */
	uint64_t duration_ns;	 /* 0: no end */
	uint64_t end_ns;	 /* when it has passed */
	struct program *program; /* NULL with --pid */
};

/* The words of --snapshot-on. RST_E_USAGE. */
enum rst_status waiting_parse_snapshot(
	const struct text_list *words, int *ret_signal, bool *ret_at_exit, struct rst_error *err);

/* From here on signals wait to be looked at. RST_E_IO. */
enum rst_status waiting_begin(struct waiting *waiting, struct rst_error *err);

/* Returns RST_E_UNSUPPORTED if the kernel has no pidfd_open(2); RST_E_IO if there is no such process. */
enum rst_status waiting_for_process(struct waiting *waiting, pid_t pid, struct rst_error *err);

/*
 * Looks after the recording until the program or process has ended, or a signal or --duration has ended it.
 */
void waiting_run(struct waiting *waiting, struct recording *recording);
void waiting_done(struct waiting *waiting);

#endif
