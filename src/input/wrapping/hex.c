/* SPDX-License-Identifier: MIT */
/*
 * Plain hexadecimal text: two digits per byte, as debuggers and `xxd -p` print memory; white space has no
 * meaning. It may also be a list as in a C array, with commas between bytes or words and perhaps "0x" before
 * each of them. Digits are taken in the order written. A byte order mark of UTF-8 in front is skipped.
 *
 * The text has no checksum. A character that is not a digit stands for a damaged digit: its byte is given as
 * 00, because all bytes after it must keep their place (dumps hold addresses of themselves).
 */
#include "input/wrapping/wrapping.h"

#include <string.h>

enum {
	HEX_DIGITS_MIN = 16, /* shorter runs are more likely a word or a number than a dump */
	HEX_PREFIX = 2,	     /* characters of "0x" */
};

static const uint8_t hex_mark[] = { 0xef, 0xbb, 0xbf };

/* A token is the text between white space and commas. */
struct hex_state {
	uint8_t high;
	bool has_high;
	bool is_bad;	    /* this byte has a character that is not a digit */
	bool is_line_noted; /* one fault per line is enough */
	bool has_prefixes;  /* the first token began with 0x, so all tokens should */
	bool has_token;	    /* the first token has ended */
	size_t n_token;	    /* characters of the token so far */
	uint8_t line_end;   /* the last line end seen, to count CR LF once */
	uint64_t n_lines;   /* line ends so far */
	uint64_t line_offset;
};

/* The result of a look at the front. */
struct hex_look {
	size_t n_digits;
	bool has_prefixed, has_plain;
	bool has_comma;
	bool has_odd;	/* a plain token is not a run of whole bytes */
	bool is_listed; /* a token stands before the next comma */
};

static bool hex_is_separator(uint8_t c)
{
	return c == ',' || wrapping_is_blank(c);
}

/* Returns the length of the token, which the end may cut, or 0 if it is not a token of hexadecimal text. */
static size_t hex_look_at(struct hex_look *look, const uint8_t *bytes, size_t n_bytes)
{
	const bool is_prefixed = n_bytes >= HEX_PREFIX && bytes[0] == '0' && (bytes[1] | 0x20) == 'x';
	const size_t start = is_prefixed ? HEX_PREFIX : 0;
	size_t end = start;

	while (end < n_bytes && wrapping_digit(bytes[end]) >= 0)
		end++;
	const size_t n_digits = end - start;

	look->n_digits += n_digits;
	look->is_listed = true;
	if (end == n_bytes)
		return end;
	if (!hex_is_separator(bytes[end]) || !n_digits)
		return 0;
	look->has_prefixed |= is_prefixed;
	look->has_plain |= !is_prefixed;
	/* A single digit after 0x is a byte; three digits are a number. */
	if (is_prefixed && n_digits % 2 && n_digits > 1)
		return 0;
	look->has_odd |= !is_prefixed && n_digits % 2;
	return end;
}

static bool hex_look_at_comma(struct hex_look *look)
{
	const bool is_between = look->is_listed;

	look->has_comma = true;
	look->is_listed = false;
	return is_between;
}

static size_t hex_mark_bytes(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes >= sizeof(hex_mark) && !memcmp(bytes, hex_mark, sizeof(hex_mark)) ? sizeof(hex_mark)
											 : 0;
}

static bool hex_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	struct hex_look look = { 0 };
	size_t at = hex_mark_bytes(bytes, n_bytes);

	(void)is_whole;
	while (at < n_bytes) {
		size_t n = 1;

		if (bytes[at] == ',')
			n = hex_look_at_comma(&look);
		else if (!wrapping_is_blank(bytes[at]))
			n = hex_look_at(&look, bytes + at, n_bytes - at);
		if (!n)
			return false;
		at += n;
	}
	if ((look.has_prefixed && look.has_plain) || (look.has_comma && look.has_odd))
		return false;
	return look.n_digits >= HEX_DIGITS_MIN;
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

static void hex_note_bad(struct hex_state *hex, struct wrapping_io *io, const char *what)
{
	hex->is_bad = true;
	if (hex->is_line_noted)
		return;
	hex->is_line_noted = true;
	wrapping_fault(io, io->offset, 1, "line %llu: column %llu %s; its byte is given as 00",
		(unsigned long long)hex->n_lines + 1, (unsigned long long)(io->offset - hex->line_offset) + 1,
		what);
}

static void hex_give(struct hex_state *hex, struct wrapping_io *io, unsigned value)
{
	*io->out = (uint8_t)(hex->is_bad ? 0 : value);
	hex->is_bad = false;
	hex->has_high = false;
	wrapping_make(io, 1);
}

static void hex_take_digit(struct hex_state *hex, struct wrapping_io *io)
{
	const int digit = wrapping_digit(*io->in);

	if (digit < 0)
		hex_note_bad(hex, io, "is no hexadecimal digit");
	if (hex->has_high) {
		hex_give(hex, io, (unsigned)hex->high << 4 | (unsigned)digit);
		return;
	}
	hex->high = (uint8_t)digit;
	hex->has_high = true;
}

static void hex_take(struct hex_state *hex, struct wrapping_io *io)
{
	const uint8_t c = *io->in;
	const bool is_x = (c | 0x20) == 'x';

	hex->n_token++;
	if (is_x && !hex->has_token && hex->n_token == HEX_PREFIX && !hex->high && !hex->is_bad) {
		hex->has_prefixes = true;
		hex->has_high = false;
		return;
	}
	if (!hex->has_prefixes || hex->n_token > HEX_PREFIX)
		hex_take_digit(hex, io);
	else if (hex->n_token < HEX_PREFIX ? c != '0' : !is_x)
		hex_note_bad(hex, io, "is where 0x should be");
}

/* Ends the token at a separator. Makes one byte at most, as all functions here do. */
static void hex_end_token(struct hex_state *hex, struct wrapping_io *io)
{
	const size_t n_token = hex->n_token;
	const bool is_byte = hex->has_prefixes && n_token == HEX_PREFIX + 1; /* 0x0 */
	const bool is_short = hex->has_prefixes && n_token && n_token <= HEX_PREFIX;

	hex->has_token |= n_token > 0;
	hex->n_token = 0;
	/* Without commas and prefixes, a byte may go on after white space. */
	if (!is_short && !(hex->has_high && (hex->has_prefixes || *io->in == ',')))
		return;
	if (!is_byte)
		hex_note_bad(hex, io, "comes a digit too early");
	hex_give(hex, io, hex->high);
}

static void hex_finish(const struct hex_state *hex, struct wrapping_io *io)
{
	if (hex->has_high || (hex->has_prefixes && hex->n_token && hex->n_token <= HEX_PREFIX))
		wrapping_fault(io, io->offset, 0,
			"the last byte has one digit only and is left out; text is cut here");
}

static enum rst_status hex_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct hex_state *hex = state;

	(void)err;
	while (io->n_in && io->n_out) {
		if (io->offset < sizeof(hex_mark) && *io->in == hex_mark[io->offset])
			hex->line_offset = io->offset + 1;
		else if (hex_is_separator(*io->in))
			hex_end_token(hex, io);
		else
			hex_take(hex, io);
		if (wrapping_is_line_end(*io->in))
			hex_end_line(hex, io);
		wrapping_use(io, 1);
	}
	if (io->n_in || !io->is_last)
		return RST_OK;
	hex_finish(hex, io);
	return RST_END;
}

const struct wrapping wrapping_hex = {
	.name = "ASCII hex",
	.probe = hex_probe,
	.state_size = sizeof(struct hex_state),
	.decode = hex_decode,
};
