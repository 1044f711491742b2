/* SPDX-License-Identifier: MIT */
/* Takes the wrappings off (wrapping/layer.h) and shows the front. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "input/source_parts.h"

static uint64_t source_position(const struct source *source)
{
	return source->n_layers > 1 ? source->layers[1].io.offset : source->layers[0].n_read;
}

struct source_about source_about(const struct source *source)
{
	return (struct source_about){ .name = source->name,
		.wrappings = source->wrappings,
		.n_file = source->n_file,
		.n_read = source_position(source),
		.is_endless = source->is_live && !source->live.is_pipe,
		.is_growing = source->is_live && source->live.is_file };
}

void source_set_judge(struct source *source, const struct source_judge *judge)
{
	source->judge = *judge;
}

void source_note(struct source *source, uint64_t offset, uint64_t n_bytes, const char *format, ...)
{
	struct wrapping_io io = { .faults = &source->faults };
	char what[128];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	wrapping_fault(&io, offset, n_bytes, "%s", what);
}

/* --- wrappings ------------------------------------------------------------------------------------------ */

static const struct wrapping *source_probe(const struct layer *layer)
{
	const bool is_whole = layer->is_over && layer->n_ready <= SOURCE_CHUNK_BYTES;
	const size_t n = layer->n_ready < SOURCE_CHUNK_BYTES ? layer->n_ready : SOURCE_CHUNK_BYTES;

	return n ? wrapping_find(layer->at, n, is_whole) : NULL;
}

bool source_is_wrapped(struct source *source)
{
	return !source->is_settled && source_probe(source_top(source));
}

static enum rst_status source_unwrap(
	struct source *source, const struct wrapping *wrapping, struct rst_error *err)
{
	struct layer *top = source_top(source);

	error_try(layer_open_wrapping(top + 1, top, wrapping, &source->faults, &source->judge, err));
	source->n_layers++;
	return RST_OK;
}

static void source_name_wrappings(struct source *source)
{
	const size_t room = sizeof(source->wrappings);

	for (size_t i = 1, n = 0; i < source->n_layers && n < room; i++) {
		const struct layer *layer = &source->layers[i];
		const char *name = layer->wrapping->describe ? layer->wrapping->describe(layer->state)
							     : layer->wrapping->name;

		n += (size_t)snprintf(source->wrappings + n, room - n, "%s%s", i > 1 ? ", " : "", name);
	}
}

enum rst_status source_settle(struct source *source, struct rst_error *err)
{
	while (!source->is_settled) {
		if (!source->is_live || source->n_layers > 1)
			error_try(layer_fill(source_top(source), LAYER_BYTES, err));
		const struct wrapping *wrapping = source_probe(source_top(source));

		if (wrapping && source->n_layers <= SOURCE_WRAPPINGS_MAX) {
			error_try(source_unwrap(source, wrapping, err));
			continue;
		}
		if (wrapping)
			source_note(source, source_position(source), 0,
				"wrapped more than four times; the inner wrappings are left on");
		source_name_wrappings(source);
		source->is_settled = true;
	}
	return RST_OK;
}

void source_take_bare(struct source *source)
{
	source->is_settled = true;
}

/* --- the front ------------------------------------------------------------------------------------------ */

void source_front(const struct source *source, struct source_front *ret)
{
	const struct layer *top = &source->layers[source->n_layers - 1];

	*ret = (struct source_front){ .bytes = top->at,
		.n_bytes = top->n_ready < SOURCE_CHUNK_BYTES ? top->n_ready : SOURCE_CHUNK_BYTES,
		.is_whole = top->is_over && top->n_ready <= SOURCE_CHUNK_BYTES,
		.is_middle = source->n_dropped != 0 };
}

enum rst_status source_look(struct source *source, struct source_front *ret, struct rst_error *err)
{
	enum rst_status status;

	if (source->look.is_last)
		return RST_END;
	if (source->is_live)
		return source_fail(source, source_look_live(source, ret, err), err);
	status = source_settle(source, err);
	if (status >= 0)
		status = layer_fill(source_top(source), LAYER_BYTES, err);
	if (status < 0)
		return source_fail(source, status, err);
	source->look.is_last = true;
	source_front(source, ret);
	return RST_OK;
}

enum rst_status source_undo_text_mode(struct source *source, struct source_front *ret, struct rst_error *err)
{
	enum rst_status status;

	if (source->n_layers > SOURCE_WRAPPINGS_MAX)
		return RST_END;
	status = source_unwrap(source, &wrapping_text_mode, err);
	if (status >= 0)
		status = layer_fill(source_top(source), LAYER_BYTES, err);
	if (status < 0)
		return source_fail(source, status, err);
	source_name_wrappings(source);
	source->is_settled = true;
	source->look.is_last = true;
	source_front(source, ret);
	return RST_OK;
}

bool source_file(const struct source *source, struct source_file *ret)
{
	*ret = (struct source_file){ source->mapping, source->n_mapped, source->about };
	return source->mapping && source->is_settled && source->n_layers == 1;
}

static bool is_in_memory(int fd)
{
	struct statfs about;

	return fstatfs(fd, &about) != 0 || about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC;
}

/*
 * The kernel gives a read lease only on a file that no process has open for writing; a writable mapping
 * counts as open. If a process opens the file meanwhile, the kernel sends a signal. SIGURG is the one chosen,
 * since it does nothing by default.
 */
static bool has_writer(int fd)
{
	fcntl(fd, F_SETSIG, SIGURG);
	if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
		return errno == EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

bool source_file_is_quiet(const struct source *source)
{
	const int fd = open(source->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat about;
	bool is_quiet;

	if (fd < 0)
		return false;
	is_quiet = fstat(fd, &about) == 0 && about.st_dev == source->about.st_dev &&
		   about.st_ino == source->about.st_ino && !is_in_memory(fd) && !has_writer(fd);
	close(fd);
	return is_quiet;
}

void source_read_parts(struct source *source)
{
	source->is_read_ahead = true;
}

/* Gives the advice for each page that holds one of these bytes. */
static void advise(const uint8_t *bytes, size_t n_bytes, int advice)
{
	const size_t n_before = (uintptr_t)bytes % (size_t)sysconf(_SC_PAGESIZE);

	madvise((void *)((uintptr_t)bytes - n_before), n_bytes + n_before, advice);
}

void source_read_ahead(const uint8_t *bytes, size_t n_bytes)
{
	advise(bytes, n_bytes, MADV_SEQUENTIAL);
}

void source_fetch(const uint8_t *bytes, size_t n_bytes)
{
	advise(bytes, n_bytes, MADV_WILLNEED);
}
