/* SPDX-License-Identifier: MIT */
/*
 * Files of logs. A user's mistake must not destroy a recording. A file is not overwritten if it is not a log,
 * or if another recording writes it. An older log stays until the new one has begun.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/record/record.h"
#include "log/format.h"

#define SUFFIX ".rst"
/* A log has the program's data and command line: others may read it only if the user changes its mode. */
#define MODE   0600

static enum rst_status fail_write(const char *path, int error, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot write: %s", strerror(error));
	error_name(err, path);
	error_advise(err, "-o names another file");
	return RST_E_IO;
}

/* An empty file holds nothing that could be lost. */
static bool is_log_or_empty(int fd)
{
	char magic[sizeof(LOG_MAGIC) - 1];
	ssize_t n = pread(fd, magic, sizeof(magic), 0);

	return n == 0 || (n == (ssize_t)sizeof(magic) && memcmp(magic, LOG_MAGIC, sizeof(magic)) == 0);
}

/* A recording's file is locked as long as its consumer has it open. */
enum rst_status logfile_check_old(const char *path, bool is_forced, struct rst_error *err)
{
	enum rst_status status = RST_OK;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe must not wait */

	if (fd < 0)
		return errno == ENOENT || is_forced ? RST_OK : fail_write(path, errno, err);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		status = common_refuse(
			err, "-o names another file", "another recording is being written to this file");
	else if (!is_forced && !is_log_or_empty(fd))
		status = common_refuse(err, "-o names another file, --force overwrites this one",
			"this is no Rastrum log, and would be overwritten");
	if (status < 0)
		error_name(err, path);
	close(fd);
	return status;
}

/* Pipes, devices and the like are written as they are. */
static enum rst_status open_special(struct logfile *file, struct rst_error *err)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return file->fd < 0 ? fail_write(file->path, errno, err) : RST_OK;
}

static enum rst_status open_regular(struct logfile *file, mode_t mode, struct rst_error *err)
{
	const int error = new_file_open(&file->file, file->path, MODE, false);

	if (error == ENOMEM)
		return error_nomem(err);
	if (error)
		return fail_write(file->path, error, err);
	file->fd = file->file.fd;
	if (mode != MODE)
		fchmod(file->fd, mode);
	flock(file->fd,
		LOCK_EX | LOCK_NB); /* without locks in the file system, other recordings are not refused */
	file->can_be_looked = true;
	file->lacks_name = true;
	return RST_OK;
}

enum rst_status logfile_open(struct logfile *file, const char *path, bool is_forced, struct rst_error *err)
{
	mode_t mode = MODE;
	struct stat st;

	*file = (struct logfile){ .path = path, .fd = -1, .file.fd = -1 };
	if (strcmp(path, "-") == 0) {
		file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return file->fd < 0 ? fail_write("standard output", errno, err) : RST_OK;
	}
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return fail_write(path, EISDIR, err);
		if (!S_ISREG(st.st_mode))
			return open_special(file, err);
		error_try(logfile_check_old(path, is_forced, err));
		mode = st.st_mode & 0666; /* readers of the last one may read this one */
	}
	return open_regular(file, mode, err);
}

enum rst_status logfile_keep(struct logfile *file, struct rst_error *err)
{
	enum rst_status status;
	int error;

	if (!file->lacks_name)
		return RST_OK;
	file->lacks_name = false;
	error = new_file_keep(&file->file, file->path, true);
	if (!error)
		return RST_OK;
	status = fail_write(file->path, error, err);
	if (file->file.part)
		error_advise(err, "the log is %s", file->file.part);
	free(file->file.part); /* it keeps that name */
	file->file.part = NULL;
	return status;
}

void logfile_close(struct logfile *file)
{
	if (file->can_be_looked)
		new_file_drop(&file->file);
	else if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

enum rst_status logfile_begin_snapshot(const char *path, struct new_file *ret_file, struct rst_error *err)
{
	const int error = new_file_open(ret_file, path, MODE, false);

	return error == ENOMEM ? error_nomem(err) : error ? fail_write(path, error, err) : RST_OK;
}

enum rst_status logfile_number(
	struct new_file *file, const char *path, unsigned *number, char **ret_name, struct rst_error *err)
{
	size_t n = strlen(path), n_suffix = strlen(SUFFIX);
	int error;

	if (n > n_suffix && strcmp(path + n - n_suffix, SUFFIX) == 0)
		n -= n_suffix;
	for (;; ++*number) {
		if (asprintf(ret_name, "%.*s-%u" SUFFIX, (int)n, path, *number) < 0)
			return error_nomem(err);
		error = new_file_keep(file, *ret_name, false);
		if (!error)
			return RST_OK;
		if (error != EEXIST)
			fail_write(*ret_name, error, err);
		free(*ret_name);
		if (error != EEXIST)
			return RST_E_IO;
	}
}
