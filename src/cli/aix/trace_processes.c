/* SPDX-License-Identifier: MIT */
/*
 * The processes of a session. Each process that is linked with the recorder has a control page in the
 * directory of its user, which comes before main(). One that is linked with libaixtrace asks the session for
 * itself, too, and waits until it is attached; children inherit the session. Others are found by their pages,
 * perhaps after their first hooks.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cli/aix/trace.h"
#include "cli/cli.h"
#include "cli/message.h"
#include "record/rendezvous/directory.h"

int trace_inheritance(const struct trace_args *args)
{
	return args->propagate ? POSIX_TRACE_INHERITED : POSIX_TRACE_CLOSE_FOR_CHILD;
}

static int directory_fd(void)
{
	int held, fd;

	if (directory_open(directory_uid(), true, &held) != 0)
		return -1;
	fd = openat(held, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(held);
	return fd;
}

/* A name in the directory: of a control page its process, else 0. Drafts become pages. */
static pid_t page_process(const char *name)
{
	struct identity_file file;
	enum identity_kind kind;

	if (!identity_file_parse(name, &kind, &file) || kind != IDENTITY_CONTROL ||
		file.maker.pid == (uint32_t)getpid())
		return 0;
	return (pid_t)file.maker.pid;
}

/* A process may have ended meanwhile, or may not be traced: the session goes on without it. */
static int attach(const struct trace_processes *processes, pid_t pid)
{
	return pid ? posix_trace_attach_np(processes->trid, pid, POSIX_TRACE_INHERITED) : 0;
}

void trace_processes_take(struct trace_processes *processes, pid_t pid)
{
	const int error = processes->is_all ? attach(processes, pid) : 0;

	/* it waits for the answer, and cannot have ended unless it was killed */
	if (error == 0 || error == ESRCH)
		return;
	if (processes->n_missed++ == 0)
		message_print(
			"process %ld cannot be recorded: %s; is /dev/shm full, or was it when that process "
			"began?",
			(long)pid, strerror(error));
}

static void attach_all(const struct trace_processes *processes)
{
	const int fd = directory_fd();
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(directory)) != NULL)
		attach(processes, page_process(entry->d_name));
	closedir(directory);
}

static enum rst_status watch(struct trace_processes *processes, struct rst_error *err)
{
	char path[64];
	const int fd = directory_fd();

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	processes->watch_fd = fd < 0 ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (processes->watch_fd < 0 ||
		inotify_add_watch(processes->watch_fd, path, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0)
		error_set(
			err, RST_E_IO, RST_NO_OFFSET, "cannot watch for new processes: %s", strerror(errno));
	else
		err->status = RST_OK;
	if (fd >= 0)
		close(fd);
	return err->status;
}

static enum rst_status attach_given(
	const struct trace_processes *processes, const struct trace_args *args, struct rst_error *err)
{
	for (size_t i = 0; i < args->pids.n_items; i++) {
		char *end;
		const long pid = strtol(args->pids.items[i], &end, 10);
		int error = *end || pid <= 0 || pid > INT_MAX ? ESRCH
							      : posix_trace_attach_np(processes->trid,
									(pid_t)pid, trace_inheritance(args));

		if (error) {
			error_set(err, error == ESRCH ? RST_E_USAGE : RST_E_IO, RST_NO_OFFSET,
				"-A: cannot trace process '%s': %s", args->pids.items[i], strerror(error));
			error_advise(err, "it must be yours; see ps");
			return err->status;
		}
	}
	return RST_OK;
}

enum rst_status trace_processes_begin(struct trace_processes *processes, const struct trace_args *args,
	trace_id_t trid, struct rst_error *err)
{
	processes->trid = trid;
	processes->is_all = !args->pids.n_items && !args->program && !args->lasting_program;
	if (!processes->is_all)
		return attach_given(processes, args, err);
	/* In this order none is missed; one that is found twice is attached once. */
	error_try(watch(processes, err));
	attach_all(processes);
	return RST_OK;
}

void trace_processes_look(struct trace_processes *processes)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t n;

	while ((n = read(processes->watch_fd, bytes, sizeof(bytes))) > 0) {
		const struct inotify_event *event;

		for (char *at = bytes; at < bytes + n; at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)(const void *)at;
			if (event->mask & IN_Q_OVERFLOW)
				attach_all(processes);
			else if (event->len)
				attach(processes, page_process(event->name));
		}
	}
}

void trace_processes_done(struct trace_processes *processes)
{
	if (processes->watch_fd >= 0)
		close(processes->watch_fd);
	processes->watch_fd = -1;
}
