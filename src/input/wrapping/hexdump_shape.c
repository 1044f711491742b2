/* SPDX-License-Identifier: MIT */
/*
 * Finds the kind of a dump. Two rows show most of it. If their addresses differ by the number of bytes in the
 * first row, the number system of addresses is right, and the part behind that many bytes is text. The rest
 * of the front must confirm the result.
 */
#include <string.h>

#include "input/wrapping/hexdump.h"

enum {
	PREAMBLE_LINES = 40, /* the most before the first row, such as a debugger's greeting */
	TRIES_MAX = 16, /* pairs of lines that look like rows, but whose shape the front does not confirm */
	ALONE_BYTES_MIN = 8, /* of a row that is the only one */
	TEXT_BYTES = 256,    /* that are searched for bytes that no text has */
	ESCAPE = 0x1b,	     /* begins colours */
};

static const struct hexdump_kind hexdump_kinds[] = {
	{ .name = "gdb-style dump", .has_prefix = true, .mark = ':', .has_group_prefix = true },
	{ .name = "OpenOCD-style dump", .has_prefix = true, .mark = ':' },
	{ .name = "lldb-style dump", .has_prefix = true, .mark = ':', .text = HEXDUMP_PLAIN_TEXT },
	{ .name = "J-Link-style dump", .mark = '=' },
	{ .name = "J-Link-style dump", .mark = '=', .text = HEXDUMP_PLAIN_TEXT },
	{ .name = "xxd-style dump", .mark = ':', .is_written = true },
	{ .name = "xxd-style dump", .mark = ':', .text = HEXDUMP_PLAIN_TEXT, .is_written = true },
	{ .name = "hexdump-style dump", .mark = ':', .text = HEXDUMP_FRAMED_TEXT },
	{ .name = "hexdump-style dump", .text = HEXDUMP_FRAMED_TEXT, .has_end = true, .has_octal = true },
	{ .name = "od-style dump", .has_end = true, .has_octal = true },
};

/* Widths by the number of digits of a group that is a number. */
static const struct width {
	size_t n_digits, n_bytes;
	unsigned radix;
} widths[] = { { 2, 1, 16 }, { 4, 2, 16 }, { 8, 4, 16 }, { 16, 8, 16 }, { 3, 1, 8 }, { 6, 2, 8 },
	{ 11, 4, 8 }, { 22, 8, 8 } };

/* Returns the kind of text behind the groups of a row of n_row bytes, from column at on. */
static enum hexdump_text text_behind(const struct hexdump_line *line, size_t at, size_t n_row)
{
	enum { FRAME_CHARS = 2, GAP_CHARS = 1 }; /* these stand for no bytes; Zephyr prints the gap */
	struct hexdump_group text;

	if (!hexdump_next_group(line, &at, &text))
		return HEXDUMP_NO_TEXT;
	if (line->n_rest - text.start > n_row + FRAME_CHARS + GAP_CHARS)
		return HEXDUMP_OTHER_TEXT;
	return line->rest[text.start] == '|' || line->rest[text.start] == '>' ? HEXDUMP_FRAMED_TEXT
									      : HEXDUMP_PLAIN_TEXT;
}

static const struct hexdump_kind *find_kind(
	const struct hexdump_line *line, const struct hexdump_group *first, enum hexdump_text text)
{
	for (size_t i = 0; i < sizeof(hexdump_kinds) / sizeof(hexdump_kinds[0]); i++) {
		const struct hexdump_kind *kind = &hexdump_kinds[i];

		if (kind->has_prefix == line->has_prefix && kind->mark == line->mark && kind->text == text &&
			kind->has_group_prefix == first->has_prefix)
			return kind;
	}
	return NULL;
}

/* Finds the bytes of a group by the width of the first one. */
static bool find_width(struct hexdump_shape *shape, const struct hexdump_group *first)
{
	shape->n_group_digits = first->n_digits;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		shape->n_group = widths[i].n_bytes;
		shape->group_radix = widths[i].radix;
		if (widths[i].n_digits == first->n_digits)
			return true;
	}
	/* Any number of bytes that xxd -g takes. */
	shape->group_radix = 16;
	shape->n_group = first->n_digits / 2;
	return first->n_digits % 2 == 0 && shape->n_group <= HEXDUMP_ROW_MAX;
}

static bool is_word(size_t n_bytes)
{
	return n_bytes == 2 || n_bytes == 4 || n_bytes == 8;
}

/* Completes the shape from kind and width. Returns false if they do not suit each other. */
static bool complete_shape(struct hexdump_shape *shape, enum hexdump_text text, size_t text_at)
{
	const struct hexdump_kind *kind = shape->kind;

	if (!kind || (shape->group_radix == 8 && !kind->has_octal) ||
		(!kind->is_written && shape->n_group > 1 && !is_word(shape->n_group)))
		return false;
	shape->text_at = text == HEXDUMP_NO_TEXT ? SIZE_MAX : text_at;
	shape->is_reversed = !kind->is_written && shape->n_group > 1;
	shape->is_sure = !is_word(shape->n_group);
	return true;
}

/* Finds the shape of a row whose groups have n_row bytes; the part behind them is text. */
static bool shape_of_row(struct hexdump_shape *shape, const struct hexdump_line *line, size_t n_row)
{
	struct hexdump_group first, group;
	size_t at = 0, n = 0;

	if (!hexdump_next_group(line, &at, &first) || !find_width(shape, &first))
		return false;
	for (group = first; n < n_row; n += shape->n_group) {
		if (n && !hexdump_next_group(line, &at, &group))
			return false;
		if (group.n_digits != first.n_digits || group.has_prefix != first.has_prefix ||
			!hexdump_group_is_number(&group, shape->group_radix))
			return false;
	}
	const enum hexdump_text text = text_behind(line, at, n);

	shape->n_row = n;
	shape->kind = find_kind(line, &first, text);
	return n == n_row && complete_shape(shape, text, at + 1);
}

/* Counts the bytes of a row if no next address shows them: text is framed, or two blanks precede it. */
static size_t count_bytes(const struct hexdump_line *line)
{
	struct hexdump_shape shape;
	struct hexdump_group first, group;
	size_t at = 0, n = 0;

	if (!hexdump_next_group(line, &at, &first) || !find_width(&shape, &first))
		return 0;
	const bool is_framed = memchr(line->rest, '|', line->n_rest) || memchr(line->rest, '>', line->n_rest);

	group = first;
	do {
		const size_t end = group.end;

		n += shape.n_group;
		if (!hexdump_next_group(line, &at, &group) || (group.start > end + 1 && !is_framed))
			break;
	} while (group.n_digits == first.n_digits && hexdump_group_is_number(&group, shape.group_radix));
	return n;
}

/* Finds the shape of a pair of rows with addresses of this number system. */
static bool shape_of_pair(
	struct hexdump_shape *shape, const struct hexdump_line *row, const struct hexdump_line *next)
{
	uint64_t address, behind;

	if (row->has_prefix != next->has_prefix || row->mark != next->mark ||
		!hexdump_address(row, shape->address_radix, &address) ||
		!hexdump_address(next, shape->address_radix, &behind))
		return false;
	return behind > address && behind - address <= HEXDUMP_ROW_MAX &&
	       shape_of_row(shape, row, (size_t)(behind - address)) &&
	       (shape->kind->has_octal || shape->address_radix != 8);
}

/* --- the front ------------------------------------------------------------------------------------------ */

struct front {
	const uint8_t *bytes;
	size_t n_bytes;
	bool is_whole;
};

/* Finds the next whole line. */
static bool next_line(
	const struct front *front, const uint8_t **at, const uint8_t **ret_line, size_t *ret_n_line)
{
	bool is_ended;

	return line_split(at, front->bytes + front->n_bytes, ret_line, ret_n_line, &is_ended) &&
	       (is_ended || front->is_whole);
}

/* Finds the column in which the text of most rows begins; text may begin with blanks. */
static size_t find_text(const struct hexdump_shape *shape, const struct front *front)
{
	const uint8_t *at = front->bytes, *line;
	size_t n_line, best = 0;
	uint16_t n_starts[LINE_BYTES_MAX] = { 0 };

	while (next_line(front, &at, &line, &n_line)) {
		struct hexdump_line parts;
		struct hexdump_group text;
		size_t column = shape->text_at;

		if (hexdump_split(&parts, line, n_line) && column < parts.n_rest &&
			hexdump_next_group(&parts, &column, &text) && text.start < LINE_BYTES_MAX)
			n_starts[text.start]++;
	}
	for (size_t i = 0; i < LINE_BYTES_MAX; i++)
		if (n_starts[i] > n_starts[best])
			best = i;
	return best;
}

/* The number of characters of text that contradict each order of bytes in words. */
struct contradictions {
	unsigned n_written, n_reversed;
};

static bool is_telling(uint8_t c)
{
	return c > ' ' && c < 0x7f && c != '.';
}

static void compare_row(const struct hexdump_shape *shape, const struct hexdump_row *row, const uint8_t *text,
	size_t n_text, struct contradictions *found)
{
	for (size_t i = 0; i < row->n_bytes && i < n_text; i++) {
		const size_t group = i - i % shape->n_group;
		const size_t mirrored = group + (shape->n_group - 1 - (i - group));

		if (!is_telling(text[i]) || mirrored >= row->n_bytes)
			continue;
		found->n_written += row->bytes[i] != text[i];
		found->n_reversed += row->bytes[mirrored] != text[i];
	}
}

/* Finds the order of bytes in words if the text behind the rows shows it. */
static void learn_order(struct hexdump_shape *shape, const struct front *front)
{
	const size_t start = find_text(shape, front) + (shape->kind->text == HEXDUMP_FRAMED_TEXT);
	const uint8_t *at = front->bytes, *line;
	size_t n_line;
	struct hexdump_shape written = *shape;
	struct contradictions found = { 0, 0 };

	written.is_reversed = false;
	while (next_line(front, &at, &line, &n_line)) {
		struct hexdump_line parts;
		struct hexdump_row row;

		if (hexdump_parse(&written, line, n_line, &row) == HEXDUMP_ROW && !row.fault[0] &&
			hexdump_split(&parts, line, n_line) && parts.n_rest > start)
			compare_row(shape, &row, parts.rest + start, parts.n_rest - start, &found);
	}
	if (found.n_written == found.n_reversed)
		return;
	shape->is_reversed = found.n_reversed < found.n_written;
	shape->is_sure = true;
}

/* How well the lines of the front agree with a shape. */
struct trial {
	size_t n_rows, n_others, n_before, n_chained, n_jumps;
};

static struct trial try_shape(const struct hexdump_shape *shape, const struct front *front)
{
	const uint8_t *at = front->bytes, *line;
	struct trial trial = { .n_rows = 0 };
	size_t n_line;
	uint64_t next = 0;
	bool has_next = false;

	while (next_line(front, &at, &line, &n_line)) {
		struct hexdump_row row;
		const enum hexdump_class class = hexdump_parse(shape, line, n_line, &row);

		trial.n_before += class != HEXDUMP_ROW && !trial.n_rows;
		trial.n_others +=
			(class == HEXDUMP_OTHER && trial.n_rows) || (class == HEXDUMP_ROW && row.fault[0]);
		if (class == HEXDUMP_REPEAT)
			has_next = false;
		if (class != HEXDUMP_ROW)
			continue;
		trial.n_rows++;
		trial.n_chained += has_next && row.address == next;
		trial.n_jumps += has_next && row.address != next;
		next = row.address + row.n_bytes;
		has_next = !row.is_end;
	}
	return trial;
}

/* Whether more lines are rows than not, and most rows follow each other. */
static bool is_good(const struct trial *trial)
{
	return trial->n_rows > trial->n_others && trial->n_before <= PREAMBLE_LINES &&
	       trial->n_chained >= trial->n_jumps;
}

static bool is_better(const struct trial *one, const struct trial *other)
{
	return one->n_rows + one->n_chained + other->n_others + other->n_jumps >
	       other->n_rows + other->n_chained + one->n_others + one->n_jumps;
}

/* The state of learning, from line to line. */
struct lesson {
	const struct front *front;
	struct hexdump_shape shape; /* the best so far, … */
	struct trial trial;	    /* … and how good it is; n_rows is 0 before the first */
	unsigned n_tries;
	bool is_perfect;
};

static void learn_shape(struct lesson *lesson, const struct hexdump_shape *shape)
{
	const struct trial trial = try_shape(shape, lesson->front);

	lesson->n_tries++;
	if (!is_good(&trial) || (lesson->trial.n_rows && !is_better(&trial, &lesson->trial)))
		return;
	lesson->shape = *shape;
	lesson->trial = trial;
	lesson->is_perfect = !trial.n_others && !trial.n_jumps;
}

static const unsigned radices[] = { 16, 10, 8 };

/* Learns from two rows; next may be the address behind the last row. */
static void learn_from_pair(
	struct lesson *lesson, const struct hexdump_line *row, const struct hexdump_line *next)
{
	for (size_t i = 0; i < sizeof(radices) / sizeof(radices[0]) && !lesson->is_perfect; i++) {
		struct hexdump_shape shape = { .address_radix = radices[i] };

		if (shape_of_pair(&shape, row, next))
			learn_shape(lesson, &shape);
	}
}

/* Learns from a single row that "*" or nothing follows. */
static void learn_from_row(struct lesson *lesson, const struct hexdump_line *row)
{
	const size_t n_row = count_bytes(row);

	for (size_t i = 0; i < sizeof(radices) / sizeof(radices[0]) && !lesson->is_perfect; i++) {
		struct hexdump_shape shape = { .address_radix = radices[i] };
		uint64_t address;

		if (n_row && n_row <= HEXDUMP_ROW_MAX && hexdump_address(row, radices[i], &address) &&
			shape_of_row(&shape, row, n_row) && (shape.kind->has_octal || i == 0))
			learn_shape(lesson, &shape);
	}
}

static bool is_sign(const uint8_t *line, size_t n_line, char sign)
{
	return n_line == 1 && *line == (uint8_t)sign;
}

/* Reads the front until a shape fits it perfectly. */
static void learn_from_lines(struct lesson *lesson)
{
	const uint8_t *at = lesson->front->bytes, *line;
	size_t n_line, n_rows = 0;
	struct hexdump_line row = { .n_rest = 0 }, next, first = { .n_rest = 0 };
	bool has_row = false;

	while (lesson->n_tries < TRIES_MAX && !lesson->is_perfect &&
		next_line(lesson->front, &at, &line, &n_line)) {
		const bool is_row = hexdump_split(&next, line, n_line);

		if (is_row && has_row)
			learn_from_pair(lesson, &row, &next);
		else if (has_row && is_sign(line, n_line, '*'))
			learn_from_row(lesson, &row);
		if (is_row && !n_rows++)
			first = next;
		if (is_row)
			row = next;
		has_row = is_row || (has_row && hexdump_is_talk(line, n_line));
	}
	/* A dump of a single row must be long enough. */
	if (n_rows == 1 && lesson->front->is_whole && first.mark && count_bytes(&first) >= ALONE_BYTES_MIN)
		learn_from_row(lesson, &first);
}

/* Rejects most inputs at once: they are binary. */
static bool hexdump_shape_is_text(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes && i < TEXT_BYTES; i++)
		if (bytes[i] < ' ' && !wrapping_is_blank(bytes[i]) && bytes[i] != ESCAPE)
			return false;
	return true;
}

bool hexdump_learn(struct hexdump_shape *ret_shape, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	const struct front front = { .bytes = bytes, .n_bytes = n_bytes, .is_whole = is_whole };
	struct lesson lesson = { .front = &front };

	if (!hexdump_shape_is_text(bytes, n_bytes))
		return false;
	learn_from_lines(&lesson);
	if (!lesson.trial.n_rows)
		return false;
	*ret_shape = lesson.shape;
	if (!ret_shape->is_sure && ret_shape->text_at != SIZE_MAX)
		learn_order(ret_shape, &front);
	return true;
}
