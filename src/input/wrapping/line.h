/* SPDX-License-Identifier: MIT */
/* Lines of text, gathered from chunks of any size. LF, CR LF and CR end a line; so does the end of the input. */
#ifndef INPUT_WRAPPING_LINE_H
#define INPUT_WRAPPING_LINE_H

#include "input/wrapping/wrapping.h"

enum { LINE_BYTES_MAX = 2048 }; /* what is longer is no line of a dump */

/* Where a line stands. */
struct line_place {
	uint64_t number; /* from 1 */
	uint64_t offset; /* of its first byte, in the wrapped bytes */
};

struct line_reader {
	uint8_t bytes[LINE_BYTES_MAX];
	size_t n_bytes;
	struct line_place place;
	uint8_t end;	  /* the last line end seen, to count CR LF once */
	bool is_too_long; /* the line does not fit; its beginning is there */
	bool is_ended;	  /* by a line end, not by the end of the input */
};

/*
 * Copies up to the end of the line. Returns false if it goes on behind the input, which is used up. A zeroed
 * reader is one that has read nothing.
 */
bool line_gather(struct line_reader *reader, struct wrapping_io *io);

/* After the line has been used: takes its end, and the next one begins. */
void line_next(struct line_reader *reader, struct wrapping_io *io);

/* Takes blanks off both ends. */
void line_trim(const uint8_t **bytes, size_t *n_bytes);

/*
 * The next line of some text, without blanks around it and without its end; *at moves behind it. *ret_is_ended: a line end
 * follows it. false: *at is end.
 */
bool line_split(const uint8_t **at, const uint8_t *end, const uint8_t **ret_line, size_t *ret_n_line,
	bool *ret_is_ended);

#endif
