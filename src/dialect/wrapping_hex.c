/* SPDX-License-Identifier: MIT */
/*
 * Plain hexadecimal text: two digits a byte, white space of no meaning, as debuggers and `xxd -p` print memory.
 *
 * There is no checksum. A character that is no digit stands for a damaged one: its byte is given as 00, because
 * everything behind it must keep its place (dumps hold addresses of themselves).
 */
#include "dialect/wrapping.h"

enum { HEX_DIGITS_MIN = 16 }; /* shorter runs are more likely a word or a number than a dump */

struct hex_state {
	uint8_t high;
	bool has_high;
	bool is_bad;	    /* a digit of this byte is none */
	bool is_line_noted; /* one fault a line is enough */
	uint8_t line_end;   /* the last line end seen, to count CR LF once */
	uint64_t n_lines;   /* line ends so far */
	uint64_t line_offset;
};

static bool hex_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	size_t n_digits = 0;

	(void)is_whole;
	for (size_t i = 0; i < n_bytes; i++) {
		if (wrapping_digit(bytes[i]) >= 0)
			n_digits++;
		else if (!wrapping_is_blank(bytes[i]))
			return false;
	}
	return n_digits >= HEX_DIGITS_MIN;
}

static void hex_end_line(struct hex_state *hex, const struct wrapping_io *io)
{
	const uint8_t c = *io->in;
	const bool is_second = c == '\n' && hex->line_end == '\r' && hex->line_offset == io->offset;

	hex->n_lines += !is_second;
	hex->line_end = c;
	hex->line_offset = io->offset + 1;
	hex->is_line_noted = false;
}

static void hex_note_bad(struct hex_state *hex, struct wrapping_io *io)
{
	hex->is_bad = true;
	if (hex->is_line_noted)
		return;
	hex->is_line_noted = true;
	wrapping_fault(io, io->offset, 1,
		"line %llu: column %llu is no hexadecimal digit; its byte is given as 00",
		(unsigned long long)hex->n_lines + 1,
		(unsigned long long)(io->offset - hex->line_offset) + 1);
}

static void hex_take_digit(struct hex_state *hex, struct wrapping_io *io)
{
	const int digit = wrapping_digit(*io->in);

	if (digit < 0)
		hex_note_bad(hex, io);
	hex->has_high = !hex->has_high;
	if (hex->has_high) {
		hex->high = (uint8_t)digit;
		return;
	}
	const unsigned value = (unsigned)hex->high << 4 | (unsigned)digit;

	*io->out = (uint8_t)(hex->is_bad ? 0 : value);
	hex->is_bad = false;
	wrapping_make(io, 1);
}

static enum rst_status hex_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct hex_state *hex = state;

	(void)err;
	while (io->n_in && io->n_out) {
		if (wrapping_is_line_end(*io->in))
			hex_end_line(hex, io);
		else if (!wrapping_is_blank(*io->in))
			hex_take_digit(hex, io);
		wrapping_use(io, 1);
	}
	if (io->n_in || !io->is_last)
		return RST_OK;
	if (hex->has_high)
		wrapping_fault(io, io->offset, 0,
			"the last byte has one digit only and is left out; text is cut here");
	return RST_END;
}

const struct wrapping wrapping_hex = {
	.name = "ASCII hex",
	.probe = hex_probe,
	.state_size = sizeof(struct hex_state),
	.decode = hex_decode,
};
