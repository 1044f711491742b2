/* SPDX-License-Identifier: MIT */
/*
 * `rastrum record`: checks the command line, opens files, makes the stream, then starts the program. record.h
 * names the parts.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/record/record.h"
#include "record/posix/recorder.h"

static const char *const policy_names[N_POLICIES] = { NULL, "append", "loop", "until-full" };

static const struct opt what_opts[] = {
	{ OPT_NUMBER, 'p', "pid", "N", offsetof(struct record_args, pid),
		.help = "record this process, until it ends or Ctrl-C", .complete = complete_processes },
	{ OPT_FLAG, 0, "system", NULL, offsetof(struct record_args, has_system),
		.help = "record threads, locks, waits of a program that was not changed" },
	{ OPT_FLAG, 0, "sched", NULL, offsetof(struct record_args, has_sched),
		.help = "record context switches (from the kernel)" },
	{ OPT_FLAG, 0, "faults", NULL, offsetof(struct record_args, has_faults),
		.help = "record page faults, too; implies --sched" },
	{ OPT_LIST, 0, "filter", "LIST", offsetof(struct record_args, filter),
		.help = "only events with these names or patterns; !NAME leaves out" },
	{ OPT_NUMBER, 0, "data-size", "N", offsetof(struct record_args, data_bytes),
		.help = "bytes of an event's data that are kept (default 512)" },
	{ OPT_TEXT, 0, "duration", "TIME", offsetof(struct record_args, duration),
		.help = "how long to record: seconds, or 500ms, 10m, 2h" },
	{ .kind = OPT_END },
};

static const struct opt log_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct record_args, output),
		.help = "the log (default: PROGRAM.rst)", .complete = complete_files },
	{ OPT_FLAG, 0, "force", NULL, offsetof(struct record_args, is_forced),
		.help = "overwrite FILE even if it is no log" },
	{ OPT_NUMBER, 0, "log-size", "SIZE", offsetof(struct record_args, log_bytes),
		.help = "bytes of events in the log, as written (default: no bound)" },
	{ OPT_CHOICE, 0, "log-policy", "append|loop|until-full", offsetof(struct record_args, log_policy),
		.help = "a full log grows on (default without --log-size), drops its oldest events (default "
			"with it), or takes no more",
		.choices = policy_names, .n_choices = N_POLICIES },
	{ OPT_FLAG, 0, "compress", NULL, offsetof(struct record_args, is_compressed),
		.help = "a smaller log, by zstd; not one that drops its oldest events" },
	{ OPT_NUMBER, 0, "stream-size", "SIZE", offsetof(struct record_args, stream_bytes),
		.help = "memory between program and log (default 4Mi)" },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct record_args, is_quiet),
		.help = "no counts while it records, nor at the end" },
	{ .kind = OPT_END },
};

static const struct opt ring_opts[] = {
	{ OPT_NUMBER, 0, "ring", "SIZE", offsetof(struct record_args, ring_bytes),
		.help = "no log: keep the newest events in memory, for snapshots" },
	{ OPT_LIST, 0, "snapshot-on", "SIGNAL|EXIT", offsetof(struct record_args, snapshot_on),
		.help = "when the ring is written to FILE-1.rst and so on (default: EXIT)",
		.complete = complete_signals },
	{ .kind = OPT_END },
};

static const struct opt_group record_groups[] = {
	{ .title = "What is recorded", .opts = what_opts },
	{ .title = "The log", .opts = log_opts },
	{ .title = "The newest events only", .opts = ring_opts },
	{ .opts = NULL },
};

static const struct example record_examples[] = {
	{ "rastrum record -- ./app --fast", "the trace points of a program, to app.rst" },
	{ "rastrum record --system --sched -o sort.rst -- sort --parallel=2 words.txt",
		"threads, locks and context switches of a program that knows nothing of tracing" },
	{ "rastrum record --pid 1234 --duration 10s", "ten seconds of a program that runs" },
	{ "rastrum record --ring 16Mi --snapshot-on USR1,EXIT -- ./app",
		"the last seconds before the end, or when asked by a signal" },
	{ "rastrum record --pid 1234 -o - | rastrum report -", "as it happens" },
	{ NULL, NULL },
};

static void record_defaults(void *arguments)
{
	*(struct record_args *)arguments = (struct record_args){
		.pid = UINT64_MAX,
		.ring_bytes = UINT64_MAX,
		.stream_bytes = UINT64_MAX,
		.log_bytes = UINT64_MAX,
		.data_bytes = UINT64_MAX,
	};
}

/* Everything of one run. */
struct session {
	const struct record_args *args;
	char **arguments; /* of the program, ended by NULL; NULL with --pid */
	char program_path[PATH_MAX];
	char usual_output[NAME_MAX + 8];
	char *preload;
	struct program program;
	struct recording recording;
	struct waiting waiting;
};

static bool has_pid(const struct record_args *args)
{
	return args->pid != UINT64_MAX;
}

/* --- the command line ----------------------------------------------------------------------------------- */

static enum rst_status check_target(const struct record_args *args, int n_operands, struct rst_error *err)
{
	if (!has_pid(args) && n_operands == 0)
		return common_refuse(
			err, "rastrum record -- PROGRAM ARGUMENTS", "record needs a program, or --pid");
	if (has_pid(args) && n_operands)
		return common_refuse(err, "leave out one of them",
			"--pid records a process that runs, and leaves no room for a program");
	if (has_pid(args) && (args->pid == 0 || args->pid > INT_MAX))
		return common_refuse(err, "see ps", "--pid needs the number of a process");
	if (has_pid(args) && args->has_system)
		return common_refuse(
			err, "record a program, not --pid", "--system has to be there when a program begins");
	return RST_OK;
}

static enum rst_status check_output(const struct record_args *args, struct rst_error *err)
{
	if (!args->output || strcmp(args->output, "-") != 0)
		return RST_OK;
	if (!has_pid(args))
		return common_refuse(
			err, "give -o a file or a named pipe", "the program writes to standard output, too");
	if (args->ring_bytes != UINT64_MAX)
		return common_refuse(err, "give -o a name", "snapshots need files");
	if (isatty(STDOUT_FILENO))
		return common_refuse(err, "give -o a file, or pipe it into `rastrum report -`",
			"a log is nothing for a terminal");
	return RST_OK;
}

static enum rst_status take_args(struct session *session, int n_operands, struct rst_error *err)
{
	const struct record_args *args = session->args;

	error_try(check_target(args, n_operands, err));
	error_try(check_output(args, err));
	error_try(recording_check(args, err));
	error_try(pick_check(&session->recording.pick, &args->filter, err));
	session->recording.pick.has_sched = record_has_sched(args);
	error_try(waiting_parse_snapshot(&args->snapshot_on, &session->waiting.snapshot_signal,
		&session->recording.wants_last_snapshot, err));
	session->recording.wants_last_snapshot &= args->ring_bytes != UINT64_MAX;
	if (args->duration)
		error_try(common_parse_duration(args->duration, &session->waiting.duration_ns, err));
	return RST_OK;
}

/* PROGRAM.rst in the current folder, or pid-N.rst. */
static void choose_names(struct session *session)
{
	struct recording *recording = &session->recording;
	const char *name = session->arguments ? session->arguments[0] : "";

	recording->name = text_file_name(name);
	if (session->arguments)
		snprintf(session->usual_output, sizeof(session->usual_output), "%s.rst", recording->name);
	else
		snprintf(session->usual_output, sizeof(session->usual_output), "pid-%ld.rst",
			(long)recording->target);
	recording->path = session->args->output ? session->args->output : session->usual_output;
}

/* --- the run -------------------------------------------------------------------------------------------- */

/* Prepares the files and processes that the stream needs. Checks that change nothing come first. */
static enum rst_status session_prepare(struct session *session, struct rst_error *err)
{
	struct recording *recording = &session->recording;

	if (record_has_sched(session->args))
		error_try(sched_check(err));
	if (session->args->has_system)
		error_try(preload_make(session->program_path, &session->preload, err));
	if (session->args->ring_bytes == UINT64_MAX)
		error_try(logfile_open(&recording->log, recording->path, session->args->is_forced, err));
	return waiting_begin(&session->waiting, err);
}

static enum rst_status begin_recording(struct session *session, struct rst_error *err)
{
	const struct program_start start = {
		.path = session->program_path,
		.arguments = session->arguments,
		.signals = &session->waiting.before,
		.preload = session->preload,
	};

	if (session->arguments) {
		error_try(program_hold(&session->program, &start, err));
		session->waiting.program = &session->program;
		session->recording.target = session->program.pid;
	} else {
		error_try(waiting_for_process(&session->waiting, session->recording.target, err));
	}
	return recording_begin(&session->recording, err);
}

/*
 * The stream exists; the rest is the program's. The earlier recording keeps its name until the program really
 * runs.
 */
static int record_session_run(struct session *session)
{
	struct recording *recording = &session->recording;
	char variable[POSIX_TRACE_ENV_MAX_NP] = "";
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	/* Without it, descendants are found by their ancestors only, while there are any. */
	if (posix_trace_getenv_np(recording->trid, variable, sizeof(variable)) != 0)
		variable[0] = '\0';
	if (session->arguments)
		exit_status = program_go(&session->program, session->program_path, variable);
	if (exit_status != EXIT_GOOD)
		return exit_status;
	if (logfile_keep(&recording->log, &err) < 0)
		recording->exit_status = common_fail(&err);
	waiting_run(&session->waiting, recording);
	if (session->arguments)
		exit_status = program_exit_status(&session->program);
	return exit_status != EXIT_GOOD ? exit_status : recording->exit_status;
}

static int record_session(struct session *session)
{
	struct rst_error err;
	enum rst_status status = session_prepare(session, &err);
	int exit_status;

	if (status == RST_OK)
		status = begin_recording(session, &err);
	exit_status = status < 0 ? common_fail(&err) : record_session_run(session);
	recording_drop(&session->recording);
	if (status < 0 && session->program.pid > 0)
		program_drop(&session->program);
	logfile_close(&session->recording.log);
	waiting_done(&session->waiting);
	free(session->preload);
	return exit_status;
}

static int take_and_record(const struct record_args *args, int n_operands, char **operands)
{
	struct session session = { .args = args, .waiting.signal_fd = -1, .waiting.process_fd = -1 };
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	session.recording.args = args;
	session.recording.log.fd = session.recording.signal_fd = -1;
	session.recording.snapshot_number = 1;
	if (take_args(&session, n_operands, &err) < 0)
		return common_fail(&err);
	if (n_operands) {
		session.arguments = calloc((size_t)n_operands + 1, sizeof(*operands));
		if (!session.arguments) {
			error_nomem(&err);
			return common_fail(&err);
		}
		memcpy(session.arguments, operands, (size_t)n_operands * sizeof(*operands));
		exit_status = program_find(operands[0], session.program_path, sizeof(session.program_path));
	} else {
		session.recording.target = (pid_t)session.args->pid;
	}
	choose_names(&session);
	if (exit_status == EXIT_GOOD)
		exit_status = record_session(&session);
	free(session.arguments);
	return exit_status;
}

/*
 * Other commands do without the recorder, so the program is not linked with what begins and ends it by
 * itself.
 */
static int record_run(void *args, int n_operands, char **operands)
{
	int exit_status;

	recorder_begin_private();
	exit_status = take_and_record(args, n_operands, operands);
	recorder_end();
	return exit_status;
}

const struct command command_record = {
	.name = "record",
	.usages = { "[options] [--] PROGRAM [ARGUMENT...]", "[options] --pid N" },
	.summary = "run a program under POSIX tracing, or attach to one that runs",
	.groups = record_groups,
	.examples = record_examples,
	.args_bytes = sizeof(struct record_args),
	.has_program = true,
	.defaults = record_defaults,
	.run = record_run,
};
