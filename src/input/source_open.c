/* SPDX-License-Identifier: MIT */
/* Opens a file, a pipe, memory or a link. A file is mapped if that is possible. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/source_parts.h"

enum { SOURCE_HOLES_MAX = 64 }; /* holes that become anonymous memory: each takes a mapping */

static struct source *source_new(const char *name, struct rst_error *err)
{
	const size_t n_name = strlen(name) + 1;
	struct source *source = calloc(1, sizeof(*source) + n_name);

	if (!source) {
		error_nomem(err);
		error_name(err, name);
		return NULL;
	}
	source->fd = -1;
	source->n_layers = 1;
	source->n_max = SOURCE_WHOLE_MAX;
	memcpy(source->name, name, n_name);
	return source;
}

struct source *source_free(struct source *source)
{
	if (!source)
		return NULL;
	/* Start at the top: a layer may look at the one below. */
	for (size_t i = source->n_layers; i-- > 0;)
		layer_done(&source->layers[i]);
	if (source->mapping)
		munmap(source->mapping, source->n_mapped);
	if (source->fd >= 0)
		close(source->fd);
	free(source->gathered);
	free(source);
	return NULL;
}

static enum rst_status source_refused(struct rst_error *err, int reason)
{
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot open: %s", strerror(reason));
}

/*
 * Replaces the holes of a file with anonymous memory; a Rastrum log with a ring area has such holes. A file
 * system in memory needs room even for a hole that is only read, and if it is full, the read raises a deadly
 * signal.
 */
static void fill_holes(int fd, uint8_t *mapping, off_t n_bytes)
{
	const off_t page = sysconf(_SC_PAGESIZE);
	const off_t n_mapped = (n_bytes + page - 1) / page * page;
	off_t hole = 0, end;

	for (unsigned n = 0; n < SOURCE_HOLES_MAX; n++, hole = end) {
		hole = lseek(fd, hole, SEEK_HOLE);
		if (hole < 0 || hole >= n_bytes)
			return;
		end = lseek(fd, hole, SEEK_DATA);
		if (end < 0 || end > n_mapped)
			end = n_mapped;
		hole = (hole + page - 1) / page * page;
		if (end / page * page > hole)
			mmap(mapping + hole, (size_t)(end / page * page - hole), PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
}

/*
 * Maps a regular file. Returns false if the file must be read instead, such as a file of size 0: the kernel
 * may make its contents when it is read.
 */
static bool source_map(struct source *source, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || st->st_size <= 0 || (uint64_t)st->st_size > SIZE_MAX / 2)
		return false;
	const size_t n = (size_t)st->st_size;
	void *mapping = mmap(NULL, n, PROT_READ, MAP_PRIVATE, source->fd, 0);

	if (mapping == MAP_FAILED)
		return false;
	madvise(mapping, n, MADV_RANDOM);
	source_fetch(mapping, n < SOURCE_CHUNK_BYTES ? n : SOURCE_CHUNK_BYTES);
	fill_holes(source->fd, mapping, st->st_size);
	source->mapping = mapping;
	source->n_mapped = n;
	source->n_file = n;
	source->about = *st;
	close(source->fd);
	source->fd = -1;
	return true;
}

static enum rst_status source_open_path(struct source *source, const char *path, struct rst_error *err)
{
	struct stat st;

	do
		source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (source->fd < 0 && errno == EINTR);
	if (source->fd < 0 || fstat(source->fd, &st))
		return source_refused(err, errno);
	if (S_ISDIR(st.st_mode))
		return source_refused(err, EISDIR);
	if (!source_map(source, &st))
		return layer_open_file(&source->layers[0], source->fd, err);
	layer_open_bytes(&source->layers[0], source->mapping, source->n_mapped);
	return RST_OK;
}

enum rst_status source_open(struct source **ret_source, const char *path, struct rst_error *err)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	struct source *source = source_new(is_stdin ? "standard input" : path, err);
	enum rst_status status;

	if (!source)
		return RST_E_NOMEM;
	if (is_stdin)
		status = layer_open_file(&source->layers[0], STDIN_FILENO, err);
	else
		status = source_open_path(source, path, err);
	if (status < 0) {
		source_fail(source, status, err);
		source_free(source);
		return status;
	}
	*ret_source = source;
	return RST_OK;
}

enum rst_status source_open_bytes(struct source **ret_source, const void *bytes, size_t n_bytes,
	const char *name, struct rst_error *err)
{
	struct source *source = source_new(name, err);

	if (!source)
		return RST_E_NOMEM;
	source->n_file = n_bytes;
	layer_open_bytes(&source->layers[0], bytes, n_bytes);
	*ret_source = source;
	return RST_OK;
}

enum rst_status source_open_live(
	struct source **ret_source, const struct live_input *live, struct rst_error *err)
{
	struct source *source = source_new(live->name, err);
	enum rst_status status;

	if (!source)
		return RST_E_NOMEM;
	source->live = *live;
	source->is_live = true;
	source->is_settled = !live->is_pipe;
	status = layer_open_live(&source->layers[0], &source->live, err);
	if (status < 0)
		source_free(source);
	else
		*ret_source = source;
	return status;
}
