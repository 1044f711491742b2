/* SPDX-License-Identifier: MIT */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FD_PATH_BYTES = 32, NAMES_TRIED = 100 };

static void fd_path(int fd, char *ret_path)
{
	snprintf(ret_path, FD_PATH_BYTES, "/proc/self/fd/%d", fd);
}

/*
 * Returns a descriptor, or -1 if the file system does not support O_TMPFILE, or /proc, which is needed for
 * the name, is missing.
 */
static int open_nameless(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char of_fd[FD_PATH_BYTES];
	int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;

	free(folder);
	if (fd < 0)
		return -1;
	fd_path(fd, of_fd);
	if (access(of_fd, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

static mode_t mode_usual(mode_t most)
{
	const mode_t mask = umask(0);

	umask(mask);
	return most & ~mask;
}

static int open_named(struct new_file *file, const char *path, mode_t mode)
{
	int error;

	if (asprintf(&file->part, "%s.part.XXXXXX", path) < 0) {
		file->part = NULL;
		return ENOMEM;
	}
	file->fd = mkostemp(file->part, O_CLOEXEC);
	if (file->fd >= 0 && fchmod(file->fd, mode_usual(mode)) == 0)
		return 0;
	error = errno;
	if (file->fd < 0) {
		free(file->part);
		file->part = NULL;
	}
	new_file_drop(file);
	return error;
}

int new_file_open(struct new_file *file, const char *path, mode_t mode, bool is_named)
{
	*file = (struct new_file){ .fd = is_named ? -1 : open_nameless(path, mode) };
	return file->fd >= 0 ? 0 : open_named(file, path, mode);
}

/* Network file systems report failed writes when a descriptor is closed. */
static int check_written(int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy >= 0 && close(copy) != 0 && errno != EINTR ? errno : 0;
}

static int link_as(int fd, const char *path)
{
	char of_fd[FD_PATH_BYTES];

	fd_path(fd, of_fd);
	return linkat(AT_FDCWD, of_fd, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/*
 * Gives the file a temporary name in the same folder, because only a file with a name can replace another
 * one.
 */
static int link_part(struct new_file *file, const char *path)
{
	int error = EEXIST;

	for (unsigned i = 0; i < NAMES_TRIED && error == EEXIST; i++) {
		free(file->part);
		if (asprintf(&file->part, "%s.part.%ld-%u", path, (long)getpid(), i) < 0) {
			file->part = NULL;
			return ENOMEM;
		}
		error = link_as(file->fd, file->part);
	}
	if (error) {
		free(file->part);
		file->part = NULL;
	}
	return error;
}

static int rename_part(struct new_file *file, const char *path, bool replaces)
{
	if (replaces ? rename(file->part, path) != 0
		     : renameat2(AT_FDCWD, file->part, AT_FDCWD, path, RENAME_NOREPLACE) != 0) {
		if (replaces || errno != EINVAL || link(file->part, path) != 0)
			return errno;
		unlink(file->part); /* this file system does not support RENAME_NOREPLACE */
	}
	free(file->part);
	file->part = NULL;
	return 0;
}

int new_file_keep(struct new_file *file, const char *path, bool replaces)
{
	int error = check_written(file->fd);

	if (error)
		return error;
	if (!file->part) {
		error = link_as(file->fd, path);
		if (error != EEXIST || !replaces)
			return error;
		error = link_part(file, path);
	}
	return error ? error : rename_part(file, path, replaces);
}

void new_file_drop(struct new_file *file)
{
	if (file->part)
		unlink(file->part);
	free(file->part);
	file->part = NULL;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
