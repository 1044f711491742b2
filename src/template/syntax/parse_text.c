/* SPDX-License-Identifier: MIT */
/*
 * The text between quotes. Texts come out printable. A backslash at the end of a line is a blank; \" and \\
 * lose their backslash and others keep it (D21). Bytes that are not printable UTF-8 become \xNN, tabs
 * excepted.
 */
#include "template/syntax/parser.h"

#include <string.h>

#include "base/text.h"

/* Returns the number of bytes of a continuation at `at`, or 0 if it is something else. */
static size_t line_break_bytes(const char *at, const char *end)
{
	size_t left = (size_t)(end - at);

	if (left < 2 || *at != '\\')
		return 0;
	if (at[1] == '\n')
		return 2;
	return left > 2 && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* Returns true if `at` is a backslash that only makes the byte behind it literal. */
static bool is_escape(const char *at, const char *end, char quote)
{
	return *at == '\\' && end - at > 1 && (at[1] == quote || at[1] == '\\') &&
	       !line_break_bytes(at + 1, end);
}

static bool is_plain_text(struct text raw)
{
	for (size_t i = 0; i < raw.n_bytes; i++)
		if (raw.bytes[i] < ' ' || raw.bytes[i] == '\x7f' || raw.bytes[i] == '\\')
			return false;
	return true;
}

static size_t unescape_text(char *undone, struct text raw, char quote)
{
	const char *at = raw.bytes, *end = at + raw.n_bytes;
	char *p = undone;

	while (at < end) {
		size_t n = line_break_bytes(at, end);

		if (n) {
			*p++ = ' ';
			at += n;
			continue;
		}
		at += is_escape(at, end, quote);
		*p++ = *at++;
	}
	return (size_t)(p - undone);
}

static char *clean_around_tabs(char *p, const char *bytes, size_t n_bytes)
{
	const char *end = bytes + n_bytes, *tab;

	while (bytes < end && (tab = memchr(bytes, '\t', (size_t)(end - bytes)))) {
		p = text_clean(p, (const uint8_t *)bytes, (size_t)(tab - bytes));
		*p++ = '\t';
		bytes = tab + 1;
	}
	return text_clean(p, (const uint8_t *)bytes, (size_t)(end - bytes));
}

bool parse_text(struct parser *parser, struct text raw, char quote, struct text *ret_text)
{
	enum { GROWTH = 4 }; /* \xNN for a byte */
	char *undone, *clean;
	size_t n_bytes;

	if (is_plain_text(raw)) {
		clean = arena_copy(parser->arena, raw.bytes, raw.n_bytes);
		*ret_text = (struct text){ clean, raw.n_bytes };
		parser->has_no_memory |= !clean;
		return clean;
	}
	undone = parser_alloc(parser, raw.n_bytes + 1);
	clean = parser_alloc(parser, GROWTH * raw.n_bytes + 1);
	if (!undone || !clean)
		return false;
	n_bytes = unescape_text(undone, raw, quote);
	*ret_text = (struct text){ clean, (size_t)(clean_around_tabs(clean, undone, n_bytes) - clean) };
	return true;
}

/* --- `…`: text with codes and macros in it (D27) -------------------------------------------------------- */

/* The parts found so far, and where in the file the scan is. */
struct quoted {
	struct parser *parser;
	struct node **tail;
	const char *from; /* text that is not yet a part … */
	const char *at;	  /* … ends here */
	const char *end;
};

/* Besides the bytes that end words elsewhere, some signs end them here. */
static bool is_word_byte(char c)
{
	return (unsigned char)c > ' ' && !strchr("\"`{},$\\:=()[]/", c);
}

static bool part_add(struct quoted *quoted, struct node *part)
{
	if (!part)
		return false;
	*quoted->tail = part;
	quoted->tail = &part->next;
	return true;
}

/* The text before quoted->at becomes a part, and the next one begins at `next`. */
static bool part_flush(struct quoted *quoted, const char *next)
{
	const struct token token = { .at = quoted->from };
	const struct text raw = { quoted->from, (size_t)(quoted->at - quoted->from) };
	struct node *part;

	quoted->from = next;
	if (!raw.n_bytes)
		return true;
	part = parser_node(quoted->parser, NODE_TEXT, &token);
	return part && parse_text(quoted->parser, raw, '`', &part->text) && part_add(quoted, part);
}

static const char *name_end(const char *at, const char *end)
{
	while (at < end && text_is_of_name(*at))
		at++;
	return at;
}

static bool take_macro(struct quoted *quoted)
{
	const char *at = quoted->at, *end = name_end(at + 1, quoted->end);
	const struct token name = { .at = at, .text = { at + 1, (size_t)(end - at - 1) } };
	struct text cast = { end + 1, 0 };
	struct code code;

	if (!name.text.n_bytes)
		return parser_fail(quoted->parser, "T12", at, "name expected after $");
	if (end < quoted->end && *end == '%' &&
		code_parse_cast(cast.bytes, (size_t)(quoted->end - cast.bytes), &code, &cast.n_bytes) !=
			CODE_NONE)
		end = cast.bytes + cast.n_bytes;
	if (!part_flush(quoted, end) ||
		!part_add(quoted, parser_macro(quoted->parser, &name, cast.n_bytes ? &cast : NULL)))
		return false;
	quoted->at = end;
	return true;
}

static bool parse_text_take_word(struct quoted *quoted)
{
	const char *end = quoted->at;
	const struct token token = { .at = quoted->at };
	struct node *code;
	bool is_bad;

	while (end < quoted->end && is_word_byte(*end))
		end++;
	code = parse_code(
		quoted->parser, &token, (struct text){ token.at, (size_t)(end - token.at) }, &is_bad);
	if (is_bad || (code && (!part_flush(quoted, end) || !part_add(quoted, code))))
		return false;
	quoted->at = end;
	return true;
}

struct node *parse_quoted(struct parser *parser)
{
	const struct token *token = parser->token++;
	struct node *node = parser_node(parser, NODE_QUOTED, token);
	struct quoted quoted = { .parser = parser, .from = token->text.bytes, .at = token->text.bytes };

	if (!node)
		return NULL;
	quoted.end = quoted.at + token->text.n_bytes;
	quoted.tail = &node->parts;
	while (quoted.at < quoted.end) {
		if (*quoted.at == '$') {
			if (!take_macro(&quoted))
				return NULL;
		} else if (is_word_byte(*quoted.at)) {
			if (!parse_text_take_word(&quoted))
				return NULL;
		} else {
			quoted.at += is_escape(quoted.at, quoted.end, '`') ? 2 : 1;
		}
	}
	return part_flush(&quoted, quoted.end) ? node : NULL;
}
