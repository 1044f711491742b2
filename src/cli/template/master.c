/* SPDX-License-Identifier: MIT */
#include "cli/template/master.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/new_file.h"

static enum rst_status master_fail(const char *path, const char *what, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "%s: %s", what, strerror(errno));
	error_name(err, path);
	return RST_E_IO;
}

enum rst_status master_default(char path[PATH_MAX], struct rst_error *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n;

	if (config && config[0] == '/')
		n = snprintf(path, PATH_MAX, "%s/rastrum/templates/aix.trcfmt", config);
	else if (home && home[0])
		n = snprintf(path, PATH_MAX, "%s/.config/rastrum/templates/aix.trcfmt", home);
	else
		n = PATH_MAX;
	if (n < PATH_MAX)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"neither $XDG_CONFIG_HOME nor $HOME names your folder of templates");
	error_advise(err, "name the file with -t");
	return RST_E_USAGE;
}

/* --- opening -------------------------------------------------------------------------------------------- */

static enum rst_status make_folders(const char *path, struct rst_error *err)
{
	char folder[PATH_MAX];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*text_put(folder, path, (size_t)(slash - path)) = '\0';
		if (mkdir(folder, 0777) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
			return master_fail(folder, "cannot make this folder", err);
	}
	return RST_OK;
}

/* The file that the path names once the lock is there may be another than when it was opened. */
static enum rst_status lock_file(struct master *master, struct rst_error *err)
{
	for (;;) {
		struct stat now;

		master->lock = open(master->path, O_RDONLY | O_CLOEXEC);
		if (master->lock < 0)
			return master_fail(master->path, "cannot open", err);
		if (flock(master->lock, LOCK_EX) != 0 && errno != EINTR)
			return master_fail(master->path, "cannot lock", err);
		if (fstat(master->lock, &master->st) != 0)
			return master_fail(master->path, "cannot look at it", err);
		if (stat(master->path, &now) == 0 && now.st_ino == master->st.st_ino &&
			now.st_dev == master->st.st_dev)
			return RST_OK;
		close(master->lock);
	}
}

enum rst_status master_open(struct master *master, const char *path, bool may_be_new,
	struct template_file **ret_file, struct rst_error *err)
{
	static const char head[] = "# dialect: aix\n";

	master->lock = -1;
	if (may_be_new && access(path, F_OK) != 0 && errno == ENOENT) {
		error_try(make_folders(path, err));
		master->st.st_mode = 0;
		snprintf(master->path, sizeof(master->path), "%s", path);
		*ret_file = template_file_of(path, head, sizeof(head) - 1);
		return *ret_file ? RST_OK : error_nomem(err);
	}
	if (!realpath(path, master->path))
		return master_fail(path, "cannot open", err);
	error_try(lock_file(master, err));
	if (!S_ISREG(master->st.st_mode)) {
		error_set(err, RST_E_IO, RST_NO_OFFSET, "this is not a regular file");
		error_name(err, path);
		return RST_E_IO;
	}
	return template_file_read(ret_file, master->path, err);
}

void master_done(struct master *master)
{
	if (master->lock >= 0)
		close(master->lock);
	master->lock = -1;
}

/* --- writing -------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const void *bytes, size_t n_bytes)
{
	for (const char *at = bytes; n_bytes;) {
		const ssize_t n = write(fd, at, n_bytes);

		if (n < 0 && errno != EINTR)
			return false;
		at += n > 0 ? n : 0;
		n_bytes -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* errno is ENOMEM when zlib has no memory. */
static bool write_packed(int fd, struct text bytes)
{
	enum { WITH_GZIP_HEADER = 16, MEMORY_LEVEL = 8 };
	z_stream stream = { .next_in = (uint8_t *)(uintptr_t)bytes.bytes,
		.avail_in = (unsigned)bytes.n_bytes };
	bool is_good;
	uint8_t *packed;
	size_t room;

	errno = ENOMEM;
	if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + WITH_GZIP_HEADER, MEMORY_LEVEL,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	room = deflateBound(&stream, bytes.n_bytes);
	packed = malloc(room);
	stream.next_out = packed;
	stream.avail_out = (unsigned)room;
	is_good = packed && deflate(&stream, Z_FINISH) == Z_STREAM_END &&
		  write_all(fd, packed, room - stream.avail_out);
	deflateEnd(&stream);
	free(packed);
	return is_good;
}

/* An owner that may not be given is that of the user who writes. */
static bool take_rights(int fd, const struct stat *st)
{
	if (!st || !st->st_mode) {
		const mode_t mask = umask(0);

		umask(mask);
		return fchmod(fd, 0666 & ~mask) == 0;
	}
	return (fchown(fd, st->st_uid, st->st_gid) == 0 || errno == EPERM) &&
	       fchmod(fd, st->st_mode & 07777) == 0;
}

static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int fd;

	if (slash)
		*text_put(folder, path, (size_t)(slash - path) + 1) = '\0';
	fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd); /* some file systems cannot, and the file itself is there */
		close(fd);
	}
}

enum rst_status master_replace(
	const char *path, const struct stat *st, bool is_packed, struct text bytes, struct rst_error *err)
{
	enum rst_status status = RST_OK;
	struct new_file file;

	errno = new_file_open(&file, path, 0600, false);
	if (errno)
		return master_fail(path, "cannot write beside it", err);
	if (!(is_packed ? write_packed(file.fd, bytes) : write_all(file.fd, bytes.bytes, bytes.n_bytes)) ||
		!take_rights(file.fd, st) || fsync(file.fd) != 0)
		status = master_fail(path, "cannot write", err);
	if (status == RST_OK && (errno = new_file_keep(&file, path, true)) != 0)
		status = master_fail(path, "cannot take its place", err);
	if (status == RST_OK)
		sync_folder(path);
	new_file_drop(&file);
	return status;
}
