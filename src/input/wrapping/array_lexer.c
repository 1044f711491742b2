/* SPDX-License-Identifier: MIT */
#include "input/wrapping/array.h"

#include <string.h>

#include "base/text.h"
#include "input/wrapping/wrapping.h"

/*
 * Bytes of the types that arrays of dumps have; where C has several words for a type, the narrowest word
 * counts.
 */
static const struct type {
	const char *name;
	size_t n_bytes;
} types[] = {
	{ "char", 1 },
	{ "uint8_t", 1 },
	{ "int8_t", 1 },
	{ "u8", 1 },
	{ "byte", 1 },
	{ "BYTE", 1 },
	{ "UCHAR", 1 },
	{ "short", 2 },
	{ "uint16_t", 2 },
	{ "int16_t", 2 },
	{ "u16", 2 },
	{ "USHORT", 2 },
	{ "uint32_t", 4 },
	{ "int32_t", 4 },
	{ "u32", 4 },
	{ "int", 4 },
	{ "unsigned", 4 },
	{ "uint64_t", 8 },
	{ "int64_t", 8 },
	{ "u64", 8 },
};

static bool is_word_char(uint8_t c)
{
	return text_is_of_name((char)c) || c == '$' || c == '.' || c == '-' || c == '+';
}

static bool ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), n_end = strlen(end);

	return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

bool array_number(const char *word, uint64_t *ret_number, size_t *ret_n_digits)
{
	const bool is_negative = *word == '-';
	const char *at = word + is_negative;
	const bool is_hex = at[0] == '0' && (at[1] | 0x20) == 'x';
	const unsigned radix = is_hex ? 16 : 10;
	uint64_t number = 0;
	const char *const first = at += is_hex ? 2 : 0;

	for (int digit; (digit = wrapping_digit((uint8_t)*at)) >= 0 && (unsigned)digit < radix; at++) {
		if (number > (UINT64_MAX - (unsigned)digit) / radix)
			return false;
		number = number * radix + (unsigned)digit;
	}
	*ret_n_digits = is_hex ? (size_t)(at - first) : 0;
	*ret_number = is_negative ? -number : number;
	if (at == first)
		return false;
	return at[strspn(at, "uUlL")] == '\0';
}

/* Takes comments out. Returns true if the character is in one, or may begin one. */
static bool take_comment(struct array_lexer *lexer, uint8_t c)
{
	switch (lexer->comment) {
	case COMMENT_NONE:
		if (c == '/')
			lexer->comment = COMMENT_SLASH;
		return c == '/';
	case COMMENT_SLASH:
		lexer->comment = c == '*' ? COMMENT_BLOCK : c == '/' ? COMMENT_LINE : COMMENT_NONE;
		return lexer->comment != COMMENT_NONE;
	case COMMENT_BLOCK:
	case COMMENT_STAR:
		if (lexer->comment == COMMENT_STAR && c == '/')
			lexer->comment = COMMENT_NONE;
		else
			lexer->comment = c == '*' ? COMMENT_STAR : COMMENT_BLOCK;
		return true;
	case COMMENT_LINE:
		if (wrapping_is_line_end(c))
			lexer->comment = COMMENT_NONE;
		return true;
	}
	return false;
}

/* A number of gdb's history stands for a name that is an array's. */
static void take_name(struct array_lexer *lexer)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(lexer->word, types[i].name) == 0 &&
			(!lexer->n_type || types[i].n_bytes < lexer->n_type))
			lexer->n_type = types[i].n_bytes;
	lexer->has_bracket |= lexer->word[0] == '$';
}

static enum array_event end_word_outside(struct array_lexer *lexer)
{
	size_t n_digits;

	if (lexer->is_length && lexer->has_equals && array_number(lexer->word, &lexer->number, &n_digits))
		return ARRAY_LENGTH;
	lexer->has_equals = false; /* only a brace may stand behind it */
	take_name(lexer);
	lexer->is_length = ends_with(lexer->word, "_len");
	return ARRAY_NOTHING;
}

static enum array_event end_word_inside(struct array_lexer *lexer)
{
	uint64_t number;
	size_t n_digits;

	if (lexer->is_repeats) {
		if (!array_number(lexer->word, &number, &n_digits))
			return ARRAY_NOTHING; /* "repeats", "times" */
		lexer->number = number;
		return ARRAY_REPEATS;
	}
	/* gdb joins its dots to the last number. */
	if (strcmp(lexer->word, "...") == 0)
		return ARRAY_LEFT_OUT;
	return ARRAY_NUMBER;
}

static enum array_event end_word(struct array_lexer *lexer)
{
	const size_t n = lexer->n_word < ARRAY_WORD_MAX ? lexer->n_word : ARRAY_WORD_MAX;

	lexer->word[n] = '\0';
	lexer->n_word = 0;
	return lexer->depth ? end_word_inside(lexer) : end_word_outside(lexer);
}

static void forget_declaration(struct array_lexer *lexer)
{
	lexer->has_bracket = lexer->has_equals = lexer->is_length = false;
	lexer->n_type = 0;
}

static enum array_event take_outside(struct array_lexer *lexer, uint8_t c)
{
	if (c == '{' && lexer->has_bracket && lexer->has_equals) {
		lexer->n_declared = lexer->n_type;
		forget_declaration(lexer);
		lexer->depth = 1;
		return ARRAY_BEGINS;
	}
	lexer->has_equals = c == '=' && (lexer->has_bracket || lexer->is_length);
	lexer->has_bracket |= c == ']';
	if (c == ';' || c == '{' || c == '}')
		forget_declaration(lexer);
	return ARRAY_NOTHING;
}

static enum array_event take_inside(struct array_lexer *lexer, uint8_t c)
{
	if (c == '<' || c == '>') {
		lexer->is_repeats = c == '<';
		return ARRAY_NOTHING;
	}
	if (c == '{')
		lexer->depth++;
	if (c != '}')
		return c == ',' || c == '{' ? ARRAY_NOTHING : ARRAY_BAD;
	lexer->depth--;
	return lexer->depth ? ARRAY_NOTHING : ARRAY_ENDS;
}

enum array_event array_take(struct array_lexer *lexer, uint8_t c, bool *ret_is_used)
{
	const bool is_in_word = is_word_char(c) && lexer->comment == COMMENT_NONE;
	/* Dots begin a word of their own. */
	const bool is_other_word = c == '.' && lexer->depth && lexer->n_word && lexer->word[0] != '.';

	*ret_is_used = true;
	if (lexer->n_word && (!is_in_word || is_other_word)) {
		*ret_is_used = false;
		return end_word(lexer);
	}
	if (take_comment(lexer, c))
		return ARRAY_NOTHING;
	if (is_word_char(c)) {
		if (lexer->n_word < ARRAY_WORD_MAX)
			lexer->word[lexer->n_word] = (char)c;
		lexer->n_word++;
		return ARRAY_NOTHING;
	}
	if (wrapping_is_blank(c))
		return ARRAY_NOTHING;
	return lexer->depth ? take_inside(lexer, c) : take_outside(lexer, c);
}
