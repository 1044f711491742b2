/* SPDX-License-Identifier: MIT */
/*
 * Blocks of events. Outside an area the buffer holds one block, which is written when it is full or a flush is requested, and
 * another begins.
 *
 * In an area the buffer is the image of a cell, a chain of blocks. A block that was written before its cell was full
 * grows there: first what is new is written behind it, where no reader looks yet, then its head, which makes it count. A head
 * that lies within one sector is there as a whole or not at all, so that a crash never takes what the file had; where
 * it does not lie so, a new block begins instead.
 */
#include "log/write_parts.h"

#include <errno.h>

enum { SECTOR_BYTES = 512 };

static void begin_block(struct log_writer *writer)
{
	writer->used = writer->block + EVENTS_HEAD_BYTES;
	writer->written = 0;
	writer->head = (struct log_events){ 0 };
}

static void cell_begin(struct log_writer *writer)
{
	const uint64_t n_cells = writer->area_bytes / writer->cell_bytes;
	const uint64_t cell = writer->n_cells_used % n_cells;

	if (writer->n_cells_used >= n_cells)
		writer->n_overwritten += writer->cell_events[cell];
	writer->cell_events[cell] = 0;
	writer->n_cells_used++;
	writer->in_cell = true;
	writer->block = 0;
	begin_block(writer);
}

/* Offset of the buffer's cell. */
static uint64_t cell_offset(const struct log_writer *writer)
{
	const uint64_t n_cells = writer->area_bytes / writer->cell_bytes;

	return HEADER_BYTES + (writer->n_cells_used - 1) % n_cells * writer->cell_bytes;
}

static void cell_leave(struct log_writer *writer)
{
	writer->in_cell = false;
	writer->block = 0;
	begin_block(writer);
}

void log_events_close(struct log_writer *writer)
{
	if (!writer->in_cell || !writer->written)
		return;
	writer->block = writer->used;
	begin_block(writer);
}

void log_events_drop(struct log_writer *writer)
{
	cell_leave(writer);
}

static bool may_grow(const struct log_writer *writer)
{
	const uint64_t at = writer->start + cell_offset(writer) + writer->block;

	return at % SECTOR_BYTES + EVENTS_HEAD_BYTES <= SECTOR_BYTES;
}

static void seal_events(struct log_writer *writer, uint64_t sequence)
{
	unsigned char *block = writer->buffer + writer->block;

	memcpy(block + BLOCK_HEAD_BYTES, &writer->head, sizeof(writer->head));
	log_block_seal(writer, block, LOG_EVENTS, (uint32_t)(writer->used - writer->block - BLOCK_HEAD_BYTES),
		sequence);
}

static int cell_grow(struct log_writer *writer)
{
	const uint64_t cell = cell_offset(writer);
	const size_t written = writer->written;

	seal_events(writer, writer->block_sequence);
	memset(writer->buffer + writer->used, 0, CELL_END_BYTES);
	if (log_file_put(writer, writer->buffer + written, writer->used + CELL_END_BYTES - written,
		    cell + written) ||
		log_file_put(writer, writer->buffer + writer->block, EVENTS_HEAD_BYTES, cell + writer->block))
		return writer->error;
	writer->written = writer->used;
	return 0;
}

static int cell_write(struct log_writer *writer)
{
	seal_events(writer, writer->sequence);
	memset(writer->buffer + writer->used, 0, CELL_END_BYTES);
	if (log_file_put(writer, writer->buffer + writer->block,
		    writer->used + CELL_END_BYTES - writer->block, cell_offset(writer) + writer->block))
		return writer->error;
	writer->written = writer->used;
	writer->block_sequence = writer->sequence++;
	if (!may_grow(writer))
		log_events_close(writer);
	return 0;
}

static int write_behind(struct log_writer *writer)
{
	const uint64_t offset = writer->end;

	log_mark_cell(writer);
	seal_events(writer, writer->sequence);
	if (log_block_put(writer, writer->buffer, (uint32_t)(writer->used - BLOCK_HEAD_BYTES)))
		return writer->error;
	if (!writer->first_events)
		writer->first_events = offset;
	begin_block(writer);
	return 0;
}

int log_events_write(struct log_writer *writer)
{
	if (writer->error || !writer->head.n_events || writer->written == writer->used)
		return writer->error;
	if (!writer->area_bytes)
		return write_behind(writer);
	return writer->written ? cell_grow(writer) : cell_write(writer);
}

int log_area_put(struct log_writer *writer, enum log_kind kind, const void *body, uint32_t length)
{
	const size_t n = BLOCK_HEAD_BYTES + (size_t)log_padded(length);
	unsigned char *block;

	if (log_events_write(writer))
		return writer->error;
	log_events_close(writer);
	if (!writer->in_cell || writer->block + n > writer->room)
		cell_begin(writer);
	block = writer->buffer + writer->block;
	memcpy(block + BLOCK_HEAD_BYTES, body, length);
	log_block_seal(writer, block, kind, length, writer->sequence);
	memset(block + n, 0, CELL_END_BYTES);
	if (log_file_put(writer, block, n + CELL_END_BYTES, cell_offset(writer) + writer->block))
		return writer->error;
	writer->sequence++;
	writer->block += n;
	begin_block(writer);
	return 0;
}

static int make_room(struct log_writer *writer, uint64_t n)
{
	if (writer->used + n > writer->room) {
		if (log_events_write(writer))
			return writer->error;
		cell_leave(writer);
	}
	if (writer->area_bytes && !writer->in_cell)
		cell_begin(writer);
	return 0;
}

static void add_event(struct log_writer *writer, const struct log_event *event, const void *data)
{
	unsigned char *at = writer->buffer + writer->used;
	const size_t n = (size_t)log_event_bytes(event->length);

	memset(at + n - 8, 0, 8);
	memcpy(at, event, sizeof(*event));
	if (event->length)
		memcpy(at + sizeof(*event), data, event->length);
	if (!writer->head.n_events++)
		writer->head.first_ticks = event->ticks;
	writer->head.last_ticks = event->ticks;
	writer->used += n;
	writer->event_bytes += n;
	writer->n_events++;
	if (writer->area_bytes)
		writer->cell_events[(writer->n_cells_used - 1) % (writer->area_bytes / writer->cell_bytes)]++;
}

int log_event_beyond(struct log_writer *writer, const struct log_event *event, const void *data)
{
	const uint64_t n = log_event_bytes(event->length);

	if (writer->error)
		return writer->error;
	if (EVENTS_HEAD_BYTES + n > writer->room)
		return EMSGSIZE;
	if (make_room(writer, n))
		return writer->error;
	add_event(writer, event, data);
	return 0;
}

int log_event(struct log_writer *writer, const struct log_event *event, const void *data)
{
	/* A log that is full once stays so: a shorter event behind one that is left out would hide a gap. */
	if (writer->until_full && writer->event_bytes + log_event_bytes(event->length) > writer->limit)
		writer->is_full = true;
	return writer->is_full ? writer->error : log_event_beyond(writer, event, data);
}
