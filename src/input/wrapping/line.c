/* SPDX-License-Identifier: MIT */
#include "input/wrapping/line.h"

#include <string.h>

bool line_gather(struct line_reader *reader, struct wrapping_io *io)
{
	const size_t room = sizeof(reader->bytes) - reader->n_bytes;
	size_t n = 0;

	if (!reader->place.number) {
		reader->place.number = 1;
		reader->place.offset = io->offset;
	}
	while (n < io->n_in && !wrapping_is_line_end(io->in[n]))
		n++;
	const size_t n_copied = n < room ? n : room;

	if (n_copied)
		memcpy(reader->bytes + reader->n_bytes, io->in, n_copied);
	reader->n_bytes += n_copied;
	reader->is_too_long |= n_copied < n;
	wrapping_use(io, n);
	reader->is_ended = io->n_in > 0;
	return reader->is_ended;
}

void line_next(struct line_reader *reader, struct wrapping_io *io)
{
	reader->n_bytes = 0;
	reader->is_too_long = false;
	if (io->n_in) {
		const bool is_second =
			*io->in == '\n' && reader->end == '\r' && reader->place.offset == io->offset;

		reader->place.number += !is_second;
		reader->end = *io->in;
		wrapping_use(io, 1);
	}
	reader->place.offset = io->offset;
}

void line_trim(const uint8_t **bytes, size_t *n_bytes)
{
	while (*n_bytes && wrapping_is_blank((*bytes)[*n_bytes - 1]))
		--*n_bytes;
	while (*n_bytes && wrapping_is_blank(**bytes)) {
		++*bytes;
		--*n_bytes;
	}
}

bool line_split(const uint8_t **at, const uint8_t *end, const uint8_t **ret_line, size_t *ret_n_line,
	bool *ret_is_ended)
{
	if (*at == end)
		return false;
	*ret_line = *at;
	while (*at < end && !wrapping_is_line_end(**at))
		++*at;
	*ret_n_line = (size_t)(*at - *ret_line);
	*ret_is_ended = *at < end;
	*at += *ret_is_ended;
	line_trim(ret_line, ret_n_line);
	return true;
}
