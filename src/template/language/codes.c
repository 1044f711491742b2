/* SPDX-License-Identifier: MIT */
#include "template/language/codes.h"

#include <stdio.h>

#include "base/text.h"

const struct code_row code_rows[N_CODES] = {
	[CODE_ASCII] = { 'A', CODE_STRING, 0, "0 to 65535 bytes" },
	[CODE_ASCII_TIGHT] = { 'A', CODE_STRING, 0, "0 to 65535 bytes" },
	[CODE_SPACING] = { 'A', CODE_MOVE, 0, "0 to 65535 blanks" },
	[CODE_COUNTED] = { 'S', CODE_STRING, 0, "a length of 1, 2, 4 or 8 bytes" },
	[CODE_BITS] = { 'B', CODE_NUMBER, 2, "1 to 64 bits" },
	[CODE_HEX] = { 'X', CODE_NUMBER, 16, "1 to 16 bytes" },
	[CODE_HEX_TIGHT] = { 'X', CODE_NUMBER, 16, "1 to 16 bytes" },
	[CODE_SIGNED] = { 'D', CODE_NUMBER, 10, "1 to 8 bytes" },
	[CODE_UNSIGNED] = { 'U', CODE_NUMBER, 10, "1 to 8 bytes" },
	[CODE_OCTAL] = { 'o', CODE_NUMBER, 8, "1 to 8 bytes" },
	[CODE_FLOAT] = { 'F', CODE_STRING, 0, "4 or 8 bytes" },
	[CODE_TIME] = { 'T', CODE_NUMBER, 0, "4 or 8 bytes" },
	[CODE_ERRNO] = { 'E', CODE_NUMBER, 10, "1, 2, 4 or 8 bytes" },
	[CODE_PROCESS] = { 'P', CODE_NUMBER, 10, "4 or 8 bytes" },
	[CODE_DURATION] = { 's', CODE_NUMBER, 10, "no size" },
	[CODE_HB] = { 'H', CODE_NUMBER, 10, "no size" },
	[CODE_HT] = { 'H', CODE_NUMBER, 16, "no size" },
	[CODE_GO] = { 'G', CODE_MOVE, 0, "0 to 65535 bytes and bits" },
	[CODE_FORWARD] = { 'O', CODE_MOVE, 0, "0 to 65535 bytes and bits" },
	[CODE_BACK] = { 'R', CODE_MOVE, 0, "0 to 65535 bytes" },
	[CODE_WORD] = { 'W', CODE_MOVE, 0, "0 to 65535 words" },
};

enum {
	BITS_MAX = 64,
	NUMBER_TOO_LARGE = UINT16_MAX + 1, /* of digits that no size can be */
	ANY_SIZE = 0,			   /* no mask of sizes holds */
	SIZES_POWERS = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8,
	SIZES_LONG = 1 << 4 | 1 << 8,
	SIZES_TO_8 = 0x1fe,
	SIZES_TO_16 = 0x1ffff, /* with X0 */
};

/* How each letter is written; the letters are those of section "format codes" of "trcfmt File Format". */
struct shape {
	char letter;
	enum code_letter code;
	uint32_t sizes; /* bit m: m bytes are good */
	bool has_word;	/* W is good */
	bool has_part;	/* .n is good */
};

static const struct shape shapes[] = {
	{ 'X', CODE_HEX, SIZES_TO_16, true, false },
	{ 'D', CODE_SIGNED, SIZES_TO_8, true, false },
	{ 'U', CODE_UNSIGNED, SIZES_TO_8, true, false },
	{ 'A', CODE_ASCII, ANY_SIZE, false, true },
	{ 'G', CODE_GO, ANY_SIZE, false, true },
	{ 'B', CODE_BITS, ANY_SIZE, false, true },
	{ 'S', CODE_COUNTED, SIZES_POWERS, true, false },
	{ 'o', CODE_OCTAL, SIZES_TO_8, true, false },
	{ 'E', CODE_ERRNO, SIZES_POWERS, true, false },
	{ 'P', CODE_PROCESS, SIZES_LONG, true, false },
	{ 'T', CODE_TIME, SIZES_LONG, true, false },
	{ 'F', CODE_FLOAT, SIZES_LONG, false, false },
	{ 'O', CODE_FORWARD, ANY_SIZE, true, true },
	{ 'R', CODE_BACK, ANY_SIZE, true, false },
	{ 'W', CODE_WORD, ANY_SIZE, false, false },
};

/* The parts of a code, before it is checked whether the letter takes them. */
struct spelling {
	const struct shape *shape;
	bool is_word, has_part;
	uint32_t n_bytes, part;
};

static const struct shape *find_shape(char letter)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (shapes[i].letter == letter)
			return &shapes[i];
	return NULL;
}

/*
 * Digits as a number that stops growing when it is too large for any size. Returns one past the last digit.
 */
static const char *take_digits(const char *at, const char *end, uint32_t *ret_number)
{
	uint32_t number = 0;

	for (; at < end && text_is_digit(*at); at++)
		if (number < NUMBER_TOO_LARGE)
			number = number * 10 + (uint32_t)(*at - '0');
	*ret_number = number < NUMBER_TOO_LARGE ? number : NUMBER_TOO_LARGE;
	return at;
}

/*
 * Takes the longest beginning of text that has a code's shape. Returns its end, or NULL if it finds nothing.
 */
static const char *take_spelling(const char *text, const char *end, struct spelling *ret_spelling)
{
	const char *at = text + 1;
	struct spelling spelling = { 0 };

	if (end - text < 2 || (*at != 'W' && !text_is_digit(*at)))
		return NULL;
	spelling.shape = find_shape(*text);
	if (!spelling.shape || (*at == 'W' && !spelling.shape->has_word))
		return NULL;
	if (*at == 'W') {
		spelling.is_word = true;
		at++;
	} else {
		at = take_digits(at, end, &spelling.n_bytes);
		if (end - at >= 2 && *at == '.' && text_is_digit(at[1])) {
			spelling.has_part = true;
			at = take_digits(at + 1, end, &spelling.part);
		}
	}
	*ret_spelling = spelling;
	return at;
}

static bool takes_size(const struct spelling *spelling)
{
	const struct shape *shape = spelling->shape;
	uint32_t n_bits = 8 * spelling->n_bytes + spelling->part;

	if (spelling->is_word)
		return true;
	if (spelling->n_bytes >= NUMBER_TOO_LARGE || spelling->part >= NUMBER_TOO_LARGE)
		return false;
	if (spelling->has_part && !shape->has_part)
		return false;
	if (shape->code == CODE_BITS)
		return n_bits >= 1 && n_bits <= BITS_MAX;
	return shape->sizes == ANY_SIZE || (spelling->n_bytes < 32 && shape->sizes >> spelling->n_bytes & 1);
}

static uint16_t width_clip(uint32_t number)
{
	return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

static struct code code_of(const struct spelling *spelling)
{
	struct code code = {
		.letter = spelling->shape->code,
		.is_word = spelling->is_word,
		.has_part = spelling->has_part,
		.n_bytes = width_clip(spelling->n_bytes),
		.part = width_clip(spelling->part),
	};

	/* A0 and X0 read one byte; with a dot, A0 is spacing (D4). */
	if (code.n_bytes == 0 && code.letter == CODE_ASCII && code.has_part) {
		code.letter = CODE_SPACING;
	} else if (code.n_bytes == 0 && !code.is_word &&
		   (code.letter == CODE_ASCII || code.letter == CODE_HEX)) {
		code.letter = code.letter == CODE_HEX ? CODE_HEX_TIGHT : CODE_ASCII_TIGHT;
		code.n_bytes = 1;
	}
	return code;
}

enum code_parse code_parse(const char *text, size_t n_bytes, struct code *ret_code)
{
	struct spelling spelling;

	if (n_bytes == 2 && text[0] == 'H' && (text[1] == 'B' || text[1] == 'T')) {
		*ret_code = (struct code){ .letter = text[1] == 'B' ? CODE_HB : CODE_HT };
		return CODE_GOOD;
	}
	if (take_spelling(text, text + n_bytes, &spelling) != text + n_bytes)
		return CODE_NONE;
	*ret_code = code_of(&spelling);
	return takes_size(&spelling) ? CODE_GOOD : CODE_BAD_WIDTH;
}

const char *code_fault(const struct code *code)
{
	const struct shape *shape = find_shape(code_rows[code->letter].letter);
	bool is_wide;

	if (code->has_part && !shape->has_part)
		return "has a dot";
	if (shape->code == CODE_BITS)
		is_wide = 8U * code->n_bytes + code->part > BITS_MAX;
	else
		is_wide =
			shape->sizes == ANY_SIZE || code->n_bytes >= 32 || shape->sizes >> code->n_bytes == 0;
	return is_wide ? "is too wide" : "is no size of it";
}

/* Codes that a cast can have; any other is X2. */
static bool is_cast(enum code_letter letter)
{
	return letter == CODE_HEX || letter == CODE_HEX_TIGHT || letter == CODE_SIGNED ||
	       letter == CODE_UNSIGNED || letter == CODE_BITS || letter == CODE_OCTAL;
}

static const struct code cast_other = { .letter = CODE_HEX, .n_bytes = 2 };

/* Units of a span of time; part is the power of ten of their nanoseconds. */
static const struct duration_unit {
	char name[3];
	uint8_t power;
} duration_units[] = { { "ns", 0 }, { "us", 3 }, { "ms", 6 } };

enum { N_DURATION_UNITS = sizeof(duration_units) / sizeof(duration_units[0]) };

static bool parse_unit(const char *text, size_t n_bytes, struct code *ret_code)
{
	if (n_bytes < 2 || (n_bytes > 2 && text_is_of_name(text[2])))
		return false;
	for (size_t i = 0; i < N_DURATION_UNITS; i++)
		if (text[0] == duration_units[i].name[0] && text[1] == duration_units[i].name[1]) {
			*ret_code = (struct code){
				.letter = CODE_DURATION, .n_bytes = 8, .part = duration_units[i].power
			};
			return true;
		}
	return false;
}

/* W, HB, HT and units have no number behind them. */
static enum code_parse parse_bare_cast(
	const char *text, size_t n_bytes, struct code *ret_code, size_t *ret_used)
{
	if (parse_unit(text, n_bytes, ret_code)) {
		*ret_used = 2;
		return CODE_GOOD;
	}
	if (n_bytes >= 2 && text[0] == 'H' && (text[1] == 'B' || text[1] == 'T')) {
		*ret_code = cast_other;
		*ret_used = 2;
		return CODE_GOOD;
	}
	if (n_bytes < 1 || text[0] != 'W')
		return CODE_NONE;
	*ret_code = (struct code){ .letter = CODE_HEX, .is_word = true };
	*ret_used = 1;
	return CODE_GOOD;
}

enum code_parse code_parse_cast(const char *text, size_t n_bytes, struct code *ret_code, size_t *ret_used)
{
	struct spelling spelling;
	const char *end = take_spelling(text, text + n_bytes, &spelling);

	if (!end)
		return parse_bare_cast(text, n_bytes, ret_code, ret_used);
	*ret_used = (size_t)(end - text);
	if (*text == 'O')
		spelling.shape = find_shape('o');
	*ret_code = code_of(&spelling);
	if (!takes_size(&spelling))
		return CODE_BAD_WIDTH;
	if (!is_cast(ret_code->letter))
		*ret_code = cast_other;
	return CODE_GOOD;
}

bool code_cast_is_known(const char *text, size_t n_bytes)
{
	struct spelling spelling;

	if (!take_spelling(text, text + n_bytes, &spelling))
		return *text != 'H';
	return *text == 'O' || is_cast(spelling.shape->code);
}

char *code_put(char *p, const struct code *code)
{
	enum { ROOM = 16 };
	char letter = code_rows[code->letter].letter;
	bool is_tight = code->letter == CODE_HEX_TIGHT || code->letter == CODE_ASCII_TIGHT;
	unsigned n_bytes = is_tight ? 0 : code->n_bytes;

	if (code->letter == CODE_DURATION)
		snprintf(p, ROOM, "%s", duration_units[code->part / 3].name);
	else if (letter == 'H')
		snprintf(p, ROOM, "%s", code->letter == CODE_HB ? "HB" : "HT");
	else if (code->is_word)
		snprintf(p, ROOM, "%cW", letter);
	else if (code->has_part)
		snprintf(p, ROOM, "%c%u.%u", letter, n_bytes, (unsigned)code->part);
	else
		snprintf(p, ROOM, "%c%u", letter, n_bytes);
	return p;
}
