/* SPDX-License-Identifier: MIT */
/*
 * The stream of a recording: with a log that a consumer writes, or a flight recorder's ring of which
 * snapshots are taken.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/message.h"
#include "cli/record/record.h"
#include "record/rendezvous/directory.h"
#include "record/rendezvous/permit.h"

#define STREAM_BYTES   ((size_t)4 << 20) /* what a busy program makes while the consumer looks elsewhere */
#define DATA_BYTES_MAX 65528
#define LOOK_MS	       100
#define N_LIVE_LOOKS   3 /* of which one shows the line */

static bool is_given(uint64_t number)
{
	return number != UINT64_MAX;
}

/* --- attributes ----------------------------------------------------------------------------------------- */

static bool is_size(uint64_t bytes)
{
	return !is_given(bytes) || (bytes > 0 && bytes < UINT32_MAX);
}

/* With a size and no policy the newest events are kept, which is what a bound is mostly wanted for. */
static int log_policy(const struct record_args *args)
{
	static const int policies[N_POLICIES] = {
		[POLICY_APPEND] = POSIX_TRACE_APPEND,
		[POLICY_LOOP] = POSIX_TRACE_LOOP,
		[POLICY_UNTIL_FULL] = POSIX_TRACE_UNTIL_FULL,
	};

	if (args->log_policy == POLICY_NOT_GIVEN)
		return is_given(args->log_bytes) ? POSIX_TRACE_LOOP : POSIX_TRACE_APPEND;
	return policies[args->log_policy];
}

static enum rst_status check_compress(const struct record_args *args, struct rst_error *err)
{
	if (!args->is_compressed)
		return RST_OK;
	if (is_given(args->ring_bytes))
		return common_refuse(err, "compress the snapshots afterwards, for instance with zstd",
			"--compress is for logs, and --ring has none");
	if (log_policy(args) == POSIX_TRACE_LOOP)
		return common_refuse(err, "use --log-policy until-full, or leave out --log-size",
			"a log that drops its oldest events cannot have --compress");
	return RST_OK;
}

enum rst_status recording_check(const struct record_args *args, struct rst_error *err)
{
	bool has_ring = is_given(args->ring_bytes);

	if (has_ring && (is_given(args->stream_bytes) || is_given(args->log_bytes) || args->log_policy))
		return common_refuse(err, "leave out --stream-size, --log-size and --log-policy",
			"--ring has no log and its own size");
	if (!has_ring && args->snapshot_on.n_items)
		return common_refuse(
			err, "a recording without --ring is a log already", "--snapshot-on goes with --ring");
	if (args->log_policy == POLICY_APPEND && is_given(args->log_bytes))
		return common_refuse(err, "use --log-policy loop or until-full",
			"a log that is appended to has no --log-size");
	if (args->log_policy > POLICY_APPEND && !is_given(args->log_bytes))
		return common_refuse(
			err, "for instance --log-size 100Mi", "this --log-policy needs --log-size");
	if (is_given(args->log_bytes) && args->log_bytes == 0)
		return common_refuse(err, "for instance --log-size 100Mi", "--log-size cannot be 0");
	if (!is_size(args->ring_bytes) || !is_size(args->stream_bytes))
		return common_refuse(err, "for instance 16Mi",
			"--ring and --stream-size take 1 byte to a little less than 4 GiB");
	if (is_given(args->data_bytes) && args->data_bytes > DATA_BYTES_MAX)
		return common_refuse(err, "longer data is cut", "--data-size is at most 65528");
	return check_compress(args, err);
}

static size_t or_usual(uint64_t given, size_t usual)
{
	return is_given(given) ? (size_t)given : usual;
}

static int wanted_switches(const struct record_args *args)
{
	return (record_has_sched(args) ? POSIX_TRACE_SWITCHES_NP : 0) |
	       (args->has_faults ? POSIX_TRACE_PAGE_FAULTS_NP : 0);
}

static int make_attributes(const struct recording *recording, trace_attr_t *ret_attr)
{
	const struct record_args *args = recording->args;
	bool has_ring = is_given(args->ring_bytes);
	size_t stream_bytes =
		has_ring ? (size_t)args->ring_bytes : or_usual(args->stream_bytes, STREAM_BYTES);
	int error = posix_trace_attr_init(ret_attr);

	if (error == 0)
		error = posix_trace_attr_setname(ret_attr, recording->name);
	if (error == 0)
		error = posix_trace_attr_setinherited(ret_attr, POSIX_TRACE_INHERITED);
	if (error == 0)
		error = posix_trace_attr_setstreamfullpolicy(
			ret_attr, has_ring ? POSIX_TRACE_LOOP : POSIX_TRACE_FLUSH);
	if (error == 0)
		error = posix_trace_attr_setstreamsize(ret_attr, stream_bytes);
	if (error == 0)
		error = posix_trace_attr_setlogfullpolicy(ret_attr, log_policy(args));
	if (error == 0 && is_given(args->log_bytes))
		error = posix_trace_attr_setlogsize(ret_attr, (size_t)args->log_bytes);
	if (error == 0 && is_given(args->data_bytes))
		error = posix_trace_attr_setmaxdatasize(ret_attr, (size_t)args->data_bytes);
	if (error == 0)
		error = posix_trace_attr_setswitches_np(ret_attr, wanted_switches(args));
	if (error == 0)
		error = posix_trace_attr_setcompress_np(ret_attr, args->is_compressed);
	return error;
}

/* --- begin ---------------------------------------------------------------------------------------------- */

static const struct refusal {
	int error;
	enum rst_status status;
	const char *what, *advice;
} refusals[] = {
	{ ESRCH, RST_E_IO, "there is no such process", "see ps" },
	{ EPERM, RST_E_IO, "this process may not be traced by you",
		"it must be all yours, not set-user-ID and not confined; root may trace others" },
	{ EACCES, RST_E_IO, "the kernel does not tell you what --sched wants of this process",
		"it must be yours and allow it; root and CAP_PERFMON may see others" },
	{ EMFILE, RST_E_IO, "there are too many open files",
		"see `ulimit -Hn`; with --sched each thread needs one on each processor" },
	{ ENOENT, RST_E_UNSUPPORTED,
		"the consumer of logs, posix-trace-consumer, is not installed, or others can change it",
		"install all of Rastrum, or set POSIX_TRACE_CONSUMER to its path" },
	{ ENOTSUP, RST_E_UNSUPPORTED, "--compress needs zstd, which is not installed",
		"install libzstd.so.1 (package libzstd1)" },
	{ EINVAL, RST_E_USAGE, "the stream cannot be made like this",
		"pipes and devices take no --log-size; see `rastrum record --help`" },
	{ EAGAIN, RST_E_IO, "there are too many streams",
		"a user has 64, and so has a process: end another recording" },
	{ ENOMEM, RST_E_IO, "there is not enough memory for the stream",
		"give a smaller --stream-size or --ring; it is in /dev/shm, see `df /dev/shm`" },
};

/*
 * ulimit -f, which counts for shared memory as well. Memory for a stream is less than twice its size and a
 * few MiB.
 */
static bool is_limited(const struct record_args *args)
{
	const uint64_t bytes =
		is_given(args->ring_bytes) ? args->ring_bytes : or_usual(args->stream_bytes, STREAM_BYTES);
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       limit.rlim_cur < 2 * bytes + ((uint64_t)4 << 20);
}

/*
 * A process that may be traced cannot be reached: other users can enter its user's folder, or it is not a
 * folder.
 */
static bool is_barred(const struct recording *recording, uint32_t *ret_uid)
{
	struct permit permit;
	int fd, error;

	if (permit_trace(recording->target, &permit) != 0)
		return false;
	*ret_uid = permit.uid;
	error = directory_open(permit.uid, false, &fd);
	if (error == 0)
		close(fd);
	return error == EPERM;
}

static enum rst_status fail_create(const struct recording *recording, int error, struct rst_error *err)
{
	uint32_t uid;

	if (error == EPERM && is_barred(recording, &uid)) {
		error_set(err, RST_E_IO, RST_NO_OFFSET,
			"cannot trace process %ld: /dev/shm/posix-trace-%" PRIu32
			", where this user's processes meet, is no folder of that user's alone",
			(long)recording->target, uid);
		error_advise(err, "`chmod 700` it, or remove it, and begin its programs again");
		return RST_E_IO;
	}
	if (error == ENOMEM && is_limited(recording->args)) {
		error_set(err, RST_E_IO, RST_NO_OFFSET,
			"cannot trace process %ld: a file, and so the stream's memory, may not be that large "
			"here",
			(long)recording->target);
		error_advise(err, "raise `ulimit -f`, or give a smaller --stream-size or --ring");
		return RST_E_IO;
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (refusals[i].error != error)
			continue;
		error_set(err, refusals[i].status, RST_NO_OFFSET, "cannot trace process %ld: %s",
			(long)recording->target, refusals[i].what);
		error_advise(err, "%s", refusals[i].advice);
		return refusals[i].status;
	}
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot begin to record process %ld: %s",
		(long)recording->target, strerror(error));
	if (recording->log.fd >= 0)
		error_name(err, recording->path);
	return RST_E_IO;
}

/* The output of a program must not be mixed with a line that comes and goes. */
static bool wants_line(const struct record_args *args)
{
	return !args->is_quiet && (is_given(args->pid) || !isatty(STDOUT_FILENO));
}

enum rst_status recording_begin(struct recording *recording, struct rst_error *err)
{
	enum rst_status status;
	trace_attr_t attr;
	int error = make_attributes(recording, &attr);

	if (record_has_sched(recording->args))
		sched_make_room();
	if (error == 0 && is_given(recording->args->ring_bytes))
		error = posix_trace_create(recording->target, &attr, &recording->trid);
	else if (error == 0)
		error = posix_trace_create_withlog(
			recording->target, &attr, recording->log.fd, &recording->trid);
	if (error)
		return fail_create(recording, error, err);
	recording->is_on = true;
	recording->n_own = 2; /* START and STOP */
	status = pick_begin(&recording->pick, recording->trid, err);
	if (status < 0)
		return status;
	error = posix_trace_start(recording->trid);
	if (error)
		return fail_create(recording, error, err);
	recording->tally = (struct tally){ .fd = recording->log.can_be_looked ? recording->log.fd : -1 };
	live_line_begin(&recording->line, wants_line(recording->args));
	return RST_OK;
}

/* --- meanwhile ------------------------------------------------------------------------------------------ */

static void tell_error(struct recording *recording, const char *what, int error)
{
	live_line_clear(&recording->line);
	message_print("%s: %s: %s", recording->path, what, strerror(error));
	recording->exit_status = EXIT_IO;
}

static void show_counts(struct recording *recording)
{
	struct posix_trace_status_info status;
	char text[160], counts[80];

	if (posix_trace_get_status(recording->trid, &status) != 0)
		return;
	if (is_given(recording->args->ring_bytes)) {
		tally_bytes_text(status.posix_used_np, counts, sizeof(counts));
		snprintf(text, sizeof(text), "%s in the ring, %llu events overwritten, %u snapshot%s", counts,
			status.posix_lost_np, recording->n_snapshots, recording->n_snapshots == 1 ? "" : "s");
	} else {
		tally_look(&recording->tally);
		tally_text(&recording->tally, counts, sizeof(counts));
		snprintf(text, sizeof(text), "%s%s%llu lost", recording->tally.fd < 0 ? "" : counts,
			recording->tally.fd < 0 ? "" : ", ", status.posix_lost_np);
	}
	live_line_show(&recording->line, text);
}

int recording_pause(const struct recording *recording)
{
	if (!recording->is_on || !(recording->line.is_wanted || recording->pick.needs_looks))
		return -1;
	return recording->pick.needs_looks ? LOOK_MS : LOOK_MS * N_LIVE_LOOKS;
}

void recording_look(struct recording *recording)
{
	int error = recording->is_on && recording->pick.needs_looks
			    ? pick_look(&recording->pick, recording->trid)
			    : 0;

	if (error) {
		recording->pick.needs_looks = false;
		tell_error(recording, "--filter does not know new types of events any more", error);
	}
	if (recording->pick.late[0]) {
		live_line_clear(&recording->line);
		message_print("--filter: events '%s' are recorded from here on, as they are written so",
			recording->pick.late);
		recording->pick.late[0] = '\0';
	}
	if (recording->is_on && recording->line.is_wanted)
		show_counts(recording);
}

/* --- snapshots ------------------------------------------------------------------------------------------ */

static void tell_snapshot(struct recording *recording, const char *name, int fd)
{
	struct tally tally = { .fd = fd };
	char counts[80];

	recording->n_snapshots++;
	if (recording->args->is_quiet)
		return;
	tally_look(&tally);
	tally_text(&tally, counts, sizeof(counts));
	if (tally.read_error)
		recording->exit_status = EXIT_IO;
	live_line_clear(&recording->line);
	message_print("%s: a snapshot of %s", name, counts);
}

static void snapshot_fail(struct recording *recording, const struct rst_error *err)
{
	live_line_clear(&recording->line);
	recording->exit_status = common_fail(err);
}

/* Gives a complete snapshot its name. */
static void snapshot_keep(struct recording *recording, struct new_file *file)
{
	struct rst_error err;
	char *name;

	if (logfile_number(file, recording->path, &recording->snapshot_number, &name, &err) < 0) {
		snapshot_fail(recording, &err);
		return;
	}
	tell_snapshot(recording, name, file->fd);
	free(name);
}

void recording_snapshot(struct recording *recording)
{
	struct new_file file;
	struct rst_error err;
	int error;

	if (!recording->is_on)
		return;
	if (logfile_begin_snapshot(recording->path, &file, &err) < 0) {
		snapshot_fail(recording, &err);
		return;
	}
	error = posix_trace_snapshot_np(recording->trid, file.fd);
	if (error)
		tell_error(recording, "cannot write a snapshot", error);
	else
		snapshot_keep(recording, &file);
	new_file_drop(&file);
}

/* --- end ------------------------------------------------------------------------------------------------ */

/* The log contains only the recorder's own events. */
static void tell_nothing(const struct recording *recording)
{
	const struct record_args *args = recording->args;

	if (args->filter.n_items)
		fputs("; --filter let no event through", stderr);
	else if (!args->has_system)
		fprintf(stderr, "; no trace point was met%s",
			args->pid == UINT64_MAX ? ", try --system" : "");
}

static void print_summary(struct recording *recording)
{
	const struct tally *tally = &recording->tally;
	char counts[80];

	if (recording->args->is_quiet || tally->fd < 0)
		return;
	tally_text(tally, counts, sizeof(counts));
	fputs("rastrum: ", stderr);
	message_print_name(recording->path);
	fprintf(stderr, ": %s", counts);
	if (tally->n_overwritten)
		fprintf(stderr, ", the oldest %" PRIu64 " of them overwritten", tally->n_overwritten);
	else if (tally->is_full)
		fprintf(stderr, "; the log is full, and later events are not in it");
	if (tally->n_lost)
		fprintf(stderr, "; %" PRIu64 " lost%s", tally->n_lost,
			tally->is_overrun ? ", try a larger --stream-size" : "");
	if (tally->n_unnamed)
		fprintf(stderr, "; %" PRIu32 " type%s of events had no room for name or fields",
			tally->n_unnamed, tally->n_unnamed == 1 ? "" : "s");
	if (tally->n_events <= recording->n_own && !tally->n_lost && !tally->n_overwritten)
		tell_nothing(recording);
	if (tally->write_error)
		fprintf(stderr, "; writing failed for a time: %s", strerror(tally->write_error));
	fputc('\n', stderr);
}

static const char *const log_troubles[] = {
	[END_LOG_MOVED] = "the file that was recorded to has another name now",
	[END_LOG_REMOVED] = "the file was removed while it was recorded to: the log is lost",
	[END_LOG_CHANGED] =
		"another program changed or cut the file while it was recorded to: the log is damaged",
	[END_LOG_UNREAD] = "the file cannot be read to see whether the log is whole: its disk fails",
};

static void tell_log(struct recording *recording)
{
	enum end_log log = end_look(recording);

	if (log == END_LOG_GOOD || log == END_LOG_MOVED)
		print_summary(recording);
	if (log == END_LOG_GOOD || (log == END_LOG_MOVED && recording->args->is_quiet))
		return;
	message_print("%s: %s", recording->path, log_troubles[log]);
	if (log != END_LOG_MOVED)
		recording->exit_status = EXIT_IO;
}

void recording_end(struct recording *recording)
{
	int error;

	if (!recording->is_on)
		return;
	if (recording->wants_last_snapshot)
		recording_snapshot(recording);
	recording->is_on = false;
	error = end_shutdown(recording);
	live_line_clear(&recording->line);
	if (error == EINTR) {
		message_print("%s: the log's consumer does not answer: the log has no end unless it goes on",
			recording->path);
		recording->exit_status = EXIT_IO;
		return;
	}
	if (!error) {
		tell_log(recording);
		return;
	}
	tell_error(recording, "not everything could be written to the log", error);
	tally_look(&recording->tally);
	print_summary(recording);
}

void recording_drop(struct recording *recording)
{
	if (recording->is_on)
		posix_trace_shutdown(recording->trid);
	recording->is_on = false;
}
