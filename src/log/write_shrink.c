/* SPDX-License-Identifier: MIT */
/*
 * The end of a LOOP log that was never full: its descriptions go down behind the cells that have something, and the file is as
 * long as what is in it. They and the end have to fit into one cell. So a reader of the file while it is done, or after
 * the writer was killed in the midst of it, finds them once more, as blocks of a cell, and no damage.
 */
#include "log/write_parts.h"

enum { END_BYTES = BLOCK_HEAD_BYTES + sizeof(struct log_end), PIECE_BYTES = 4096 };

static uint64_t cells_bytes_kept(const struct log_writer *writer)
{
	return (writer->n_cells_used ? writer->n_cells_used : 1) * writer->cell_bytes;
}

static bool may_move(const struct log_writer *writer)
{
	const uint64_t n = writer->end - HEADER_BYTES - writer->area_bytes;

	return writer->area_bytes && !writer->has_no_room && !writer->n_cells_given &&
	       cells_bytes_kept(writer) < writer->area_bytes &&
	       n + END_BYTES + CELL_END_BYTES <= writer->cell_bytes;
}

static bool copy(struct log_writer *writer, uint64_t from, uint64_t to, uint64_t n)
{
	for (uint64_t done = 0, part; done < n; done += part) {
		part = n - done < PIECE_BYTES ? n - done : PIECE_BYTES;
		if (!log_file_get(writer, writer->scratch, part, from + done) ||
			log_file_put(writer, writer->scratch, part, to + done))
			return false;
	}
	return true;
}

bool log_area_move(struct log_writer *writer, struct log_moved *ret_moved)
{
	const uint64_t from = HEADER_BYTES + writer->area_bytes;
	const uint64_t to = HEADER_BYTES + cells_bytes_kept(writer), n = writer->end - from;

	*ret_moved = (struct log_moved){
		.to = to, .end = writer->end, .mark = writer->mark, .last_mark = writer->last_mark
	};
	if (!may_move(writer))
		return false;
	writer->end = to + n;
	if (copy(writer, from, to, n))
		return true;
	log_area_move_back(writer, ret_moved);
	writer->error = 0;
	return false;
}

void log_area_move_back(struct log_writer *writer, const struct log_moved *moved)
{
	const int error = writer->error;

	writer->error = 0;
	log_file_clear(writer, moved->to, writer->cell_bytes);
	writer->error = error;
	writer->end = moved->end;
	writer->mark = moved->mark;
	writer->last_mark = moved->last_mark;
}

int log_area_shrink(struct log_writer *writer, const struct log_moved *moved)
{
	struct log_header header;

	if (log_file_cut(writer, writer->end))
		return writer->error;
	if (!log_file_get(writer, &header, sizeof(header), 0))
		return 0;
	header.area_bytes = writer->area_bytes = moved->to - HEADER_BYTES;
	header.crc = writer->crc(0, &header, HEADER_CHECKED_BYTES);
	return log_file_put(writer, &header, sizeof(header), 0);
}
