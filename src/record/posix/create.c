/* SPDX-License-Identifier: MIT */
/*
 * The life of active streams: made here, with all the memory that they will ever need, and freed here. All
 * errors that can be found early are reported before the log's file is touched.
 */
#include "record/consumer/consumer.h"
#include "record/consumer/copy.h"
#include "record/posix/stream.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREATE_TURNS  10
#define CREATE_NAP_NS 1000000

/*
 * Which files can hold a log. LOOP and UNTIL_FULL seek back in it, which a file opened with O_APPEND does not
 * allow. Block devices and descriptors that are no file are refused (section 12).
 */
static const struct log_file {
	mode_t type;
	bool is_seekable;
} log_files[] = {
	{ S_IFREG, true },
	{ S_IFIFO, false },
	{ S_IFSOCK, false },
	{ S_IFCHR, false },
};

static int log_check(int fd, int log_policy)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || flags & O_PATH || fstat(fd, &st) < 0)
		return EBADF;
	for (size_t i = 0; i < sizeof log_files / sizeof log_files[0]; i++) {
		bool is_seekable = log_files[i].is_seekable && !(flags & O_APPEND);

		if (log_files[i].type == (st.st_mode & S_IFMT))
			return is_seekable || log_policy == POSIX_TRACE_APPEND ? 0 : EINVAL;
	}
	return EINVAL;
}

/* In the rendezvous directory if programs that are exec'd must find it. */
static int pool_make(struct stream *stream, int descriptors[CONSUMER_N_FDS])
{
	const bool is_foreign = stream->target.control != NULL;
	struct pool_config config = {
		.attr = &stream->attr,
		.target = is_foreign ? (pid_t)stream->target.permit.process.pid : getpid(),
		.clock = clock_choose(),
		.has_rseq = process_thread()->writer.rseq != NULL,
		.map = is_foreign ? NULL : process_memory,
		.uid = is_foreign ? stream->target.permit.uid : directory_uid(),
		.gid = stream->target.permit.gid,
		.is_closed = is_foreign && stream->target.permit.is_closed && stream->target.permit.uid != 0,
		.directory = stream->target.directory,
		.is_foreign = is_foreign,
	};
	int error;

	if (!is_foreign && stream->attr.posix_trace_inheritance == POSIX_TRACE_INHERITED &&
		process_control.names.file.maker.pid && permit_is_open(directory_uid(), (uint32_t)getgid()))
		directory_open(config.uid, false, &config.directory);
	config.is_named = config.directory >= 0;
	error = pool_create(&stream->pool, &config, &descriptors[CONSUMER_FD_POOL]);
	if (!is_foreign && config.directory >= 0)
		close(config.directory);
	if (error)
		return error;
	stream->is_named = config.is_named;
	error = stream_ctl_make(&stream->ctl, &stream->pool, &config,
		stream->kind == STREAM_LOGGED ? &descriptors[CONSUMER_FD_CTL] : NULL);
	if (error)
		return error;
	/* posix_trace_get_attr() shows the values in use */
	attr_take(&stream->ctl->attributes, &stream->attr);
	stream->attr.posix_trace_rare = stream->pool.rare != NULL;
	stream->attr.posix_trace_switches = (int)stream->ctl->switches;
	stream->attr.posix_trace_compress = (int)stream->ctl->is_compressed;
	stream->clock_segment[0] = stream->clock_segment[1] = stream->ctl->born;
	return 0;
}

/* From here on trace points write to the stream. */
static int pool_attach(struct stream *stream)
{
	const bool is_inherited = stream->attr.posix_trace_inheritance == POSIX_TRACE_INHERITED;
	const struct control_stream entry = {
		.pool = stream->pool.file,
		.attached = target_now(),
		.directory = stream->is_named ? directory_uid() : CONTROL_NOWHERE,
		.is_inherited = is_inherited,
	};

	if (stream->target.control)
		return target_attach(&stream->target, &stream->pool, is_inherited);
	stream->slot = process_attach(&stream->pool, &entry);
	return stream->slot >= 0 ? 0 : EAGAIN;
}

/* Switches for snapshots, in the controller. */
static int switches_make(struct stream *stream)
{
	struct switches_config config = {
		.pid = stream->ctl->attributes.pid,
		.is_inherited = stream->attr.posix_trace_inheritance == POSIX_TRACE_INHERITED,
		.is_recorder = true,
		.has_faults = (stream->attr.posix_trace_switches & POSIX_TRACE_PAGE_FAULTS_NP) != 0,
		.clock = (enum log_clock)stream->pool.clock,
	};

	if (!stream->attr.posix_trace_switches || stream->kind == STREAM_LOGGED)
		return 0; /* none, or the consumer's */
	return copy_open_switches(&config, &stream->switches);
}

static int memory_make(struct stream *stream)
{
	void *memory;

	stream->snapshot_memory = calloc(1, consumer_snapshot_bytes(&stream->pool));
	if (!stream->snapshot_memory)
		return ENOMEM;
	if (stream->kind == STREAM_LOGGED)
		return 0; /* the consumer is its reader */
	memory = malloc(pool_reader_bytes(&stream->pool));
	if (!memory)
		return ENOMEM;
	stream->reader = pool_reader_begin(memory, &stream->pool, true, 1);
	return 0;
}

/* The consumer gets a descriptor that the caller cannot close meanwhile, and none of the low ones. */
static int log_make(const struct stream *stream, int descriptors[CONSUMER_N_FDS], int log_fd)
{
	int error = 0;

	descriptors[CONSUMER_FD_LOG] = fcntl(log_fd, F_DUPFD_CLOEXEC, CONSUMER_FD_FIRST);
	if (descriptors[CONSUMER_FD_LOG] < 0)
		return errno;
	if (stream->target.control)
		error = target_names_open(&stream->target, &descriptors[CONSUMER_FD_NAMES]);
	else if ((descriptors[CONSUMER_FD_NAMES] = process_names_fd()) < 0)
		error = EMFILE;
	return error ? error : consumer_launch(stream->ctl, descriptors);
}

static void descriptors_close(const int descriptors[CONSUMER_N_FDS])
{
	for (int i = 0; i < CONSUMER_N_FDS; i++)
		if (descriptors[i] >= 0)
			close(descriptors[i]);
}

static int stream_make(struct stream *stream, int log_fd, trace_id_t *ret_trid)
{
	int descriptors[CONSUMER_N_FDS] = { -1, -1, -1, -1 };
	int error;

	if (!stream_names(stream))
		return ENOMEM;
	error = pool_make(stream, descriptors);
	if (!error)
		error = memory_make(stream);
	if (!error)
		error = switches_make(stream);
	if (!error)
		error = pool_attach(stream);
	if (!error && stream->kind == STREAM_LOGGED)
		error = log_make(stream, descriptors, log_fd);
	descriptors_close(descriptors);
	if (error)
		return error;
	error = stream_enter(stream, ret_trid);
	if (error && stream->kind == STREAM_LOGGED)
		consumer_shutdown(stream->ctl);
	return error;
}

static int stream_try(enum stream_kind kind, pid_t pid, const trace_attr_t *attr, int log_fd, bool waits,
	trace_id_t *ret_trid)
{
	struct permit permit;
	struct stream *stream;
	int error = permit_trace(pid, &permit);

	if (error)
		return error;
	stream = stream_new(kind);
	if (!stream)
		return ENOMEM;
	error = attr_resolve(attr, kind == STREAM_LOGGED, &stream->attr);
	if (!error && kind == STREAM_LOGGED)
		error = log_check(log_fd, stream->attr.posix_trace_log_policy);
	if (!error && permit.process.pid != (uint32_t)getpid())
		error = target_open(&stream->target, &permit, waits);
	if (!error)
		error = stream_make(stream, log_fd, ret_trid);
	if (error)
		stream_free(stream);
	return error;
}

/*
 * A target that calls exec meanwhile gets other names, and a child just forked gets page and names of its
 * own: as long as nothing was written to the log, everything begins again.
 */
static int stream_create(
	enum stream_kind kind, pid_t pid, const trace_attr_t *attr, int log_fd, trace_id_t *ret_trid)
{
	const struct timespec nap = { .tv_nsec = CREATE_NAP_NS };
	int error = ESTALE;

	for (unsigned int turn = 1; turn <= CREATE_TURNS && error == ESTALE; turn++) {
		error = stream_try(kind, pid, attr, log_fd, turn < CREATE_TURNS, ret_trid);
		if (error == ESTALE)
			nanosleep(&nap, NULL);
	}
	return error == ESTALE ? EAGAIN : error;
}

int posix_trace_create(pid_t pid, const trace_attr_t *restrict attr, trace_id_t *restrict ret_trid)
{
	struct stream_calm calm = stream_calm_begin();
	int error = stream_create(STREAM_ACTIVE, pid, attr, -1, ret_trid);

	return stream_calm_end(&calm, error);
}

int posix_trace_create_withlog(
	pid_t pid, const trace_attr_t *restrict attr, int log_fd, trace_id_t *restrict ret_trid)
{
	struct stream_calm calm = stream_calm_begin();
	int error = stream_create(STREAM_LOGGED, pid, attr, log_fd, ret_trid);

	return stream_calm_end(&calm, error);
}

/* The process that a stream traces. */
static uint32_t stream_target(const struct stream *stream)
{
	return stream->target.control ? stream->target.permit.process.pid : 0;
}

void stream_leave(struct stream *stream)
{
	pool_end(&stream->pool, stream_target(stream));
	if (stream->target.control)
		target_detach(&stream->target, &stream->pool);
	if (stream->is_named)
		pool_remove(&stream->pool.file,
			stream->target.control ? stream->target.permit.uid : directory_uid());
}

static void foreign_pool_free(struct stream *stream)
{
	if (!stream->pool.shared)
		return;
	stream_leave(stream);
	pool_unmap(&stream->pool);
}

static void own_pool_free(struct stream *stream)
{
	if (!stream->pool.shared)
		return;
	stream_leave(stream);
	if (stream->slot >= 0)
		process_detach(stream->slot, &stream->pool.file);
	else
		process_release(&stream->pool);
}

/* The pool is unmapped here, not earlier: a waiting thread or a handler may have used it until now. */
void stream_free_active(struct stream *stream)
{
	if (stream->target.control)
		foreign_pool_free(stream);
	else
		own_pool_free(stream);
	target_forget(&stream->target);
	stream_ctl_unmap(stream->ctl);
	free(stream->reader);
	free(stream->snapshot_memory);
	switches_close(stream->switches);
	if (stream_has_poll(stream))
		close(stream->poll_fd);
}

/*
 * The trid is removed first: from then on other threads get EINVAL, from posix_trace_shutdown(), too, and
 * none waits for the consumer.
 */
int posix_trace_shutdown(trace_id_t trid)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_LIVE);
	int error = 0;

	if (!stream)
		return stream_calm_end(&calm, EINVAL);
	stream_stop(stream, __builtin_return_address(0));
	stream_remove(trid, stream);
	if (stream->kind == STREAM_LOGGED) {
		stream_unlock(stream);
		error = consumer_shutdown(stream->ctl);
		stream_lock(stream);
	}
	pool_end(&stream->pool, stream_target(stream));
	stream_put(stream);
	return stream_calm_end(&calm, error == ESRCH ? EIO : error);
}
