/* SPDX-License-Identifier: MIT */
/*
 * Blocks of events. Outside an area, the buffer holds one block, which is written when it is full or a flush
 * is requested; then another one begins.
 *
 * In an area, the buffer is the image of a cell, a chain of blocks. A block that was written before its cell
 * was full grows there: first the new events are written behind it, where no reader looks yet, then its head,
 * which makes them valid. If the head lies within one sector, a crash leaves the old head or the new one, and
 * never destroys events that the file had. If the head crosses sectors, a new block begins instead.
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
	writer->cell_count = &writer->cell_events[cell];
	*writer->cell_count = 0;
	writer->n_cells_used++;
	writer->in_cell = true;
	writer->block = 0;
	begin_block(writer);
}

/* The offset of the buffer's cell. */
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
	writer->block = (size_t)log_padded(writer->used);
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

	if (!writer->is_plain) {
		writer->head.core = writer->tables.core;
		writer->head.flags = LOG_EVENTS_HAS_CORE |
				     (writer->tables.has_several_cores ? LOG_EVENTS_SEVERAL_CORES : 0);
	}
	memcpy(block + BLOCK_HEAD_BYTES, &writer->head, sizeof(writer->head));
	log_block_seal(writer, block, LOG_EVENTS, (uint32_t)(writer->used - writer->block - BLOCK_HEAD_BYTES),
		sequence);
}

/* Adds the zeros that end the block and those that end its cell. Returns where they end. */
static size_t end_cell(struct log_writer *writer)
{
	const size_t end = (size_t)log_padded(writer->used) + CELL_END_BYTES;

	memset(writer->buffer + writer->used, 0, end - writer->used);
	return end;
}

static int cell_grow(struct log_writer *writer)
{
	const uint64_t cell = cell_offset(writer);
	const size_t written = writer->written, end = end_cell(writer);

	seal_events(writer, writer->block_sequence);
	if (log_file_put(writer, writer->buffer + written, end - written, cell + written) ||
		log_file_put(writer, writer->buffer + writer->block, EVENTS_HEAD_BYTES, cell + writer->block))
		return writer->error;
	writer->written = writer->used;
	return 0;
}

static int cell_write(struct log_writer *writer)
{
	const size_t end = end_cell(writer);

	seal_events(writer, writer->sequence);
	if (log_file_put(writer, writer->buffer + writer->block, end - writer->block,
		    cell_offset(writer) + writer->block))
		return writer->error;
	writer->written = writer->used;
	writer->block_sequence = writer->sequence++;
	if (!may_grow(writer))
		log_events_close(writer);
	return 0;
}

static uint64_t write_events_block_bytes(const unsigned char *block)
{
	struct log_block head;

	memcpy(&head, block, sizeof(head));
	return BLOCK_HEAD_BYTES + log_padded(head.length);
}

static int write_behind(struct log_writer *writer)
{
	const uint64_t offset = writer->end;
	const unsigned char *block;

	log_mark_cell(writer);
	seal_events(writer, writer->sequence);
	block = log_block_zip(writer, writer->buffer);
	if (log_block_put(writer, block))
		return writer->error;
	writer->event_bytes += write_events_block_bytes(block);
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

	if (n > writer->room || !writer->area_bytes || log_events_write(writer))
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

/* Writes the event as it is in memory. */
static size_t put_plain(unsigned char *to, const struct log_event *event, const void *data)
{
	const size_t n = (size_t)log_event_bytes(event->length);

	memset(to + n - 8, 0, 8);
	memcpy(to, event, sizeof(*event));
	if (event->length)
		memcpy(to + sizeof(*event), data, event->length);
	return n;
}

static void add_event(struct log_writer *writer, const struct log_event *event, const void *data)
{
	unsigned char *to = writer->buffer + writer->used;

	if (!writer->head.n_events++) {
		writer->head.first_ticks = event->ticks;
		log_tables_begin(&writer->tables, event->ticks);
	}
	writer->head.last_ticks = event->ticks;
	writer->used +=
		writer->is_plain ? put_plain(to, event, data) : log_pack(&writer->tables, to, event, data);
	writer->n_events++;
	if (writer->area_bytes)
		++*writer->cell_count;
}

/* The most room that the event needs in a block. */
static uint64_t room_of(const struct log_writer *writer, const struct log_event *event)
{
	return writer->is_plain ? log_event_bytes(event->length) : log_event_room(event->length);
}

int log_event_beyond(struct log_writer *writer, const struct log_event *event, const void *data)
{
	const uint64_t n = log_event_room(event->length);

	if (writer->error)
		return writer->error;
	if (EVENTS_HEAD_BYTES + n > writer->room || (writer->loops && !writer->area_bytes)) {
		writer->n_too_long += writer->loops;
		return EMSGSIZE;
	}
	if (make_room(writer, n))
		return writer->error;
	add_event(writer, event, data);
	return 0;
}

/* The length that the block in the buffer may have within the limit of UNTIL_FULL. */
static uint64_t limit_left(const struct log_writer *writer)
{
	const uint64_t limit = writer->limit & ~7ull; /* blocks are padded to 8 */

	if (!writer->until_full)
		return UINT64_MAX;
	return limit > writer->event_bytes ? limit - writer->event_bytes : 0;
}

/*
 * Whether the limit leaves room for the event. If blocks are compressed, writing the block makes more room.
 */
static bool has_limit_for(struct log_writer *writer, const struct log_event *event)
{
	const uint64_t n = room_of(writer, event);
	const bool begins = writer->used + log_event_room(event->length) > writer->room;
	const uint64_t used = begins ? log_padded(writer->used) + EVENTS_HEAD_BYTES : writer->used;

	if (used + n <= limit_left(writer))
		return true;
	if (!writer->zstd || log_events_write(writer))
		return writer->error;
	return writer->used + n <= limit_left(writer);
}

int log_event(struct log_writer *writer, const struct log_event *event, const void *data)
{
	/* Once full, a log stays full: a shorter event behind one that is left out would hide a gap. */
	if (!writer->error && !writer->is_full && !has_limit_for(writer, event))
		writer->is_full = true;
	return writer->is_full ? writer->error : log_event_beyond(writer, event, data);
}

/* Packs events into the current block, as long as the block and the limit have room. */
static void add_some(struct log_writer *writer, struct log_run *run)
{
	const uint64_t limit = limit_left(writer);
	const size_t room = limit < writer->room ? (size_t)limit : writer->room; /* both are multiples of 8 */
	const uint32_t n_events = run->n_events;
	uint32_t n;

	if (writer->used >= room)
		return;
	/* the whole room is a multiple of 8, so the zeros behind a body fit */
	writer->used +=
		log_pack_run(&writer->tables, run, writer->buffer + writer->used, room - writer->used);
	n = n_events - run->n_events;
	writer->head.last_ticks = writer->tables.ticks;
	writer->head.n_events += n;
	writer->n_events += n;
	if (writer->area_bytes)
		*writer->cell_count += n;
}

int log_event_run(struct log_writer *writer, struct log_run *run)
{
	struct log_event event;
	int error = 0;

	while (error == 0) {
		if (!writer->is_plain && writer->head.n_events && !writer->error && !writer->is_full)
			add_some(writer, run);
		if (!log_run_next(run, &event))
			break;
		error = log_event(writer, &event, run->events + sizeof(event));
		if (error || writer->is_full)
			break;
		log_run_pass(run, &event);
	}
	return error;
}
