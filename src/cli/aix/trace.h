/* SPDX-License-Identifier: MIT */
/*
 * `rastrum trace`, a session of AIX's trace daemon. It has one stream. All processes of a user that have
 * hooks record into it, or only the chosen processes. cmd_trace.c has the options; the parts are
 *
 *	trace_hooks.c      hooks by ids and groups
 *	trace_stream.c     makes the stream, switches it on and off, and ends it with its log
 *	trace_processes.c  finds the processes that record into it, at the beginning and later
 *	trace_serve.c      waits for requests of trcon, trcoff and trcstop, new processes, the end of a program
 */
#ifndef CLI_AIX_TRACE_H
#define CLI_AIX_TRACE_H

#include <trace_hook_np.h>

#include "base/error.h"
#include "cli/opt.h"
#include "cli/record/record.h"

struct trace_args {
	bool is_async, is_deferred, is_single, is_circular, is_generic, stops_when_full, keeps_old, is_forced;
	struct text_list hooks, not_hooks, groups, not_groups, common, rare, pids;
	const char *output, *message, *propagate, *program, *lasting_program;
	uint64_t log_bytes, buffer_bytes; /* UINT64_MAX: not given */
	/* Only to be refused. */
	const char *threads, *cores, *registers, *components, *partitions;
	bool has_maps, has_names, has_partition_ids, has_cores, has_interrupts, is_in_heap, is_in_segments;
};

/* --- trace_absent.c ------------------------------------------------------------------------------------- */

extern const struct opt trace_absent_opts[];

/* Returns RST_E_USAGE if one of them was given. */
enum rst_status trace_refuse_absent(const struct trace_args *args, struct rst_error *err);

/* --- trace_hooks.c -------------------------------------------------------------------------------------- */

/*
 * Finds the hooks that are not recorded, by -j, -J, -k and -K. Returns RST_E_USAGE if an id or group is not
 * valid; RST_E_IO.
 */
enum rst_status trace_hooks_read(
	const struct trace_args *args, struct posix_trace_hooks_np *ret_disabled, struct rst_error *err);

/* With -l: hooks that are common from the beginning, and hooks that never are. Likewise. */
enum rst_status trace_rings_read(const struct trace_args *args, struct posix_trace_hooks_np *ret_common,
	struct posix_trace_hooks_np *ret_rare, struct rst_error *err);

/* --- trace_stream.c ------------------------------------------------------------------------------------- */

struct trace_stream {
	const struct trace_args *args;
	int channel;
	trace_id_t trid;
	bool is_made, is_on;
	struct logfile log;
};

/* Makes the stream, which does not record yet. RST_E_IO, RST_E_USAGE, RST_E_UNSUPPORTED. */
enum rst_status trace_stream_begin(struct trace_stream *stream, struct rst_error *err);

/* On and off, with an entry of the session's own that says so. 0 or an error number. */
int trace_stream_turn(struct trace_stream *stream, bool is_on);

/*
 * Ends the stream and completes the log; with discards without the entries that are not in it yet. 0 or an
 * error number.
 */
int trace_stream_end(struct trace_stream *stream, bool discards);

/* --- trace_processes.c ---------------------------------------------------------------------------------- */

struct trace_processes {
	trace_id_t trid;
	bool is_all;	   /* of the user; else those of -A and the program of -x */
	int watch_fd;	   /* readable when a process has come; -1 */
	unsigned n_missed; /* that asked to be recorded and cannot be */
};

/* Those that run, and from now on those that come. RST_E_IO. */
enum rst_status trace_processes_begin(struct trace_processes *processes, const struct trace_args *args,
	trace_id_t trid, struct rst_error *err);

/* One that has begun and waits for the answer: its first hook is recorded if it is to be. */
void trace_processes_take(struct trace_processes *processes, pid_t pid);

/* After watch_fd was readable. */
void trace_processes_look(struct trace_processes *processes);
void trace_processes_done(struct trace_processes *processes);

/* Whether children record, too (-P). */
int trace_inheritance(const struct trace_args *args);

/* --- trace_serve.c -------------------------------------------------------------------------------------- */

struct trace_session {
	struct trace_stream stream;
	struct trace_processes processes;
	int listening;		/* requests of other processes */
	int input;		/* subcommands of a person, line by line; -1: none */
	struct program program; /* of -x and -X; pid 0: none */
	sigset_t watched, before;
	int signal_fd;
};

/* Frees the channel for the next session. A session without a channel does not change. */
void trace_session_free_channel(struct trace_session *session);

/* Until the session is to end: returns the exit status, with the log complete. */
int trace_serve(struct trace_session *session);

#endif
