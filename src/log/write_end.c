/* SPDX-License-Identifier: MIT */
/*
 * Writes the end of a log, also if there is no room for it: then the last blocks give way to it or, in an
 * area, the oldest cell. In a file without an area, the writer remembers two blocks of events for that. The
 * bytes from the earlier one on are always enough for the end, once so many were written, and they are no
 * more than that and one block.
 */
#include "log/write_parts.h"

#include <errno.h>

/* The blocks at the end: a STOP alone in its block, a loss, a clock pair, the end. */
enum {
	LAST_BYTES = EVENTS_HEAD_BYTES + LOG_PACKED_HEAD_MAX + 8 + 3 * BLOCK_HEAD_BYTES +
		     sizeof(struct log_loss) + sizeof(struct log_clock_pair) + sizeof(struct log_end),
};

bool log_lacks_room(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

void log_mark_cell(struct log_writer *writer)
{
	if (writer->end - writer->last_mark.offset < LAST_BYTES)
		return;
	writer->mark = writer->last_mark;
	writer->last_mark = (struct log_mark){ .offset = writer->end,
		.sequence = writer->sequence,
		.n_events = writer->n_events - writer->head.n_events,
		.n_lost = writer->n_lost };
}

/* Returns the length of the event at this place in the buffer, and makes it the last one. */
static size_t pass_event(struct log_writer *writer, size_t at)
{
	struct log_event event;
	size_t n;

	if (writer->is_plain) {
		memcpy(&event, writer->buffer + at, sizeof(event));
		n = (size_t)log_event_bytes(event.length);
	} else {
		n = log_unpack(&writer->tables, writer->buffer + at, writer->used - at, &event);
	}
	writer->head.last_ticks = event.ticks;
	return n;
}

/* Keeps the first n_kept of the events that wait to be written. Returns how many are dropped. */
static uint64_t drop_waiting(struct log_writer *writer, uint32_t n_kept)
{
	const uint32_t n_dropped = writer->head.n_events - n_kept;
	size_t used = writer->block + EVENTS_HEAD_BYTES;

	log_tables_begin(&writer->tables, writer->head.first_ticks);
	for (uint32_t i = 0; i < n_kept; i++)
		used += pass_event(writer, used);
	writer->used = used;
	writer->head.n_events = n_kept;
	writer->n_events -= n_dropped;
	return n_dropped;
}

static struct log_mark mark_for_end(const struct log_writer *writer)
{
	const bool is_enough = !writer->mark.offset || writer->end - writer->last_mark.offset >= LAST_BYTES;

	return is_enough ? writer->last_mark : writer->mark;
}

/* The bytes remain in the file until others overwrite them, so that no other file gets their room. */
static bool go_back(struct log_writer *writer, struct log_given *ret_given)
{
	const struct log_mark mark = mark_for_end(writer);

	if (!mark.offset || (writer->appends && !log_file_take_back(writer, mark.offset)))
		return false;
	*ret_given = (struct log_given){ .n_events = writer->n_events - mark.n_events,
		.n_lost = writer->n_lost - mark.n_lost };
	log_events_drop(writer);
	writer->end = mark.offset;
	writer->sequence = mark.sequence;
	writer->n_events = mark.n_events;
	writer->n_lost = mark.n_lost;
	writer->mark = writer->last_mark = (struct log_mark){ 0 };
	return true;
}

/*
 * First gives half of the events that found no room, then half of the rest, and so on, because the rest may
 * find room; then the blocks that were written before. A STOP that joins the waiting events counts as one of
 * them.
 */
static bool give_last(struct log_writer *writer, struct log_given *ret_given)
{
	uint32_t n_waiting = writer->head.n_events;

	if (writer->has_no_room && writer->n_may_wait == 0)
		return go_back(writer, ret_given);
	if (writer->has_no_room && writer->n_may_wait < n_waiting)
		n_waiting = writer->n_may_wait;
	writer->has_no_room = writer->is_full = true;
	writer->table.block = NULL;
	writer->n_may_wait = n_waiting / 2;
	*ret_given = (struct log_given){ .n_events = drop_waiting(writer, writer->n_may_wait) };
	return true;
}

/* The number of the first cell in use, in the numbering of n_cells_used. */
static uint64_t cell_oldest(const struct log_writer *writer, uint64_t n_cells)
{
	const uint64_t first = writer->n_cells_used > n_cells ? writer->n_cells_used - n_cells : 0;

	return first > writer->n_cells_given ? first : writer->n_cells_given;
}

/*
 * Gives the oldest cell back to the disk. The disk takes only whole pages, and a cell begins within one: so
 * the cell is given together with those before it that were given already and not begun anew.
 */
static bool cell_give(struct log_writer *writer)
{
	const uint64_t n_cells = writer->area_bytes / writer->cell_bytes;
	const uint64_t oldest = cell_oldest(writer, n_cells), cell = oldest % n_cells;
	const uint64_t n_begun_anew = writer->n_cells_used > n_cells ? writer->n_cells_used - n_cells : 0;
	const uint64_t n_given = oldest - n_begun_anew, n_joined = n_given < cell ? n_given : cell;

	if (writer->error == EFBIG || oldest + 1 >= writer->n_cells_used ||
		!log_file_punch(writer, HEADER_BYTES + (cell - n_joined) * writer->cell_bytes,
			(1 + n_joined) * writer->cell_bytes))
		return false;
	writer->n_overwritten += writer->cell_events[cell];
	writer->cell_events[cell] = 0;
	writer->n_cells_given = oldest + 1;
	return true;
}

/*
 * Used if holes do not help, for example against a limit of the file's size. The bytes behind the end are cut
 * off when it is written.
 */
static bool give_descriptions(struct log_writer *writer)
{
	const struct log_mark mark = mark_for_end(writer);

	if (writer->has_no_room || !mark.offset)
		return false;
	writer->has_no_room = true;
	writer->end = mark.offset;
	writer->n_behind = (size_t)(mark.offset - HEADER_BYTES - writer->area_bytes);
	return true;
}

static bool give_of_area(struct log_writer *writer)
{
	return cell_give(writer) || give_descriptions(writer);
}

bool log_give_way(struct log_writer *writer, struct log_given *ret_given)
{
	*ret_given = (struct log_given){ 0 };
	if ((!writer->seekable && !writer->appends) || !log_lacks_room(writer->error))
		return false;
	if (writer->area_bytes ? !give_of_area(writer) : !give_last(writer, ret_given))
		return false;
	writer->error = 0;
	return true;
}

/*
 * Writes the end with the spans. If there is no room for the spans, they are left out before anything else
 * gives way.
 */
static int put_end(struct log_writer *writer, const struct log_end *end)
{
	unsigned char *block = writer->table.block;
	const uint32_t length = log_spans_end(&writer->table, end);

	if (!length)
		return log_parts_put(writer, LOG_END, end, sizeof(*end), NULL, 0);
	log_block_seal(writer, block, LOG_END, length, writer->sequence);
	if (!log_block_put(writer, block) || (!writer->seekable && !writer->appends) ||
		!log_lacks_room(writer->error))
		return writer->error;
	writer->table.block = NULL;
	writer->error = 0;
	return log_parts_put(writer, LOG_END, end, sizeof(*end), NULL, 0);
}

int log_finish(struct log_writer *writer, const struct log_end *end)
{
	struct log_end body = *end;
	struct log_moved moved;
	bool is_moved;

	if (log_events_write(writer))
		return writer->error;
	body.n_events = writer->n_events;
	body.n_overwritten = writer->n_overwritten;
	is_moved = log_area_move(writer, &moved);
	if (put_end(writer, &body)) {
		if (is_moved)
			log_area_move_back(writer, &moved);
		return writer->error;
	}
	if (is_moved ? log_area_shrink(writer, &moved) : log_file_cut(writer, writer->end))
		return writer->error;
	log_file_stand(writer, writer->end);
	return 0;
}
