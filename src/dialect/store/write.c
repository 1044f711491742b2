/* SPDX-License-Identifier: MIT */
#include "dialect/store/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outbuf.h"
#include "dialect/store/store.h"
#include "dialect/trace_parts.h"
#include "log/crc32c.h"

struct store_writer {
	char *path;    /* NULL: standard output */
	char *unnamed; /* the file while it is written */
	struct outbuf out;
	bool has_out;
	uint64_t n_written; /* bytes */
	struct definitions definitions;
	struct bytes items; /* of definitions, for one row */
	struct bytes due;   /* the block DEFINITIONS in front of the segment that is being filled */
	struct segment segment;
	struct bytes block;
	uint64_t n_rows, first_row; /* in all; of the segment */
	uint64_t n_gaps, n_damages; /* rows of them */
};

/* --- the file --------------------------------------------------------------------------------------------------- */

static enum rst_status fail_io(
	const struct store_writer *writer, const char *what, int error, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "%s: %s", what, strerror(error));
	error_name(err, writer->path ? writer->path : "standard output");
	return RST_E_IO;
}

/* Beside the file, so that giving it its name is one step. */
static enum rst_status file_create(struct store_writer *writer, int *ret_fd, struct rst_error *err)
{
	const size_t room = strlen(writer->path) + 32;

	writer->unnamed = malloc(room);
	if (!writer->unnamed)
		return error_nomem(err);
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(writer->unnamed, room, "%s.%ld-%u.part", writer->path, (long)getpid(), i);
		*ret_fd = open(writer->unnamed, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (*ret_fd >= 0)
			return RST_OK;
		if (errno != EEXIST)
			break;
	}
	const int error = errno;

	free(writer->unnamed);
	writer->unnamed = NULL;
	return fail_io(writer, "the file cannot be written", error, err);
}

static enum rst_status put_bytes(
	struct store_writer *writer, const void *from, size_t n_bytes, struct rst_error *err)
{
	if (outbuf_reserve(&writer->out, n_bytes)) {
		memcpy(writer->out.at, from, n_bytes);
		writer->out.at += n_bytes;
		writer->n_written += n_bytes;
	}
	return writer->out.error ? fail_io(writer, "writing failed", writer->out.error, err) : RST_OK;
}

static enum rst_status put_block(struct store_writer *writer, enum store_block_kind kind, uint64_t row,
	const struct bytes *payload, struct rst_error *err)
{
	static const uint8_t zeros[8];
	const struct store_block block = { .kind = kind,
		.crc = crc32c_choose()(0, payload->at, payload->n),
		.n_bytes = payload->n,
		.row = row };
	uint8_t head[STORE_BLOCK_BYTES];

	block_put_head(head, &block);
	error_try(put_bytes(writer, head, sizeof(head), err));
	error_try(put_bytes(writer, payload->at, payload->n, err));
	return put_bytes(
		writer, zeros, (size_t)(block_whole(payload->n) - STORE_BLOCK_BYTES - payload->n), err);
}

static enum rst_status put_head(struct store_writer *writer, struct rst_error *err)
{
	const char *name = writer->definitions.manner.dialect;
	uint8_t head[STORE_HEAD_BYTES] = STORE_MAGIC;
	uint32_t crc;

	head[STORE_MAGIC_BYTES] = STORE_VERSION;
	memcpy(head + STORE_NAME_AT, name, strnlen(name, STORE_NAME_BYTES));
	crc = crc32c_choose()(0, head, STORE_HEAD_CRC_AT);
	for (unsigned i = 0; i < 4; i++)
		head[STORE_HEAD_CRC_AT + i] = (uint8_t)(crc >> (8 * i));
	return put_bytes(writer, head, sizeof(head), err);
}

static enum rst_status put_tail(struct store_writer *writer, uint64_t end_at, struct rst_error *err)
{
	uint8_t tail[STORE_TAIL_BYTES];

	for (unsigned i = 0; i < 8; i++)
		tail[i] = (uint8_t)(end_at >> (8 * i));
	memcpy(tail + 8, STORE_TAIL_MAGIC, STORE_MAGIC_BYTES);
	return put_bytes(writer, tail, sizeof(tail), err);
}

static void meet_trace(struct store_writer *writer, const struct rst_trace *trace)
{
	writer->definitions.model = (struct model *)(uintptr_t)&trace->model;
	writer->definitions.manner =
		(struct store_manner){ trace->model.recorded_as ? trace->model.recorded_as
								: trace->dialect->name,
			trace->batch.columns };
}

enum rst_status store_write_open(
	struct store_writer **ret, const char *path, const struct rst_trace *trace, struct rst_error *err)
{
	struct store_writer *writer = calloc(1, sizeof(*writer));
	const bool is_file = strcmp(path, "-") != 0;
	enum rst_status status = RST_OK;
	int fd = STDOUT_FILENO;

	if (!writer)
		return error_nomem(err);
	meet_trace(writer, trace);
	writer->path = is_file ? strdup(path) : NULL;
	if ((is_file && !writer->path) || !segment_init(&writer->segment))
		status = error_nomem(err);
	if (status == RST_OK && is_file)
		status = file_create(writer, &fd, err);
	if (status == RST_OK) {
		writer->has_out = outbuf_init(&writer->out, fd);
		status = writer->has_out ? put_head(writer, err) : error_nomem(err);
		if (!writer->has_out && is_file)
			close(fd);
	}
	if (status < 0)
		store_write_free(writer);
	else
		*ret = writer;
	return status;
}

struct store_writer *store_write_free(struct store_writer *writer)
{
	if (!writer)
		return NULL;
	if (writer->has_out) {
		if (writer->path && writer->out.fd >= 0)
			close(writer->out.fd);
		outbuf_done(&writer->out);
	}
	if (writer->unnamed)
		unlink(writer->unnamed);
	free(writer->unnamed);
	free(writer->path);
	definitions_done(&writer->definitions);
	segment_done(&writer->segment);
	bytes_done(&writer->items);
	bytes_done(&writer->due);
	bytes_done(&writer->block);
	free(writer);
	return NULL;
}

/* --- definitions and rows ---------------------------------------------------------------------------------------- */

/* What is new goes into the block in front of the segment, with the number of the row that may need it. */
static enum rst_status put_definitions(
	struct store_writer *writer, const struct rst_trace *trace, struct rst_error *err)
{
	meet_trace(writer, trace);
	writer->items.n = 0;
	if (!definitions_put(&writer->definitions, &writer->items))
		return error_nomem(err);
	if (writer->items.n == 0)
		return RST_OK;
	return bytes_put_number(&writer->due, writer->n_rows) &&
			       bytes_put_number(&writer->due, writer->items.n) &&
			       bytes_put(&writer->due, writer->items.at, writer->items.n)
		       ? RST_OK
		       : error_nomem(err);
}

/* The segment, and what it needs in front of it. What readers of a growing file see is whole blocks. */
static enum rst_status flush_segment(struct store_writer *writer, bool is_down, struct rst_error *err)
{
	if (writer->due.n)
		error_try(put_block(writer, STORE_DEFINITIONS, writer->first_row, &writer->due, err));
	writer->due.n = 0;
	if (!writer->segment.n_rows)
		return RST_OK;
	writer->block.n = 0;
	if (!segment_write(&writer->segment, is_down, &writer->block))
		return error_nomem(err);
	error_try(put_block(writer, STORE_SEGMENT, writer->first_row, &writer->block, err));
	writer->first_row = writer->n_rows;
	return outbuf_flush(&writer->out) ? RST_OK
					  : fail_io(writer, "writing failed", writer->out.error, err);
}

/* Segments end between batches, so that the definitions of a batch stand in front of all its rows. */
static bool has_room(const struct store_writer *writer, size_t n_rows)
{
	return writer->segment.n_rows + n_rows <= STORE_ROWS &&
	       writer->segment.payloads.n < STORE_PAYLOAD_BYTES;
}

enum rst_status store_write_rows(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows, struct rst_error *err)
{
	const bool is_down = trace->model.clock_is_down;

	if (!has_room(writer, n_rows))
		error_try(flush_segment(writer, is_down, err));
	error_try(put_definitions(writer, trace, err));
	for (size_t i = 0; i < n_rows; i++) {
		const struct rst_gap *gap = rst_batch_gap(batch, rows[i]);

		if (!segment_add(&writer->segment, batch, rows[i]))
			return error_nomem(err);
		writer->n_rows++;
		writer->n_gaps += gap != NULL;
		writer->n_damages += gap && gap->marker == RST_DAMAGE;
	}
	return segment_end_batch(&writer->segment, n_rows) ? RST_OK : error_nomem(err);
}

/* --- the end ---------------------------------------------------------------------------------------------------- */

static enum rst_status put_end(struct store_writer *writer, const struct rst_trace *trace,
	const struct rst_error *end, bool is_all, struct rst_error *err)
{
	const struct model *model = &trace->model;
	struct definitions all = { .model = writer->definitions.model, .manner = writer->definitions.manner };
	struct store_end record = { .n_rows = writer->n_rows };
	bool is_good;

	if (end && end->status < 0)
		record.failure = *end;
	if (is_all) {
		record.n_gaps = model->n_gaps_all - writer->n_gaps;
		record.n_damages = model->n_damages - writer->n_damages;
	}
	writer->items.n = writer->block.n = 0;
	is_good = definitions_put(&all, &writer->items);
	definitions_done(&all);
	record.definitions = writer->items.at;
	record.n_definitions = writer->items.n;
	if (!is_good || !store_end_write(&record, &writer->block))
		return error_nomem(err);
	return put_block(writer, STORE_END, writer->n_rows, &writer->block, err);
}

/* All of it is on disk before it has its name: a crash leaves the file of before, or this one. */
static enum rst_status file_name(struct store_writer *writer, struct rst_error *err)
{
	struct stat about;

	if (!outbuf_flush(&writer->out))
		return fail_io(writer, "writing failed", writer->out.error, err);
	if (!writer->path)
		return RST_OK;
	if (fstat(writer->out.fd, &about) == 0 && S_ISREG(about.st_mode) && fsync(writer->out.fd) != 0)
		return fail_io(writer, "writing failed", errno, err);
	const int fd = writer->out.fd;

	writer->out.fd = -1;
	if (close(fd) != 0)
		return fail_io(writer, "writing failed", errno, err);
	if (rename(writer->unnamed, writer->path) != 0)
		return fail_io(writer, "the file cannot be named", errno, err);
	free(writer->unnamed);
	writer->unnamed = NULL;
	return RST_OK;
}

enum rst_status store_write_finish(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_error *end, bool is_all, struct rst_error *err)
{
	uint64_t end_at;

	error_try(put_definitions(writer, trace, err));
	error_try(flush_segment(writer, trace->model.clock_is_down, err));
	end_at = writer->n_written;
	error_try(put_end(writer, trace, end, is_all, err));
	error_try(put_tail(writer, end_at, err));
	return file_name(writer, err);
}
