/* SPDX-License-Identifier: MIT */
/*
 * A file that grows, read from its beginning, and standard input. If a file becomes shorter, or another file
 * takes its name (as when logs are rotated), the link is lost and taken up from the beginning. A file whose
 * name is gone may still grow.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/live/link.h"

static enum rst_status open_pipe(struct link *link, struct rst_error *err)
{
	(void)err;
	link->fd = STDIN_FILENO;
	return RST_OK;
}

const struct link_kind link_pipe = {
	.ends = true,
	.open = open_pipe,
};

/* A named pipe may be followed, too: without a writer it has nothing for now. */
static enum rst_status open_file(struct link *link, struct rst_error *err)
{
	struct stat st;

	link->fd = open(link->address, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (link->fd < 0)
		return link_refused(link, "open", errno, err);
	if (fstat(link->fd, &st) || S_ISDIR(st.st_mode)) {
		int reason = S_ISDIR(st.st_mode) ? EISDIR : errno;

		close(link->fd);
		link->fd = -1;
		return link_refused(link, "open", reason, err);
	}
	link->device = st.st_dev;
	link->inode = st.st_ino;
	link->n_seen = 0;
	return RST_OK;
}

static bool is_other_file(const struct link *link)
{
	struct stat named, ours;

	if (fstat(link->fd, &ours) == 0 && S_ISREG(ours.st_mode) && ours.st_size < link->n_seen)
		return true;
	return stat(link->address, &named) == 0 &&
	       (named.st_dev != link->device || named.st_ino != link->inode);
}

static ssize_t read_file(struct link *link, uint8_t *room, size_t n_room)
{
	ssize_t n = read(link->fd, room, n_room);

	if (n > 0)
		link->n_seen += n;
	if (n == 0 && is_other_file(link)) {
		/* Bytes written between the last two looks, before the file was rotated. */
		n = read(link->fd, room, n_room);
		if (n == 0) {
			errno = ESTALE;
			return -1;
		}
	}
	return n;
}

const struct link_kind link_file = {
	.lost = "the file was cut or another one has taken its name",
	.is_watched = true,
	.open = open_file,
	.read = read_file,
};
