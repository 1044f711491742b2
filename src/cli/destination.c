/* SPDX-License-Identifier: MIT */
#include "cli/destination.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static enum rst_status destination_fault(const char *path, int error, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot write: %s", strerror(error));
	error_name(err, path);
	return RST_E_IO;
}

/* As a file that is made by open(). */
static mode_t mode_usual(mode_t most)
{
	const mode_t mask = umask(0);

	umask(mask);
	return most & ~mask;
}

static enum rst_status folder_make(struct destination *destination, struct rst_error *err)
{
	if (asprintf(&destination->folder, "%s.part.XXXXXX", destination->path) < 0) {
		destination->folder = NULL;
		return error_nomem(err);
	}
	if (mkdtemp(destination->folder) && chmod(destination->folder, mode_usual(0777)) == 0)
		return RST_OK;
	return destination_fault(destination->path, errno, err);
}

static enum rst_status part_make(
	struct destination *destination, enum destination_kind kind, struct rst_error *err)
{
	int error;

	if (kind == DESTINATION_FOLDER)
		return folder_make(destination, err);
	error = new_file_open(&destination->file, destination->path, 0666, kind == DESTINATION_NAMED);
	destination->fd = destination->file.fd;
	return error == ENOMEM ? error_nomem(err)
	       : error	       ? destination_fault(destination->path, error, err)
			       : RST_OK;
}

const char *destination_part(const struct destination *destination)
{
	return destination->folder ? destination->folder : destination->file.part;
}

static bool is_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool has_some = !folder;

	while (folder && !has_some && (entry = readdir(folder)) != NULL)
		has_some = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (folder)
		closedir(folder);
	return !has_some;
}

static enum rst_status folder_check(const char *path, struct rst_error *err)
{
	struct stat st;
	enum rst_status status = RST_OK;

	if (stat(path, &st) == 0 && !(S_ISDIR(st.st_mode) && is_empty(path))) {
		status = common_refuse(err, "name another one, or remove it first",
			"this is there already, and the format is a folder");
		error_name(err, path);
	}
	return status;
}

/* --- removal -------------------------------------------------------------------------------------------- */

/* Formats make no folders in folders. */
static void folder_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)) != NULL)
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

/* A thread that still writes may add a file to the folder. */
static void folder_remove(const char *path)
{
	enum { TRIES = 100 };

	for (unsigned i = 0; i < TRIES; i++) {
		folder_empty(path);
		if (rmdir(path) == 0 || errno == ENOENT)
			return;
	}
}

/* Threads that still write have its descriptor. */
static void part_remove(const struct destination *destination)
{
	if (destination->folder)
		folder_remove(destination->folder);
	if (destination->file.part)
		unlink(destination->file.part);
}

/* A thread that a SIGBUS has stopped sends this signal to the watch. */
static int call_signal(void)
{
	return SIGRTMIN;
}

/*
 * A page of a mapped input cannot be read (command.c). This thread stops here, and the watch ends the
 * program.
 */
static void watch_call(int number)
{
	sigqueue(getpid(), call_signal(), (union sigval){ .sival_int = number });
	for (;;)
		pause();
}

/* Returns the next signal that ends the program, or 0 if waiting fails. */
static int watch_wait(const struct destination *destination)
{
	siginfo_t info;
	int number;

	do {
		number = sigwaitinfo(&destination->signals, &info);
		if (number < 0 && errno != EINTR)
			return 0;
	} while (number < 0 ||
		 (number == call_signal() && (info.si_code != SI_QUEUE || info.si_pid != getpid())));
	return number == call_signal() ? info.si_value.sival_int : number;
}

/* The signal ends the program as if there were no watch. */
static void *watch_run(void *context)
{
	struct destination *destination = context;
	const int number = watch_wait(destination);
	sigset_t one;

	if (number == 0)
		return NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_mutex_lock(&destination->lock);
	part_remove(destination);
	sigemptyset(&one);
	sigaddset(&one, number);
	if (number == SIGBUS)
		sigaction(number, &destination->on_bus, NULL);
	else
		signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
	return NULL;
}

static void bus_mask(int how)
{
	sigset_t bus;

	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	pthread_sigmask(how, &bus, NULL);
}

/* Signals that are ignored stay so. The watch itself takes no SIGBUS: it could not call itself. */
static void watch_begin(struct destination *destination)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action;

	sigemptyset(&destination->signals);
	sigaddset(&destination->signals, call_signal());
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&destination->signals, numbers[i]);
	pthread_mutex_init(&destination->lock, NULL);
	pthread_sigmask(SIG_BLOCK, &destination->signals, &destination->before);
	bus_mask(SIG_BLOCK);
	destination->is_watched = pthread_create(&destination->watch, NULL, watch_run, destination) == 0;
	action = (struct sigaction){ .sa_handler = watch_call };
	if (destination->is_watched)
		sigaction(SIGBUS, &action, &destination->on_bus);
	bus_mask(SIG_UNBLOCK);
	if (!destination->is_watched)
		pthread_sigmask(SIG_SETMASK, &destination->before, NULL);
}

static void watch_end(struct destination *destination)
{
	if (!destination->is_watched)
		return;
	sigaction(SIGBUS, &destination->on_bus, NULL);
	pthread_cancel(destination->watch);
	pthread_join(destination->watch, NULL);
	pthread_sigmask(SIG_SETMASK, &destination->before, NULL);
	pthread_mutex_destroy(&destination->lock);
	destination->is_watched = false;
}

/*
 * A thread that watch_call() stops must not have the lock, for which the watch would wait for ever. With the
 * lock, a thread reads no mapped page; but another process may send SIGBUS.
 */
static void part_lock(struct destination *destination)
{
	if (!destination->is_watched)
		return;
	bus_mask(SIG_BLOCK);
	pthread_mutex_lock(&destination->lock);
}

static void part_unlock(struct destination *destination)
{
	if (!destination->is_watched)
		return;
	pthread_mutex_unlock(&destination->lock);
	bus_mask(SIG_UNBLOCK);
}

/* --- opening and closing -------------------------------------------------------------------------------- */

enum rst_status destination_open(struct destination *destination, const char *path,
	enum destination_kind kind, int n_operands, char **operands, struct rst_error *err)
{
	struct stat st;

	*destination = (struct destination){ .fd = -1, .file.fd = -1 };
	if (!path) {
		destination->fd = STDOUT_FILENO;
		return RST_OK;
	}
	if (kind == DESTINATION_FOLDER) {
		error_try(folder_check(path, err));
	} else {
		error_try(kind == DESTINATION_STORE ? common_spare_inputs(path, n_operands, operands, err)
						    : common_check_output(path, n_operands, operands, err));
		if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
			return common_output(path, false, n_operands, operands, &destination->fd, err);
	}
	destination->path = path;
	watch_begin(destination);
	part_lock(destination);
	const enum rst_status status = part_make(destination, kind, err);

	part_unlock(destination);
	return status;
}

static int folder_keep(struct destination *destination)
{
	if (rename(destination->folder, destination->path) != 0)
		return errno;
	free(destination->folder);
	destination->folder = NULL;
	return 0;
}

/* Standard output is not ours to close. */
static int special_close(struct destination *destination)
{
	const int fd = destination->fd;

	destination->fd = -1;
	return fd >= 0 && fd != STDOUT_FILENO && close(fd) != 0 ? errno : 0;
}

enum rst_status destination_commit(struct destination *destination, struct rst_error *err)
{
	int error;

	part_lock(destination);
	error = destination->folder	    ? folder_keep(destination)
		: destination->file.fd >= 0 ? new_file_keep(&destination->file, destination->path, true)
					    : special_close(destination);
	part_unlock(destination);
	return error ? destination_fault(destination->path ? destination->path : "output", error, err)
		     : RST_OK;
}

void destination_done(struct destination *destination)
{
	if (destination->file.fd < 0)
		special_close(destination);
	destination->fd = -1;
	part_lock(destination);
	if (destination->folder)
		folder_remove(destination->folder);
	free(destination->folder);
	destination->folder = NULL;
	new_file_drop(&destination->file);
	part_unlock(destination);
	watch_end(destination);
}
