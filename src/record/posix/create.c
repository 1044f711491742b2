/* SPDX-License-Identifier: MIT */
/*
 * The life of active streams: made here, with all the memory they will ever need, and freed here. What can be refused
 * is refused before the log's file is touched.
 */
#include "record/attach/keeper.h"
#include "record/posix/stream.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first part of /proc/PID/status, as text. False: there is no such process (or thread). */
static bool process_status(pid_t pid, char *ret_text, size_t size)
{
	char path[40];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, ret_text, size - 1);
	close(fd);
	ret_text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/*
 * Whether the caller may trace a process. A thread's number and a process that is only waited for are none (choice 28).
 * Streams of other processes need their consent, which nobody can give yet.
 */
static int target_check(pid_t pid)
{
	char text[1024];
	const char *state, *group;

	if (pid < 0)
		return EINVAL;
	if (pid == 0 || pid == getpid())
		return 0;
	if (!process_status(pid, text, sizeof text))
		return ESRCH;
	state = strstr(text, "\nState:\t");
	group = strstr(text, "\nTgid:\t");
	if (!state || !group || strchr("ZX", state[8]) || strtol(group + 7, NULL, 10) != pid)
		return ESRCH;
	return EPERM;
}

/*
 * What can hold a log: LOOP goes back in it and UNTIL_FULL writes its end again, which needs a file with places; one
 * opened with O_APPEND has none. Block devices and what is no file at all are refused (section 12).
 */
static const struct log_file {
	mode_t type;
	bool has_places;
} log_files[] = {
	{ S_IFREG, true },
	{ S_IFIFO, false },
	{ S_IFSOCK, false },
	{ S_IFCHR, false },
};

static int log_check(int fd, int log_policy)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat facts;

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || flags & O_PATH || fstat(fd, &facts) < 0)
		return EBADF;
	for (size_t i = 0; i < sizeof log_files / sizeof log_files[0]; i++) {
		bool has_places = log_files[i].has_places && !(flags & O_APPEND);

		if (log_files[i].type == (facts.st_mode & S_IFMT))
			return has_places || log_policy == POSIX_TRACE_APPEND ? 0 : EINVAL;
	}
	return EINVAL;
}

/* posix_trace_get_attr() tells what the stream really has. */
static void attr_note_used(trace_attr_t *attr, const struct log_attributes *used)
{
	attr->posix_trace_stream_size = used->stream_size;
	attr->posix_trace_log_size = used->log_size;
	attr->posix_trace_data_size = used->data_size;
	attr->posix_trace_created.tv_sec = (time_t)used->created_seconds;
	attr->posix_trace_created.tv_nsec = used->created_nanoseconds;
	attr->posix_trace_resolution.tv_sec = used->resolution_nanoseconds / 1000000000;
	attr->posix_trace_resolution.tv_nsec = used->resolution_nanoseconds % 1000000000;
}

/* The stream's shared memory, which trace points write into from the moment that the state says so. */
static int ring_make(struct stream *stream, int *ret_fd)
{
	struct ring_config config = {
		.attr = &stream->attr,
		.has_log = stream->kind == STREAM_LOGGED,
		.target = getpid(),
		.clock = clock_choose(),
	};
	int error = ring_create(&stream->ring, &config, ret_fd);

	if (error)
		return error;
	attr_note_used(&stream->attr, &stream->ring.shared->attributes);
	stream->piece[0] = stream->piece[1] = stream->ring.shared->born;
	stream->place = process_attach(&stream->ring, stream->ring.shared->is_inherited);
	if (stream->place >= 0)
		return 0;
	process_release(&stream->ring);
	return EAGAIN;
}

/* The controller's own memory. */
static int memory_make(struct stream *stream)
{
	void *memory;

	stream->snapshot_memory = calloc(1, keeper_snapshot_bytes(&stream->ring));
	if (!stream->snapshot_memory)
		return ENOMEM;
	if (stream->kind == STREAM_LOGGED)
		return 0; /* the keeper is its reader */
	memory = malloc(ring_reader_bytes(&stream->ring));
	if (!memory)
		return ENOMEM;
	stream->reader = ring_reader_begin(memory, &stream->ring, true);
	return 0;
}

/* The keeper gets a descriptor that the caller cannot close meanwhile, and none of the low ones. */
static int log_make(const struct stream *stream, int ring_fd, int log_fd)
{
	int names_fd = process_names_fd();
	int fd = fcntl(log_fd, F_DUPFD_CLOEXEC, 3);
	int error;

	if (fd < 0)
		return errno;
	error = names_fd < 0 ? EMFILE : keeper_launch(&stream->ring, ring_fd, names_fd, fd);
	close(fd);
	return error;
}

static int stream_make(struct stream *stream, int log_fd, trace_id_t *ret_trid)
{
	int ring_fd = -1;
	int error;

	if (!process_names())
		return ENOMEM;
	error = ring_make(stream, &ring_fd);
	if (!error)
		error = memory_make(stream);
	if (!error && stream->kind == STREAM_LOGGED)
		error = log_make(stream, ring_fd, log_fd);
	if (ring_fd >= 0)
		close(ring_fd);
	if (error)
		return error;
	error = stream_enter(stream, ret_trid);
	if (error && stream->kind == STREAM_LOGGED)
		keeper_shutdown(&stream->ring);
	return error;
}

static int stream_create(
	enum stream_kind kind, pid_t pid, const trace_attr_t *attr, int log_fd, trace_id_t *ret_trid)
{
	struct stream *stream;
	int error = target_check(pid);

	if (error)
		return error;
	stream = stream_new(kind);
	if (!stream)
		return ENOMEM;
	error = attr_resolve(attr, kind == STREAM_LOGGED, &stream->attr);
	if (!error && kind == STREAM_LOGGED)
		error = log_check(log_fd, stream->attr.posix_trace_log_policy);
	else if (!error && stream->attr.posix_trace_stream_policy == POSIX_TRACE_FLUSH)
		error = EINVAL;
	if (!error)
		error = stream_make(stream, log_fd, ret_trid);
	if (error)
		stream_free(stream);
	return error;
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

/* The ring's memory goes here, not earlier: a thread that waits or a handler may have looked at it until now. */
void stream_free_active(struct stream *stream)
{
	if (stream->place >= 0) {
		ring_end(&stream->ring);
		process_detach(stream->place);
	}
	free(stream->reader);
	free(stream->snapshot_memory);
	if (stream->poll_fd >= 0)
		close(stream->poll_fd);
}

/*
 * The trid is taken back first: from then on other threads get EINVAL, another posix_trace_shutdown() included,
 * and the wait for the keeper holds nobody up.
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
		error = keeper_shutdown(&stream->ring);
		stream_lock(stream);
	}
	ring_end(&stream->ring);
	stream_put(stream);
	return stream_calm_end(&calm, error == ESRCH ? EIO : error);
}
