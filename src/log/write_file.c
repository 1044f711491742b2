/* SPDX-License-Identifier: MIT */
/* The system calls of the writer. All are async-signal-safe (or raw) and leave errno alone. */
#include "log/write_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

int log_file_begin(struct log_writer *writer, bool from_here)
{
	const int saved = errno;
	const int flags = fcntl(writer->fd, F_GETFL);
	struct stat stat;
	int error = 0;

	if (flags < 0 || fstat(writer->fd, &stat) < 0) {
		error = errno;
	} else if (S_ISREG(stat.st_mode)) {
		const off_t here = from_here ? lseek(writer->fd, 0, SEEK_CUR) : 0;

		/*
		 * An old file's bytes could be taken for our blocks, so they are cut off. O_APPEND would move
		 * every pwrite().
		 */
		writer->seekable = !(flags & O_APPEND);
		writer->appends = !writer->seekable;
		writer->start = here > 0 ? (uint64_t)here : 0;
		if (writer->appends && from_here)
			writer->start = (uint64_t)stat.st_size;
		if (here < 0 || (!from_here || writer->seekable ? ftruncate(writer->fd, here) : 0) < 0)
			error = errno;
	}
	errno = saved;
	return writer->error = error;
}

/* Whether to try again. */
static bool wait_or_fail(struct log_writer *writer)
{
	struct pollfd ready = { .fd = writer->fd, .events = POLLOUT };

	if (errno == EINTR)
		return true;
	if (errno == EAGAIN && (poll(&ready, 1, -1) > 0 || errno == EINTR))
		return true;
	writer->error = errno;
	return false;
}

int log_file_put(struct log_writer *writer, const void *bytes, size_t n, uint64_t offset)
{
	const int saved = errno;
	const unsigned char *at = bytes;

	while (n && !writer->error) {
		const ssize_t done = writer->seekable
					     ? pwrite(writer->fd, at, n, (off_t)(writer->start + offset))
					     : write(writer->fd, at, n);

		if (done == 0)
			writer->error = EIO;
		if (done <= 0 && !writer->error && wait_or_fail(writer))
			continue;
		if (writer->error)
			break;
		at += done;
		n -= (size_t)done;
		offset += (uint64_t)done;
		if (!writer->seekable)
			writer->end += (uint64_t)done;
	}
	errno = saved;
	return writer->error;
}

int log_file_cut(struct log_writer *writer, uint64_t offset)
{
	const int saved = errno;

	if (writer->seekable && ftruncate(writer->fd, (off_t)(writer->start + offset)) < 0)
		writer->error = errno;
	errno = saved;
	return writer->error;
}

bool log_file_punch(struct log_writer *writer, uint64_t offset, uint64_t n)
{
	const int saved = errno;
	const int failed = fallocate(writer->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)(writer->start + offset), (off_t)n);

	errno = saved;
	return failed == 0;
}

bool log_file_take_back(struct log_writer *writer, uint64_t offset)
{
	const int saved = errno;
	struct stat stat;
	const bool is_ours = writer->appends && fstat(writer->fd, &stat) == 0 &&
			     (uint64_t)stat.st_size == writer->start + writer->end &&
			     ftruncate(writer->fd, (off_t)(writer->start + offset)) == 0;

	if (is_ours)
		writer->end = offset;
	errno = saved;
	return is_ours;
}

int log_file_clear(struct log_writer *writer, uint64_t offset, uint64_t n)
{
	static const unsigned char zeros[4096];

	if (log_file_punch(writer, offset, n))
		return 0;
	for (uint64_t done = 0, part; done < n && !writer->error; done += part) {
		part = n - done < sizeof(zeros) ? n - done : sizeof(zeros);
		log_file_put(writer, zeros, part, offset + done);
	}
	return writer->error;
}

void log_file_stand(struct log_writer *writer, uint64_t offset)
{
	const int saved = errno;

	if (writer->seekable)
		lseek(writer->fd, (off_t)(writer->start + offset), SEEK_SET);
	errno = saved;
}
