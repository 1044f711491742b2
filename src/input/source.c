/* SPDX-License-Identifier: MIT */
/* Opens what bytes come from, takes the wrappings off (wrapping_layer.h), and hands the bytes out. */
#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/live.h"
#include "input/wrapping_layer.h"

enum {
	SOURCE_WRAPPINGS_MAX = 4,
	SOURCE_GATHER_FIRST = 4 * SOURCE_PIECE_BYTES,
	SOURCE_HOLES_MAX = 64, /* which become memory of ours: each is a mapping */
};

struct source {
	int fd; /* -1: none that is ours */
	void *mapping;
	size_t n_mapped;
	uint64_t n_file;
	struct live_input live;
	bool is_live;
	const char *missing; /* of the link, and … */
	bool is_missing;     /* … is still to be told */
	uint64_t n_dropped;  /* in front of all pieces */
	struct layer layers[1 + SOURCE_WRAPPINGS_MAX];
	size_t n_layers;
	bool is_settled; /* all wrappings are known */
	bool is_whole;	 /* whole holds all there is, … */
	bool has_more;	 /* … or all that it may */
	const uint8_t *whole;
	size_t n_whole;
	uint8_t *gathered;    /* what whole points to when it is not a mapping */
	size_t n_room, n_max; /* of gathered; n_max at the most */
	char wrappings[64];   /* four of the longest name, and commas */
	struct wrapping_faults faults;
	char name[];
};

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
	/* From the top: a layer may look at the one below. */
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

static enum rst_status source_fail(const struct source *source, enum rst_status status, struct rst_error *err)
{
	if (status < 0)
		error_name(err, source->name);
	return status;
}

static enum rst_status source_refused(struct rst_error *err, int reason)
{
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot open: %s", strerror(reason));
}

/*
 * Holes of a file, as a Rastrum log with a ring area has them, become memory of ours: a file system that is itself memory
 * wants room even for a hole that is only looked at, and when it is full that is a deadly signal.
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

/* Maps a regular file. false: it must be read, as files of size 0, which may be full of a kernel's answers. */
static bool source_map(struct source *source, const struct stat *facts)
{
	if (!S_ISREG(facts->st_mode) || facts->st_size <= 0 || (uint64_t)facts->st_size > SIZE_MAX / 2)
		return false;
	const size_t n = (size_t)facts->st_size;
	void *mapping = mmap(NULL, n, PROT_READ, MAP_PRIVATE, source->fd, 0);

	if (mapping == MAP_FAILED)
		return false;
	madvise(mapping, n, MADV_SEQUENTIAL);
	fill_holes(source->fd, mapping, facts->st_size);
	source->mapping = mapping;
	source->n_mapped = n;
	source->n_file = n;
	close(source->fd);
	source->fd = -1;
	return true;
}

static enum rst_status source_open_path(struct source *source, const char *path, struct rst_error *err)
{
	struct stat facts;

	do
		source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (source->fd < 0 && errno == EINTR);
	if (source->fd < 0 || fstat(source->fd, &facts))
		return source_refused(err, errno);
	if (S_ISDIR(facts.st_mode))
		return source_refused(err, EISDIR);
	if (!source_map(source, &facts))
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

static struct layer *source_top(struct source *source)
{
	return &source->layers[source->n_layers - 1];
}

uint64_t source_position(const struct source *source)
{
	return source->n_layers > 1 ? source->layers[1].io.offset : source->layers[0].n_read;
}

static void source_fault(struct source *source, const char *what)
{
	struct wrapping_io io = { .faults = &source->faults };

	wrapping_fault(&io, source_position(source), 0, "%s", what);
}

static const struct wrapping *source_probe(const struct layer *layer)
{
	const bool is_whole = layer->is_over && layer->n_ready <= SOURCE_PIECE_BYTES;
	const size_t n = layer->n_ready < SOURCE_PIECE_BYTES ? layer->n_ready : SOURCE_PIECE_BYTES;

	return n ? wrapping_find(layer->at, n, is_whole) : NULL;
}

static enum rst_status source_unwrap(
	struct source *source, const struct wrapping *wrapping, struct rst_error *err)
{
	struct layer *top = source_top(source);

	error_try(layer_open_wrapping(top + 1, top, wrapping, &source->faults, err));
	if (source->wrappings[0])
		strcat(source->wrappings, ", ");
	strcat(source->wrappings, wrapping->name);
	source->n_layers++;
	return RST_OK;
}

/*
 * Fills the front; the first time, wrappings are taken off until none is left. The front of a link is what source_await()
 * has gathered.
 */
static enum rst_status source_settle(struct source *source, struct rst_error *err)
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
			source_fault(source, "wrapped more than four times; the inner wrappings are left on");
		source->is_settled = true;
	}
	return RST_OK;
}

enum rst_status source_peek(struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes,
	bool *ret_is_whole, struct rst_error *err)
{
	enum rst_status status = source_settle(source, err);

	if (status >= 0 && !(source->is_live && source->n_layers == 1))
		status = layer_fill(source_top(source), LAYER_BYTES, err);
	if (status < 0)
		return source_fail(source, status, err);
	source_front(source, ret_bytes, ret_n_bytes, ret_is_whole);
	return RST_OK;
}

const struct live_input *source_live(const struct source *source)
{
	return source->is_live ? &source->live : NULL;
}

static void source_note_missing(struct source *source)
{
	source->missing = source->live.missing ? source->live.missing(source->live.context) : NULL;
	source->is_missing = true;
}

const char *source_missing(const struct source *source)
{
	return source->missing ? source->missing : "the link was lost here";
}

enum rst_status source_await(struct source *source, int wait_ms, struct rst_error *err)
{
	enum rst_status status = layer_await(&source->layers[0], wait_ms, err);

	if (status == RST_MORE)
		source_note_missing(source);
	return status < 0 ? source_fail(source, status, err) : RST_OK;
}

enum rst_status source_pause(struct source *source, int wait_ms, bool *ret_is_pause, struct rst_error *err)
{
	const struct layer *layer = &source->layers[0];

	*ret_is_pause = false;
	if (!source->is_live || source->n_layers > 1 || layer->n_ready || source->is_missing)
		return RST_OK;
	error_try(source_await(source, wait_ms, err));
	*ret_is_pause = !layer->n_ready && !layer->is_over && !source->is_missing;
	return RST_OK;
}

void source_drop(struct source *source, size_t n_bytes)
{
	layer_drop(&source->layers[0], n_bytes);
	source->n_dropped += n_bytes;
}

uint64_t source_dropped(const struct source *source)
{
	return source->n_dropped;
}

void source_note_dropped(struct source *source)
{
	struct wrapping_io io = { .faults = &source->faults };

	if (source->n_dropped)
		wrapping_fault(&io, 0, source->n_dropped, "no dialect recognises these bytes");
}

void source_front(
	const struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, bool *ret_is_whole)
{
	const struct layer *top = &source->layers[source->n_layers - 1];

	*ret_bytes = top->at;
	*ret_is_whole = top->is_over && top->n_ready <= SOURCE_PIECE_BYTES;
	*ret_n_bytes = top->n_ready < SOURCE_PIECE_BYTES ? top->n_ready : SOURCE_PIECE_BYTES;
}

bool source_is_wrapped(const struct source *source)
{
	return !source->is_settled && source_probe(&source->layers[source->n_layers - 1]);
}

enum rst_status source_next(
	struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err)
{
	enum rst_status status = source->is_whole && !source->has_more ? RST_END : source_settle(source, err);

	if (status == RST_OK && source->is_missing) {
		source->is_missing = false;
		return RST_MORE;
	}
	if (status == RST_OK)
		status = layer_fill(source_top(source), 1, err);
	if (status == RST_MORE) {
		source_note_missing(source);
		source->is_missing = false;
	}
	if (status != RST_OK)
		return source_fail(source, status, err);
	struct layer *top = source_top(source);

	*ret_n_bytes = layer_take(top, top->buffer ? SOURCE_PIECE_BYTES : SIZE_MAX, ret_bytes);
	return *ret_n_bytes ? RST_OK : RST_END;
}

/* Room for n_more bytes behind what was gathered. */
static bool source_grow(struct source *source, size_t n_more)
{
	size_t n_room = source->n_room ? source->n_room : SOURCE_GATHER_FIRST;

	while (n_room - source->n_whole < n_more)
		n_room *= 2;
	if (n_room == source->n_room)
		return true;
	uint8_t *gathered = realloc(source->gathered, n_room);

	if (!gathered)
		return false;
	source->gathered = gathered;
	source->n_room = n_room;
	return true;
}

/* RST_MORE: it is as much as may be, and there is more. */
static enum rst_status source_gather(struct source *source, struct rst_error *err)
{
	struct layer *top = source_top(source);

	for (;;) {
		const size_t n_max = source->n_max - source->n_whole;

		error_try(layer_fill(top, 1, err));
		if (!top->n_ready)
			return RST_OK;
		if (!n_max)
			return RST_MORE;
		/* Before taking: a failure loses nothing. */
		if (!source_grow(source, top->n_ready < n_max ? top->n_ready : n_max))
			return error_nomem(err);
		const uint8_t *bytes;
		const size_t n = layer_take(top, n_max, &bytes);

		memcpy(source->gathered + source->n_whole, bytes, n);
		source->n_whole += n;
	}
}

/* What there was memory for, or what it may have, is better than nothing. */
static void source_note_cut(struct source *source, enum rst_status status)
{
	struct wrapping_io io = { .faults = &source->faults };
	const char *advice = source->n_layers > 1 ? "unpack it to a file and read that"
						  : "save it to a file and read that";

	if (status == RST_MORE)
		wrapping_fault(&io, source_position(source), 0,
			"%s %zu MiB are read, the rest is left out; %s",
			source->n_layers > 1 ? "of what was unpacked only" : "of the input only",
			source->n_max >> 20, advice);
	else
		wrapping_fault(&io, source_position(source), 0, "memory for %s ran out after %zu bytes; %s",
			source->n_layers > 1 ? "what was unpacked" : "the input", source->n_whole, advice);
}

static enum rst_status source_gather_most(struct source *source, bool may_go_on, struct rst_error *err)
{
	struct rst_error failure = { 0 };
	enum rst_status status = source_gather(source, &failure);

	source->has_more = status == RST_MORE && may_go_on;
	if ((status == RST_E_NOMEM && source->n_whole) || (status == RST_MORE && !may_go_on))
		source_note_cut(source, status);
	if ((status == RST_E_NOMEM && source->n_whole) || status == RST_MORE)
		status = RST_OK;
	if (status < 0 && err)
		*err = failure;
	source->whole = source->gathered;
	return status;
}

void source_set_max(struct source *source, size_t n_bytes)
{
	source->n_max = n_bytes;
}

static enum rst_status source_make_whole(struct source *source, bool may_go_on, struct rst_error *err)
{
	struct layer *top;

	error_try(source_settle(source, err));
	top = source_top(source);
	if (top->buffer)
		error_try(source_gather_most(source, may_go_on, err));
	else
		source->n_whole = layer_take(top, SIZE_MAX, &source->whole);
	source->is_whole = true;
	return RST_OK;
}

static enum rst_status source_give_whole(struct source *source, const uint8_t **ret_bytes,
	size_t *ret_n_bytes, bool may_go_on, struct rst_error *err)
{
	if (!source->is_whole) {
		enum rst_status status = source_make_whole(source, may_go_on, err);

		if (status < 0)
			return source_fail(source, status, err);
	}
	*ret_bytes = source->whole;
	*ret_n_bytes = source->n_whole;
	return RST_OK;
}

enum rst_status source_whole(
	struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err)
{
	return source_give_whole(source, ret_bytes, ret_n_bytes, false, err);
}

enum rst_status source_most(struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes,
	bool *ret_is_all, struct rst_error *err)
{
	enum rst_status status = source_give_whole(source, ret_bytes, ret_n_bytes, true, err);

	*ret_is_all = !source->has_more;
	return status;
}

bool source_is_file(const struct source *source)
{
	return source->n_file > 0;
}

const char *source_name(const struct source *source)
{
	return source->name;
}

const char *source_wrappings(const struct source *source)
{
	return source->wrappings;
}

uint64_t source_file_bytes(const struct source *source)
{
	return source->n_file;
}

const struct source_fault *source_faults(const struct source *source, size_t *ret_n_kept, uint64_t *ret_n_all)
{
	*ret_n_kept = source->faults.n_kept;
	*ret_n_all = source->faults.n_all;
	return source->faults.kept;
}
