/* SPDX-License-Identifier: MIT */
#include "cli/convert/destination.h"

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

enum rst_status destination_open(struct destination *destination, const char *path, bool is_folder,
	int n_operands, char **operands, struct rst_error *err)
{
	struct stat st;

	*destination = (struct destination){ .is_folder = is_folder, .fd = -1 };
	if (!path) {
		destination->fd = STDOUT_FILENO;
		return RST_OK;
	}
	if (is_folder) {
		error_try(folder_check(path, err));
	} else {
		error_try(common_check_output(path, n_operands, operands, err));
		if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
			return common_output(path, false, n_operands, operands, &destination->fd, err);
	}
	destination->path = path;
	return part_make(destination, err);
}

enum rst_status destination_commit(struct destination *destination, struct rst_error *err)
{
	const int fd = destination->fd;

	destination->fd = -1;
	if (fd >= 0 && fd != STDOUT_FILENO && close(fd) != 0)
		return destination_fault(destination->path ? destination->path : "output", errno, err);
	if (!destination->part)
		return RST_OK;
	if (rename(destination->part, destination->path) != 0)
		return destination_fault(destination->path, errno, err);
	free(destination->part);
	destination->part = NULL;
	return RST_OK;
}

/* Formats make no folders in folders. */
static void folder_remove(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)) != NULL)
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path);
}

void destination_done(struct destination *destination)
{
	if (destination->fd >= 0 && destination->fd != STDOUT_FILENO)
		close(destination->fd);
	destination->fd = -1;
	if (destination->part && destination->is_folder)
		folder_remove(destination->part);
	else if (destination->part)
		unlink(destination->part);
	free(destination->part);
	destination->part = NULL;
}
