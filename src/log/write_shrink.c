/* SPDX-License-Identifier: MIT */
/*
 * The end of a LOOP log that was never full: its descriptions move down behind the cells in use, and the file
 * becomes as short as its contents. A reader during the move, or after the writer was killed in the middle of
 * it, finds the descriptions a second time, as blocks of a cell. If they are more than a cell holds, it also
 * finds damage there. If only the first cell is in use, the cell becomes as short as its contents, and the
 * descriptions go into the rest of it, where no reader looks yet.
 */
#include "log/write_parts.h"

enum { END_BYTES = BLOCK_HEAD_BYTES + sizeof(struct log_end) };

static uint64_t first_cell_bytes(const struct log_writer *writer)
{
	const uint64_t end = writer->head.n_events ? log_padded(writer->used) : writer->block;
	const uint64_t n = writer->in_cell ? end + CELL_END_BYTES : 0;

	return n > CELL_BYTES_USUAL ? n : CELL_BYTES_USUAL;
}

static struct log_area area_kept(const struct log_writer *writer)
{
	const uint64_t n_cells = writer->n_cells_used ? writer->n_cells_used : 1;
	const uint64_t first = first_cell_bytes(writer);

	if (n_cells == 1 && first + writer->n_behind + END_BYTES <= writer->cell_bytes)
		return (struct log_area){ .bytes = first, .cell_bytes = first };
	return (struct log_area){ .bytes = n_cells * writer->cell_bytes, .cell_bytes = writer->cell_bytes };
}

void log_area_keep(struct log_writer *writer, const unsigned char *block, size_t n)
{
	if (!writer->area_bytes)
		return;
	if (writer->n_behind + n <= BEHIND_BYTES_MAX)
		memcpy(writer->behind + writer->n_behind, block, n);
	writer->n_behind += n;
}

static bool may_move(const struct log_writer *writer, const struct log_area *kept)
{
	return writer->area_bytes && !writer->has_no_room && !writer->n_cells_given &&
	       writer->n_behind <= BEHIND_BYTES_MAX &&
	       kept->bytes + writer->n_behind + END_BYTES <= writer->area_bytes;
}

bool log_area_move(struct log_writer *writer, struct log_moved *ret_moved)
{
	const struct log_area kept = area_kept(writer);

	*ret_moved = (struct log_moved){ .area = kept,
		.end = writer->end,
		.n_behind = writer->n_behind,
		.mark = writer->mark,
		.last_mark = writer->last_mark };
	if (!may_move(writer, &kept))
		return false;
	writer->end = HEADER_BYTES + kept.bytes + writer->n_behind;
	if (!log_file_put(writer, writer->behind, writer->n_behind, HEADER_BYTES + kept.bytes))
		return true;
	log_area_move_back(writer, ret_moved);
	writer->error = 0;
	return false;
}

void log_area_move_back(struct log_writer *writer, const struct log_moved *moved)
{
	const int error = writer->error;

	writer->error = 0;
	log_file_clear(writer, HEADER_BYTES + moved->area.bytes, moved->n_behind + END_BYTES);
	writer->error = error;
	writer->end = moved->end;
	writer->n_behind = moved->n_behind;
	writer->mark = moved->mark;
	writer->last_mark = moved->last_mark;
}

int log_area_shrink(struct log_writer *writer, const struct log_moved *moved)
{
	struct log_header header;

	memcpy(&header, writer->head_copy, sizeof(header));
	header.area_bytes = writer->area_bytes = moved->area.bytes;
	header.cell_bytes = writer->cell_bytes = moved->area.cell_bytes;
	header.crc = writer->crc(0, &header, HEADER_CHECKED_BYTES);
	if (log_file_put(writer, &header, sizeof(header), 0))
		return writer->error;
	return log_file_cut(writer, writer->end);
}
