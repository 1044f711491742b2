/* SPDX-License-Identifier: MIT */
#include "container/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outbuf.h"
#include "container/write_parts.h"
#include "log/crc32c.h"
#include "trace/trace_parts.h"

/* --- the file ------------------------------------------------------------------------------------------- */

static enum rst_status fail_io(
	const struct store_writer *writer, const char *what, int error, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "%s: %s", what, strerror(error));
	error_name(err, writer->name);
	return RST_E_IO;
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

	if ((kind == STORE_SEGMENT || kind == STORE_DEFINITIONS || kind == STORE_CARRIED) &&
		!directory_add_block(&writer->directory, kind == STORE_SEGMENT, payload->n, block.crc))
		return error_nomem(err);
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
	head[STORE_FLAGS_AT] = writer->segment.source.bytes ? STORE_IS_INDEX : 0;
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

static enum rst_status open_to(struct store_writer **ret, int fd, const char *name,
	const struct segment_source *source, const struct model *model, const struct store_manner *manner,
	struct rst_error *err)
{
	struct store_writer *writer = calloc(1, sizeof(*writer));
	enum rst_status status;

	if (!writer)
		return error_nomem(err);
	writer->definitions.model = (struct model *)(uintptr_t)model;
	writer->definitions.manner = *manner;
	writer->name = name;
	writer->has_out = segment_reserve(&writer->segment, STORE_ROWS) && outbuf_init(&writer->out, fd);
	writer->segment.source = *source;
	status = writer->has_out ? put_head(writer, err) : error_nomem(err);
	if (status < 0)
		store_write_free(writer);
	else
		*ret = writer;
	return status;
}

static const struct segment_source no_source;

enum rst_status writer_open(struct store_writer **ret, int fd, const char *name, const struct model *model,
	const struct store_manner *manner, struct rst_error *err)
{
	return open_to(ret, fd, name, &no_source, model, manner, err);
}

static struct store_manner manner_of(const struct rst_trace *trace)
{
	return (struct store_manner){ trace->model.recorded_as ? trace->model.recorded_as
							       : trace->dialect->name,
		trace->batch.columns };
}

enum rst_status store_write_open(struct store_writer **ret, int fd, const char *name,
	const struct rst_trace *trace, struct rst_error *err)
{
	const struct store_manner manner = manner_of(trace);

	return writer_open(ret, fd, name, &trace->model, &manner, err);
}

enum rst_status store_write_open_index(struct store_writer **ret, int fd, const struct rst_trace *trace,
	const void *source, size_t n_source, struct rst_error *err)
{
	const struct store_manner manner = manner_of(trace);

	return open_to(ret, fd, "the index", &(struct segment_source){ source, n_source }, &trace->model,
		&manner, err);
}

void store_write_about(struct store_writer *writer, const void *about, size_t n_bytes)
{
	writer->about = (struct bytes){ .at = (uint8_t *)(uintptr_t)about, .n = n_bytes };
}

uint64_t store_write_bytes(const struct store_writer *writer)
{
	return writer->n_written;
}

struct store_writer *store_write_free(struct store_writer *writer)
{
	if (!writer)
		return NULL;
	if (writer->has_out)
		outbuf_done(&writer->out);
	definitions_done(&writer->definitions);
	segment_done(&writer->segment);
	directory_done(&writer->directory);
	carried_writer_done(&writer->carried);
	bytes_done(&writer->items);
	bytes_done(&writer->due);
	bytes_done(&writer->block);
	free(writer);
	return NULL;
}

/* --- definitions and rows ------------------------------------------------------------------------------- */

/*
 * New definitions go into the block in front of the segment, with the number of the row that may need them.
 */
enum rst_status writer_put_definitions(
	struct store_writer *writer, struct definitions *definitions, struct rst_error *err)
{
	writer->items.n = 0;
	if (!definitions_put(definitions, &writer->items))
		return error_nomem(err);
	if (writer->items.n == 0)
		return RST_OK;
	return bytes_put_number(&writer->due, writer->n_rows) &&
			       bytes_put_number(&writer->due, writer->items.n) &&
			       bytes_put(&writer->due, writer->items.at, writer->items.n)
		       ? RST_OK
		       : error_nomem(err);
}

/* Writes what is carried so far, in front of the segment whose rows it numbers. */
static enum rst_status put_carried(struct store_writer *writer, struct rst_error *err)
{
	if (!writer->is_part)
		return RST_OK;
	writer->block.n = 0;
	if (!carried_write(&writer->carried, &writer->block))
		return error_nomem(err);
	return writer->block.n ? put_block(writer, STORE_CARRIED, writer->first_row, &writer->block, err)
			       : RST_OK;
}

/*
 * Writes the segment, after the definitions that it needs. Readers of a growing file see only whole blocks.
 */
enum rst_status writer_flush(struct store_writer *writer, struct rst_error *err)
{
	if (writer->due.n)
		error_try(put_block(writer, STORE_DEFINITIONS, writer->first_row, &writer->due, err));
	writer->due.n = 0;
	if (!writer->segment.n_rows)
		return RST_OK;
	error_try(put_carried(writer, err));
	writer->block.n = 0;
	if (!directory_add_segment(&writer->directory, &writer->segment, writer->first_row))
		return error_nomem(err);
	if (!segment_write(&writer->segment, writer->definitions.model->clock_is_down, &writer->block))
		return error_nomem(err);
	error_try(put_block(writer, STORE_SEGMENT, writer->first_row, &writer->block, err));
	writer->first_row = writer->n_rows;
	return outbuf_flush(&writer->out) ? RST_OK
					  : fail_io(writer, "writing failed", writer->out.error, err);
}

/* Segments end between batches, so that the definitions of a batch stand in front of all its rows. */
bool writer_has_room(const struct store_writer *writer, size_t n_rows)
{
	return writer->segment.n_rows + n_rows <=
		       (writer->segment.source.bytes ? STORE_INDEX_ROWS : STORE_ROWS) &&
	       writer->segment.payloads.n < STORE_PAYLOAD_BYTES && writer->carried.n_items < CARRIED_ITEMS;
}

bool writer_add_row(struct store_writer *writer, const struct rst_batch *batch, size_t row)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (!segment_add(&writer->segment, batch, row))
		return false;
	writer->n_rows++;
	writer->n_gaps += gap && gap->marker != RST_RUN;
	writer->n_damages += gap && gap->marker == RST_DAMAGE;
	return true;
}

void store_write_disguise(struct store_writer *writer, struct disguise *disguise)
{
	writer->definitions.disguise = writer->carried.disguise = disguise;
	writer->segment.gap_source = "input";
}

/* Disguises the row that was added last, which still has the names and times of the trace. */
static bool disguise_row(struct store_writer *writer, const struct rst_batch *batch, size_t row)
{
	struct disguise *disguise = writer->definitions.disguise;
	struct segment *segment = &writer->segment;
	const size_t n = segment->n_rows - 1, n_payload = (size_t)segment->columns[SEGMENT_PAYLOAD][n];
	uint64_t *ticks = &segment->columns[SEGMENT_TICKS][n];

	*ticks = disguise_ticks(disguise, *ticks);
	if (disguise->hides_times)
		segment->columns[SEGMENT_STAMP][n] =
			writer->definitions.model->clock_is_down ? 0 - *ticks : *ticks;
	return n_payload == 0 || disguise_payload(disguise, batch->layout[row],
					 segment->payloads.at + segment->payloads.n - n_payload, n_payload);
}

/* Takes the facts of the first event in the form in which they are written. */
static void start_rows(struct store_writer *writer, const struct model *model)
{
	struct disguise *disguise = writer->definitions.disguise;

	if (disguise && model->has_first_ticks)
		disguise->first_ticks = model->first_ticks;
	directory_start(&writer->directory, model);
	if (disguise && writer->directory.has_first_ticks)
		writer->directory.first_ticks = disguise_ticks(disguise, model->first_ticks);
}

struct rst_carried *store_write_part(struct store_writer *writer)
{
	writer->is_part = true;
	writer->carried.model = writer->definitions.model;
	return &writer->part;
}

enum rst_status store_write_carried(
	struct store_writer *writer, const struct rst_carried *carried, struct rst_error *err)
{
	start_rows(writer, writer->definitions.model);
	return carried_add(&writer->carried, carried, writer->n_rows) ? RST_OK : error_nomem(err);
}

/* Numbers the rows that are taken as events of the whole recording. */
static bool number_rows(struct store_writer *writer, const struct rst_trace *trace,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	const struct rst_carried *carried = rst_trace_carried(trace);
	size_t next = 0;

	for (size_t row = 0; row < batch->n_events; row++) {
		const bool is_event = batch->type[row]->marker == RST_EVENT;
		const uint64_t number = carried ? carried->seqs[row] : writer->n_seen;

		writer->n_seen += is_event;
		if (next == n_rows || rows[next] != row)
			continue;
		next++;
		if (!carried_number_row(&writer->carried, number, is_event))
			return false;
	}
	return true;
}

enum rst_status store_write_rows(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows, struct rst_error *err)
{
	writer->definitions.manner.columns = trace->batch.columns;
	if (!writer_has_room(writer, n_rows))
		error_try(writer_flush(writer, err));
	start_rows(writer, &trace->model);
	if (writer->is_part && !number_rows(writer, trace, batch, rows, n_rows))
		return error_nomem(err);
	error_try(writer_put_definitions(writer, &writer->definitions, err));
	if (n_rows == batch->n_events && !writer->definitions.disguise) {
		if (!segment_add_batch(&writer->segment, batch, &writer->n_gaps, &writer->n_damages))
			return error_nomem(err);
		writer->n_rows += n_rows;
		return segment_end_batch(&writer->segment, n_rows) ? RST_OK : error_nomem(err);
	}
	for (size_t i = 0; i < n_rows; i++) {
		if (!writer_add_row(writer, batch, rows[i]))
			return error_nomem(err);
		if (writer->definitions.disguise && !disguise_row(writer, batch, rows[i]))
			return error_nomem(err);
	}
	return segment_end_batch(&writer->segment, n_rows) ? RST_OK : error_nomem(err);
}

/* --- the end -------------------------------------------------------------------------------------------- */

/* Puts all definitions again. */
static bool put_all(struct store_writer *writer)
{
	struct definitions all = { .model = writer->definitions.model,
		.manner = writer->definitions.manner,
		.disguise = writer->definitions.disguise };
	bool is_good;

	writer->items.n = 0;
	if (writer->definitions.numbering)
		return definitions_put_merged(&writer->definitions, &writer->items);
	is_good = definitions_put(&all, &writer->items);
	definitions_done(&all);
	return is_good;
}

static enum rst_status put_end(struct store_writer *writer, const struct rst_error *end, bool is_all,
	uint64_t directory_at, struct rst_error *err)
{
	const struct model *model = writer->definitions.model;
	struct store_end record = { .n_rows = writer->n_rows, .directory_at = directory_at };
	bool is_good;

	if (end && end->status < 0)
		record.failure = *end;
	if (writer->definitions.disguise && record.failure.source[0]) {
		record.failure.source[0] = '\0';
		error_name(&record.failure, "input");
	}
	if (is_all) {
		record.n_gaps = model->n_gaps_all - writer->n_gaps;
		record.n_damages = model->n_damages - writer->n_damages;
	}
	writer->block.n = 0;
	is_good = put_all(writer);
	record.definitions = writer->items.at;
	record.n_definitions = writer->items.n;
	if (!is_good || !store_end_write(&record, &writer->block))
		return error_nomem(err);
	return put_block(writer, STORE_END, writer->n_rows, &writer->block, err);
}

/* Puts the items that come out behind the last row, and says which part the store is. */
static enum rst_status put_part(struct store_writer *writer, struct rst_error *err)
{
	struct rst_carried part = writer->part;

	if (!writer->is_part)
		return RST_OK;
	error_try(put_carried(writer, err));
	if (writer->definitions.disguise) {
		part.from = disguise_ticks(writer->definitions.disguise, part.from);
		part.to = disguise_ticks(writer->definitions.disguise, part.to);
		part.recording = 0;
	}
	writer->block.n = 0;
	if (!part_write(&part, &writer->block))
		return error_nomem(err);
	return put_block(writer, STORE_PART, writer->n_rows, &writer->block, err);
}

static enum rst_status put_directory(struct store_writer *writer, struct rst_error *err)
{
	writer->directory.has_late_names = writer->definitions.has_late_names;
	writer->block.n = 0;
	if (!directory_write(&writer->directory, &writer->block))
		return error_nomem(err);
	return put_block(writer, STORE_DIRECTORY, writer->n_rows, &writer->block, err);
}

/*
 * The whole store is on disk before the caller gives it its name: a crash leaves either the old file or this
 * one.
 */
static enum rst_status put_through(struct store_writer *writer, struct rst_error *err)
{
	struct stat about;

	if (!outbuf_flush(&writer->out))
		return fail_io(writer, "writing failed", writer->out.error, err);
	if (writer->segment.source.bytes || fstat(writer->out.fd, &about) != 0 || !S_ISREG(about.st_mode))
		return RST_OK;
	return fsync(writer->out.fd) == 0 ? RST_OK : fail_io(writer, "writing failed", errno, err);
}

enum rst_status writer_finish(
	struct store_writer *writer, const struct rst_error *end, bool is_all, struct rst_error *err)
{
	uint64_t directory_at, end_at;

	error_try(writer_flush(writer, err));
	error_try(put_part(writer, err));
	if (writer->about.at)
		error_try(put_block(writer, STORE_SOURCE, writer->n_rows, &writer->about, err));
	directory_at = writer->n_written;
	error_try(put_directory(writer, err));
	end_at = writer->n_written;
	error_try(put_end(writer, end, is_all, directory_at, err));
	error_try(put_tail(writer, end_at, err));
	return put_through(writer, err);
}

enum rst_status store_write_finish(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_error *end, bool is_all, struct rst_error *err)
{
	writer->definitions.manner.columns = trace->batch.columns;
	error_try(writer_put_definitions(writer, &writer->definitions, err));
	return writer_finish(writer, end, is_all, err);
}
