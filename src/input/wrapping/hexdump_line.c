/* SPDX-License-Identifier: MIT */
/* Parses one line of a dump into its parts and its bytes. */
#include <stdio.h>
#include <string.h>

#include "input/wrapping/hexdump.h"

enum {
	ADDRESS_DIGITS_MIN = 4,
	ADDRESS_DIGITS_MAX = 22, /* 64 bits in octal */
};

static bool starts_with(const uint8_t *bytes, size_t n_bytes, const char *text)
{
	const size_t n = strlen(text);

	return n_bytes >= n && memcmp(bytes, text, n) == 0;
}

/* Returns the length of a prompt at the front, with the blanks after it, or 0 if the line has no prompt. */
static size_t prompt_bytes(const uint8_t *line, size_t n_line)
{
	static const char *const prompts[] = { "(gdb)", "(lldb)", "J-Link>", "=>", ">" };

	for (size_t i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++) {
		size_t n = strlen(prompts[i]);

		if (!starts_with(line, n_line, prompts[i]))
			continue;
		while (n < n_line && wrapping_is_blank(line[n]))
			n++;
		return n;
	}
	return 0;
}

static bool has_prefix(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes > 2 && bytes[0] == '0' && (bytes[1] | 0x20) == 'x';
}

static size_t skip_blanks(const uint8_t *bytes, size_t n_bytes, size_t at)
{
	while (at < n_bytes && wrapping_is_blank(bytes[at]))
		at++;
	return at;
}

/* Skips "<symbol+offset>". It ends at ">:", since a name of C++ may have blanks and angle brackets, too. */
static size_t skip_symbol(const uint8_t *bytes, size_t n_bytes, size_t at)
{
	if (at == n_bytes || bytes[at] != '<')
		return at;
	const uint8_t *end = memmem(bytes + at, n_bytes - at, ">:", 2);

	return end ? (size_t)(end - bytes) + 1 : at;
}

bool hexdump_split(struct hexdump_line *ret, const uint8_t *line, size_t n_line)
{
	const uint8_t *const start = line;

	for (size_t n; (n = prompt_bytes(line, n_line));) {
		line += n;
		n_line -= n;
	}
	*ret = (struct hexdump_line){ .start = start, .has_prefix = has_prefix(line, n_line) };
	size_t at = ret->has_prefix ? 2 : 0;

	ret->address = line + at;
	while (at < n_line && wrapping_digit(line[at]) >= 0)
		at++;
	ret->n_address = (size_t)(line + at - ret->address);
	if (ret->n_address < ADDRESS_DIGITS_MIN || ret->n_address > ADDRESS_DIGITS_MAX)
		return false;
	const size_t behind = at;

	at = skip_blanks(line, n_line, at);
	if (ret->has_prefix)
		at = skip_blanks(line, n_line, skip_symbol(line, n_line, at));
	if (at < n_line && (line[at] == ':' || line[at] == '='))
		ret->mark = (char)line[at++];
	else
		at = behind;
	ret->rest = line + at;
	ret->n_rest = n_line - at;
	return !ret->n_rest || wrapping_is_blank(*ret->rest);
}

bool hexdump_address(const struct hexdump_line *line, unsigned radix, uint64_t *ret_address)
{
	uint64_t address = 0;

	for (size_t i = 0; i < line->n_address; i++) {
		const int digit = wrapping_digit(line->address[i]);

		if (digit < 0 || (unsigned)digit >= radix || address > (UINT64_MAX - (unsigned)digit) / radix)
			return false;
		address = address * radix + (unsigned)digit;
	}
	*ret_address = address;
	return true;
}

bool hexdump_next_group(const struct hexdump_line *line, size_t *at, struct hexdump_group *ret)
{
	const size_t start = skip_blanks(line->rest, line->n_rest, *at);
	size_t end = start;

	while (end < line->n_rest && !wrapping_is_blank(line->rest[end]))
		end++;
	*ret = (struct hexdump_group){
		.start = start, .end = end, .has_prefix = has_prefix(line->rest + start, end - start)
	};
	ret->digits = line->rest + start + (ret->has_prefix ? 2 : 0);
	ret->n_digits = (size_t)(line->rest + end - ret->digits);
	*at = end;
	return end > start;
}

bool hexdump_group_is_number(const struct hexdump_group *group, unsigned radix)
{
	for (size_t i = 0; i < group->n_digits; i++) {
		const int digit = wrapping_digit(group->digits[i]);

		if (digit < 0 || (unsigned)digit >= radix)
			return false;
	}
	return group->n_digits > 0;
}

static void note_fault(struct hexdump_row *row, const struct hexdump_line *line,
	const struct hexdump_group *group, const char *what)
{
	const size_t column = (size_t)(line->rest - line->start) + group->start + 1;

	if (!row->fault[0])
		snprintf(row->fault, sizeof(row->fault), "column %zu: %s", column, what);
}

/* Appends n bytes to the row, in the order of memory. */
static void put_bytes(
	const struct hexdump_shape *shape, struct hexdump_row *row, const uint8_t *written, size_t n)
{
	for (size_t i = 0; i < n; i++)
		row->bytes[row->n_bytes + i] = written[shape->is_reversed ? n - 1 - i : i];
	row->n_bytes += n;
}

/* Takes pairs of hexadecimal digits. A pair with a bad digit is 00. Returns false if a digit was bad. */
static bool take_pairs(const struct hexdump_group *group, uint8_t *ret_bytes)
{
	bool is_good = true;

	for (size_t i = 0; i < group->n_digits / 2; i++) {
		const int high = wrapping_digit(group->digits[2 * i]);
		const int low = wrapping_digit(group->digits[2 * i + 1]);

		is_good &= high >= 0 && low >= 0;
		ret_bytes[i] = (uint8_t)(high >= 0 && low >= 0 ? high << 4 | low : 0);
	}
	return is_good;
}

/*
 * Takes an octal number, its highest byte first. If the group is not a number, gives zeros and returns false.
 */
static bool take_octal(
	const struct hexdump_shape *shape, const struct hexdump_group *group, uint8_t *ret_bytes)
{
	const bool is_number = hexdump_group_is_number(group, 8);
	uint64_t value = 0;

	for (size_t i = 0; is_number && i < group->n_digits; i++)
		value = value << 3 | (uint64_t)wrapping_digit(group->digits[i]);
	for (size_t i = 0; i < shape->n_group; i++)
		ret_bytes[i] = (uint8_t)(value >> 8 * (shape->n_group - 1 - i));
	return is_number;
}

/* Takes a group. Returns false if the rest of the line is useless. */
static bool take_group(const struct hexdump_shape *shape, const struct hexdump_line *line,
	const struct hexdump_group *group, struct hexdump_row *row)
{
	const bool is_short = shape->kind->is_written && group->n_digits < shape->n_group_digits &&
			      group->n_digits % 2 == 0 && group->n_digits;
	const size_t n = is_short ? group->n_digits / 2 : shape->n_group;
	uint8_t written[HEXDUMP_ROW_MAX];

	if (group->has_prefix != shape->kind->has_group_prefix ||
		(group->n_digits != shape->n_group_digits && !is_short)) {
		note_fault(row, line, group, "another number of digits; the row ends here");
		return false;
	}
	if (n > shape->n_row - row->n_bytes) {
		note_fault(row, line, group, "one group too many; the row ends here");
		return false;
	}
	if (!(shape->group_radix == 8 ? take_octal(shape, group, written) : take_pairs(group, written)))
		note_fault(row, line, group, "not all digits; the byte is given as 00");
	put_bytes(shape, row, written, n);
	return true;
}

/* Whether a group is text: text begins at its column, and framed text may begin anywhere. */
static bool hexdump_line_is_text(
	const struct hexdump_shape *shape, const struct hexdump_line *line, const struct hexdump_group *group)
{
	const uint8_t first = line->rest[group->start];

	return group->start >= shape->text_at ||
	       (shape->kind->text == HEXDUMP_FRAMED_TEXT && (first == '|' || first == '>'));
}

static void take_groups(
	const struct hexdump_shape *shape, const struct hexdump_line *line, struct hexdump_row *row)
{
	struct hexdump_group group;
	size_t at = 0;

	while (hexdump_next_group(line, &at, &group) && !hexdump_line_is_text(shape, line, &group))
		if (!take_group(shape, line, &group, row))
			return;
}

bool hexdump_is_talk(const uint8_t *line, size_t n_line)
{
	static const char *const pagers[] = { "--Type <RET>", "---Type <return>" };

	for (size_t i = 0; i < sizeof(pagers) / sizeof(pagers[0]); i++)
		if (starts_with(line, n_line, pagers[i]))
			return true;
	return !n_line || prompt_bytes(line, n_line);
}

enum hexdump_class hexdump_parse(
	const struct hexdump_shape *shape, const uint8_t *line, size_t n_line, struct hexdump_row *ret_row)
{
	const struct hexdump_kind *kind = shape->kind;
	struct hexdump_line parts;

	ret_row->n_bytes = 0;
	ret_row->fault[0] = '\0';
	if (n_line == 1 && *line == '*')
		return HEXDUMP_REPEAT;
	if (!hexdump_split(&parts, line, n_line) || parts.has_prefix != kind->has_prefix ||
		parts.mark != kind->mark || !hexdump_address(&parts, shape->address_radix, &ret_row->address))
		return hexdump_is_talk(line, n_line) ? HEXDUMP_TALK : HEXDUMP_OTHER;
	take_groups(shape, &parts, ret_row);
	ret_row->is_end = kind->has_end && skip_blanks(parts.rest, parts.n_rest, 0) == parts.n_rest;
	return ret_row->n_bytes || ret_row->is_end ? HEXDUMP_ROW : HEXDUMP_OTHER;
}
