/* SPDX-License-Identifier: MIT */
/*
 * Lines of text, gathered from chunks of any size. LF, CR LF and CR end a line; so does the end of the input.
 */
#ifndef INPUT_WRAPPING_LINE_H
#define INPUT_WRAPPING_LINE_H

#include "input/wrapping/wrapping.h"

enum { LINE_BYTES_MAX = 2048 }; /* no line of a dump is longer */

/* The place of a line. */
struct line_place {
	uint64_t number; /* from 1 */
	uint64_t offset; /* of its first byte, in the wrapped bytes */
};

struct line_reader {
	uint8_t bytes[LINE_BYTES_MAX];
	size_t n_bytes;
	struct line_place place;
	uint8_t end;	  /* the last line end seen, to count CR LF once */
	bool is_too_long; /* the line does not fit; bytes holds its beginning */
	bool is_ended;	  /* a line end ended the line, not the end of the input */
};

/*
 * Copies up to the end of the line. Returns false if the line goes on behind the input, which is then used
 * up. A zeroed reader has read nothing yet.
 */
bool line_gather(struct line_reader *reader, struct wrapping_io *io);

/* After the caller has used the line, skips its end and begins the next one. */
void line_next(struct line_reader *reader, struct wrapping_io *io);

/* Takes blanks off both ends. */
void line_trim(const uint8_t **bytes, size_t *n_bytes);

/*
 * Finds the next line of some text, without its end and the blanks around it, and moves *at behind it.
 * *ret_is_ended: a line end follows the line. Returns false if *at is end.
 */
bool line_split(const uint8_t **at, const uint8_t *end, const uint8_t **ret_line, size_t *ret_n_line,
	bool *ret_is_ended);

#endif
