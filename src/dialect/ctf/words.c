/* SPDX-License-Identifier: MIT */
/* The words of a description: names, numbers, texts and signs. Comments and blanks are passed over. */
#include "dialect/ctf/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { WORD_MAX = 1 << 16 }; /* bytes of a name or a text */

enum rst_status ctf_refuse(struct ctf_fault *fault, uint64_t line, const char *format, ...)
{
	va_list arguments;

	fault->line = line;
	va_start(arguments, format);
	vsnprintf(fault->what, sizeof(fault->what), format, arguments);
	va_end(arguments);
	return RST_E_DAMAGED;
}

bool ctf_wrong(struct ctf_parser *parser, const char *what)
{
	if (!parser->fault->what[0])
		ctf_refuse(parser->fault, parser->line, "%s", what);
	return false;
}

void *ctf_room(struct ctf_parser *parser, size_t n_bytes)
{
	void *room = arena_alloc(&parser->trace->arena, n_bytes);

	if (!room) {
		parser->has_no_memory = true;
		ctf_wrong(parser, "memory ran out");
	}
	return room;
}

/* Whether a backslash ends the line here, so that the next line continues it. Returns its bytes, or 0. */
static size_t continuation_bytes(const struct ctf_parser *parser)
{
	const size_t n = (size_t)(parser->end - parser->at);

	if (n >= 2 && parser->at[0] == '\\' && parser->at[1] == '\n')
		return 2;
	return n >= 3 && memcmp(parser->at, "\\\r\n", 3) == 0 ? 3 : 0;
}

static void pass_line(struct ctf_parser *parser)
{
	const char *end = memchr(parser->at, '\n', (size_t)(parser->end - parser->at));

	parser->at = end ? end : parser->end;
}

static bool pass_comment(struct ctf_parser *parser)
{
	const char *end = memmem(parser->at + 2, (size_t)(parser->end - parser->at) - 2, "*/", 2);

	if (!end)
		return ctf_wrong(parser, "a comment does not end");
	for (const char *p = parser->at; p < end; p++)
		parser->line += *p == '\n';
	parser->at = end + 2;
	return true;
}

static bool pass_blanks(struct ctf_parser *parser)
{
	while (parser->at < parser->end) {
		const size_t n_left = (size_t)(parser->end - parser->at),
			     n_joined = continuation_bytes(parser);
		const char c = *parser->at;

		if (n_joined) {
			parser->line++;
			parser->at += n_joined;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' ||
			   c == 0) {
			parser->line += c == '\n';
			parser->at++;
		} else if (n_left >= 2 && c == '/' && parser->at[1] == '*') {
			if (!pass_comment(parser))
				return false;
		} else if (n_left >= 2 && c == '/' && parser->at[1] == '/') {
			pass_line(parser);
		} else {
			return true;
		}
	}
	return true;
}

static bool take_name(struct ctf_parser *parser)
{
	const char *start = parser->at;

	while (parser->at < parser->end && text_is_of_name(*parser->at))
		parser->at++;
	if (parser->at - start > WORD_MAX)
		return ctf_wrong(parser, "a name is too long");
	parser->word = CTF_WORD_NAME;
	parser->text = arena_copy(&parser->trace->arena, start, (size_t)(parser->at - start));
	parser->has_no_memory |= !parser->text;
	return parser->text || ctf_wrong(parser, "memory ran out");
}

/* Decimal, 0x, 0b or octal, with u and l behind it. */
static bool take_number(struct ctf_parser *parser)
{
	unsigned base = 10;
	uint64_t number = 0;
	bool fits = true;

	if (*parser->at == '0' && parser->end - parser->at > 1) {
		const char c = (char)(parser->at[1] | 0x20);

		base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
		parser->at += base == 8 ? 1 : 2;
	}
	for (; parser->at < parser->end; parser->at++) {
		const unsigned digit = text_digit(*parser->at);

		if (digit >= base)
			break;
		fits &= !__builtin_mul_overflow(number, base, &number) &&
			!__builtin_add_overflow(number, digit, &number);
	}
	while (parser->at < parser->end && ((*parser->at | 0x20) == 'u' || (*parser->at | 0x20) == 'l'))
		parser->at++;
	if (!fits || (parser->at < parser->end && text_is_of_name(*parser->at)))
		return ctf_wrong(parser, "a number cannot be read");
	parser->word = CTF_WORD_NUMBER;
	parser->number = number;
	return true;
}

/* Reads up to three octal digits, or hexadecimal ones behind x. */
static unsigned take_code(struct ctf_parser *parser, unsigned base, unsigned n_max)
{
	unsigned code = 0;

	for (unsigned i = 0; i < n_max && parser->at < parser->end && text_digit(*parser->at) < base; i++)
		code = code * base + text_digit(*parser->at++);
	return code & 0xff;
}

static char take_escape(struct ctf_parser *parser)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char c = *parser->at;
	const char *known = c ? strchr(from, c) : NULL;

	if (c >= '0' && c <= '7')
		return (char)take_code(parser, 8, 3);
	parser->at++;
	if (c == 'x')
		return (char)take_code(parser, 16, 2);
	return known ? to[known - from] : c;
}

/* A text in quotes. A NUL would end it for everyone who reads it later, so it becomes a blank. */
static bool take_text(struct ctf_parser *parser, char quote)
{
	const char *end = ++parser->at;
	char *text;
	size_t n = 0;

	while (end < parser->end && *end != quote)
		end += *end == '\\' ? 2 : 1;
	if (end >= parser->end)
		return ctf_wrong(parser, "a text does not end");
	if (end - parser->at > WORD_MAX)
		return ctf_wrong(parser, "a text is too long");
	text = ctf_room(parser, (size_t)(end - parser->at) + 1);
	if (!text)
		return false;
	while (parser->at < end) {
		const size_t n_joined = continuation_bytes(parser);
		char c;

		parser->line += *parser->at == '\n' || n_joined;
		parser->at += n_joined;
		if (n_joined)
			continue;
		c = *parser->at++;
		if (c == '\\' && parser->at < end)
			c = take_escape(parser);
		text[n++] = c ? c : ' ';
	}
	parser->at = end + 1;
	parser->word = quote == '"' ? CTF_WORD_TEXT : CTF_WORD_NUMBER;
	parser->text = text;
	parser->number = (uint8_t)text[0];
	return true;
}

static bool take_sign(struct ctf_parser *parser)
{
	static const struct {
		const char *text;
		int sign;
	} long_signs[] = { { ":=", CTF_SIGN_IS }, { "...", CTF_SIGN_RANGE }, { "->", CTF_SIGN_ARROW } };
	const size_t n_left = (size_t)(parser->end - parser->at);

	parser->word = CTF_WORD_SIGN;
	for (size_t i = 0; i < sizeof(long_signs) / sizeof(long_signs[0]); i++) {
		const size_t n = strlen(long_signs[i].text);

		if (n_left >= n && memcmp(parser->at, long_signs[i].text, n) == 0) {
			parser->sign = long_signs[i].sign;
			parser->at += n;
			return true;
		}
	}
	parser->sign = (unsigned char)*parser->at++;
	if (!strchr("{}[]()<>;,=:.*-+", parser->sign))
		return ctf_wrong(parser, "a character has no meaning here");
	return true;
}

bool ctf_next(struct ctf_parser *parser)
{
	char c;

	parser->word = CTF_WORD_END;
	if (parser->fault->what[0] || !pass_blanks(parser))
		return false;
	if (parser->at == parser->end)
		return true;
	c = *parser->at;
	if (c == 'L' && parser->end - parser->at > 1 && (parser->at[1] == '"' || parser->at[1] == '\'')) {
		parser->at++;
		c = *parser->at;
	}
	if (c == '"' || c == '\'')
		return take_text(parser, c);
	if (text_is_letter(c) || c == '_')
		return take_name(parser);
	return text_is_digit(c) ? take_number(parser) : take_sign(parser);
}

bool ctf_is_word(const struct ctf_parser *parser, const char *name)
{
	return parser->word == CTF_WORD_NAME && strcmp(parser->text, name) == 0;
}

bool ctf_take(struct ctf_parser *parser, int sign)
{
	char what[32];

	if (ctf_is_sign(parser, sign))
		return ctf_next(parser);
	if (sign == CTF_SIGN_IS)
		return ctf_wrong(parser, "here := is missing");
	snprintf(what, sizeof(what), "here %c is missing", sign < 128 ? sign : '?');
	return ctf_wrong(parser, what);
}

bool ctf_took(struct ctf_parser *parser, int sign)
{
	if (!ctf_is_sign(parser, sign))
		return false;
	ctf_next(parser);
	return true;
}

bool ctf_pass_statement(struct ctf_parser *parser)
{
	unsigned n_open = 0;

	for (;;) {
		const bool opens = ctf_is_sign(parser, '{'), closes = ctf_is_sign(parser, '}');
		const bool ends = ctf_is_sign(parser, ';');

		if (parser->word == CTF_WORD_END)
			return ctf_wrong(parser, "a statement does not end");
		if (closes && n_open == 0)
			return true;
		n_open += opens;
		n_open -= closes;
		if (!ctf_next(parser))
			return false;
		if (ends && n_open == 0)
			return true;
	}
}
