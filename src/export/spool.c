/* SPDX-License-Identifier: MIT */
#include "export/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static void spool_fault(struct export *export, int error)
{
	export->status = error_set(&export->err, RST_E_IO, RST_NO_OFFSET,
		"cannot keep what is to be sorted: %s", strerror(error));
	error_name(&export->err, export->path);
}

static size_t buffer_records(const struct spool *spool)
{
	return SPOOL_BYTES / spool->record_bytes;
}

static bool spool_path(const struct export *export, const struct spool *spool, char path[4096])
{
	return snprintf(path, 4096, "%s/%s", export->path, spool->name) < 4096;
}

static int unnamed_open(struct spool *spool)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];

	if (spool->has_fd)
		return spool->fd;
	if (!folder || snprintf(path, sizeof(path), "%s/rastrum-XXXXXX", folder) >= (int)sizeof(path))
		snprintf(path, sizeof(path), "/tmp/rastrum-XXXXXX");
	spool->fd = mkostemp(path, O_CLOEXEC);
	spool->has_fd = spool->fd >= 0;
	if (spool->has_fd)
		unlink(path);
	return spool->fd;
}

static int spool_open(const struct export *export, struct spool *spool, int how)
{
	char path[4096];

	if (!*spool->name)
		return unnamed_open(spool);
	if (spool_path(export, spool, path))
		return open(path, how | O_CLOEXEC, 0600);
	errno = ENAMETOOLONG;
	return -1;
}

static ssize_t part_move(int fd, bool is_write, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	const ssize_t n = is_write ? pwrite(fd, bytes, n_bytes, (off_t)offset)
				   : pread(fd, bytes, n_bytes, (off_t)offset);

	return n < 0 && errno == EINTR ? 0 : n == 0 ? (errno = EIO, -1) : n;
}

/* Reads or writes a part of the file completely. */
static void file_move(struct export *export, struct spool *spool, bool is_write, uint8_t *bytes,
	size_t n_bytes, uint64_t offset)
{
	const int fd = spool_open(export, spool, is_write ? O_WRONLY | O_CREAT : O_RDONLY);
	ssize_t n = fd < 0 ? -1 : 0;

	while (n >= 0 && n_bytes) {
		n = part_move(fd, is_write, bytes, n_bytes, offset);
		if (n > 0) {
			bytes += n;
			offset += (uint64_t)n;
			n_bytes -= (size_t)n;
		}
	}
	if (n < 0 && export->status == RST_OK)
		spool_fault(export, errno);
	if (fd >= 0 && !spool->has_fd && close(fd) != 0 && export->status == RST_OK)
		spool_fault(export, errno);
}

static void spool_write(struct export *export, struct spool *spool)
{
	file_move(export, spool, true, spool->buffer,
		(size_t)(spool->n - spool->n_in_file) * spool->record_bytes,
		spool->n_in_file * spool->record_bytes);
	spool->n_in_file = spool->n;
}

bool spool_put(struct export *export, struct spool *spool, const void *record)
{
	if (!spool->buffer)
		spool->buffer = malloc(SPOOL_BYTES);
	if (!spool->buffer)
		return false;
	if (spool->n - spool->n_in_file == buffer_records(spool))
		spool_write(export, spool);
	memcpy(spool->buffer + (spool->n++ - spool->n_in_file) * spool->record_bytes, record,
		spool->record_bytes);
	return true;
}

void spool_change(struct export *export, struct spool *spool, uint64_t n, size_t offset, const void *bytes,
	size_t n_bytes)
{
	uint8_t copy[16];

	if (n >= spool->n_in_file) {
		memcpy(spool->buffer + (n - spool->n_in_file) * spool->record_bytes + offset, bytes, n_bytes);
	} else if (export->status == RST_OK) {
		memcpy(copy, bytes, n_bytes);
		file_move(export, spool, true, copy, n_bytes, n * spool->record_bytes + offset);
	}
}

/* Reads the next records from the file into the buffer. */
static void spool_fill(struct export *export, struct spool *spool)
{
	const uint64_t n_left = spool->n_in_file - spool->next;

	spool->from = spool->next;
	spool->n_read = n_left < buffer_records(spool) ? (size_t)n_left : buffer_records(spool);
	file_move(export, spool, false, spool->buffer, spool->n_read * spool->record_bytes,
		spool->from * spool->record_bytes);
}

const void *spool_peek(struct export *export, struct spool *spool)
{
	if (spool->next == spool->n || export->status < 0)
		return NULL;
	/* If all records fit into the buffer, there is no file. */
	if (spool->n_in_file == 0)
		return spool->buffer + spool->next * spool->record_bytes;
	if (spool->n_in_file < spool->n)
		spool_write(export, spool);
	if (spool->next == spool->from + spool->n_read)
		spool_fill(export, spool);
	return export->status < 0 ? NULL : spool->buffer + (spool->next - spool->from) * spool->record_bytes;
}

void spool_done(const struct export *export, struct spool *spool)
{
	char path[4096];

	if (spool->has_fd)
		close(spool->fd);
	else if (spool->n_in_file && spool_path(export, spool, path))
		unlink(path);
	spool->has_fd = false;
	free(spool->buffer);
	spool->buffer = NULL;
}
