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

static enum rst_status part_make(struct destination *destination, struct rst_error *err)
{
	bool is_made;

	if (asprintf(&destination->part, "%s.part.XXXXXX", destination->path) < 0) {
		destination->part = NULL;
		return error_nomem(err);
	}
	if (destination->is_folder) {
		is_made =
			mkdtemp(destination->part) != NULL && chmod(destination->part, mode_usual(0777)) == 0;
	} else {
		destination->fd = mkostemp(destination->part, O_CLOEXEC);
		is_made = destination->fd >= 0 && fchmod(destination->fd, mode_usual(0666)) == 0;
	}
	return is_made ? RST_OK : destination_fault(destination->path, errno, err);
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

/* --- removal ------------------------------------------------------------------------------------------------------ */

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

/* Whoever writes may still add a file to the folder. */
static void part_remove(const struct destination *destination)
{
	enum { TRIES = 100 };

	if (!destination->is_folder) {
		unlink(destination->part);
		return;
	}
	for (unsigned i = 0; i < TRIES; i++) {
		folder_empty(destination->part);
		if (rmdir(destination->part) == 0 || errno == ENOENT)
			return;
	}
}

/* The signal ends the program as if there were no watch. */
static void *watch_run(void *context)
{
	struct destination *destination = context;
	sigset_t one;
	int number;

	if (sigwait(&destination->signals, &number) != 0)
		return NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_mutex_lock(&destination->lock);
	if (destination->part)
		part_remove(destination);
	sigemptyset(&one);
	sigaddset(&one, number);
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
	return NULL;
}

/* Signals that are ignored stay so. */
static void watch_begin(struct destination *destination)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action;

	sigemptyset(&destination->signals);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&destination->signals, numbers[i]);
	pthread_mutex_init(&destination->lock, NULL);
	pthread_sigmask(SIG_BLOCK, &destination->signals, &destination->before);
	destination->is_watched = pthread_create(&destination->watch, NULL, watch_run, destination) == 0;
	if (!destination->is_watched)
		pthread_sigmask(SIG_SETMASK, &destination->before, NULL);
}

static void watch_end(struct destination *destination)
{
	if (!destination->is_watched)
		return;
	pthread_cancel(destination->watch);
	pthread_join(destination->watch, NULL);
	pthread_sigmask(SIG_SETMASK, &destination->before, NULL);
	pthread_mutex_destroy(&destination->lock);
	destination->is_watched = false;
}

static void part_lock(struct destination *destination)
{
	if (destination->is_watched)
		pthread_mutex_lock(&destination->lock);
}

static void part_unlock(struct destination *destination)
{
	if (destination->is_watched)
		pthread_mutex_unlock(&destination->lock);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

enum rst_status destination_open(struct destination *destination, const char *path,
	enum destination_kind kind, int n_operands, char **operands, struct rst_error *err)
{
	struct stat st;

	*destination = (struct destination){ .is_folder = kind == DESTINATION_FOLDER, .fd = -1 };
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
	const enum rst_status status = part_make(destination, err);

	part_unlock(destination);
	return status;
}

enum rst_status destination_commit(struct destination *destination, struct rst_error *err)
{
	const int fd = destination->fd;
	int error;

	destination->fd = -1;
	if (fd >= 0 && fd != STDOUT_FILENO && close(fd) != 0)
		return destination_fault(destination->path ? destination->path : "output", errno, err);
	if (!destination->part)
		return RST_OK;
	part_lock(destination);
	error = rename(destination->part, destination->path) == 0 ? 0 : errno;
	if (!error) {
		free(destination->part);
		destination->part = NULL;
	}
	part_unlock(destination);
	return error ? destination_fault(destination->path, error, err) : RST_OK;
}

void destination_done(struct destination *destination)
{
	if (destination->fd >= 0 && destination->fd != STDOUT_FILENO)
		close(destination->fd);
	destination->fd = -1;
	part_lock(destination);
	if (destination->part)
		part_remove(destination);
	free(destination->part);
	destination->part = NULL;
	part_unlock(destination);
	watch_end(destination);
}
