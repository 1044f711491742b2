/* SPDX-License-Identifier: MIT */
/* One stanza: key, version, level and label. parse_item.c parses the rest. */
#include "template/syntax/parser.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

enum { FOUND_MAX = 40 }; /* bytes of a token that a diagnosis shows */

/* --- tools of all productions --------------------------------------------------------------------------- */

void *parser_alloc(struct parser *parser, size_t n_bytes)
{
	void *bytes = arena_alloc(parser->arena, n_bytes);

	parser->has_no_memory |= !bytes;
	return bytes;
}

struct node *parser_node(struct parser *parser, enum node_kind kind, const struct token *token)
{
	struct node *node = parser_alloc(parser, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	node->is_spaced = token->is_spaced;
	node->at = token->at;
	return node;
}

void *parser_fail(struct parser *parser, const char *number, const char *at, const char *format, ...)
{
	const struct diag_location location = {
		.file = parser->file, .at = at, .key = parser->stanza->written_key
	};
	va_list args;

	va_start(args, format);
	diag_add_list(parser->diags, number, location, format, args);
	va_end(args);
	return NULL;
}

void *parser_expect(struct parser *parser, const char *number, const char *wanted)
{
	static const char *const before[N_TOKEN_KINDS] = {
		[TOKEN_STRING] = "\"",
		[TOKEN_BACKQUOTE] = "`",
		[TOKEN_MACRO] = "$",
		[TOKEN_CAST] = "%",
	};
	const struct token *token = parser->token;
	const char *mark = before[token->kind] ? before[token->kind] : "";
	const char *after = token->kind == TOKEN_STRING || token->kind == TOKEN_BACKQUOTE ? mark : "";
	size_t n = token->text.n_bytes;

	if (token->kind == TOKEN_END)
		return parser_fail(parser, number, token->at, "%s, but the line ends", wanted);
	return parser_fail(parser, number, token->at, "%s, not %s%.*s%s%s", wanted, mark,
		(int)(n < FOUND_MAX ? n : FOUND_MAX), token->text.bytes, n > FOUND_MAX ? "…" : "", after);
}

bool parser_nest(struct parser *parser, const struct token *token)
{
	if (++parser->n_groups <= TREE_NESTING_MAX)
		return true;
	parser_fail(parser, "T14", token->at, "groups and parentheses are nested more than %d deep",
		(int)TREE_NESTING_MAX);
	return false;
}

bool parse_digits(struct text text, unsigned base, uint64_t *ret_number)
{
	*ret_number = 0;
	for (size_t i = 0; i < text.n_bytes; i++) {
		unsigned digit = text_digit(text.bytes[i]);

		if (digit >= base || *ret_number > (UINT64_MAX - digit) / base)
			return false;
		*ret_number = *ret_number * base + digit;
	}
	return text.n_bytes > 0;
}

/* --- keys ----------------------------------------------------------------------------------------------- */

/* The constant name of an event, which may have a + and a number behind it, or any name for a subroutine. */
static bool is_event_name(struct text text)
{
	for (size_t i = 0; i < text.n_bytes; i++) {
		char c = text.bytes[i];

		if (!text_is_letter(c) && c != '_' && (i == 0 || (!text_is_digit(c) && c != '+' && c != '.')))
			return false;
	}
	return text.n_bytes > 0;
}

static bool is_key(const struct parser *parser, const struct token *token)
{
	return token->kind == TOKEN_WORD && (key_is_hook(token->text.bytes, token->text.n_bytes) ||
						    (parser->keys == KEY_NAME && is_event_name(token->text)));
}

static bool set_key(struct parser *parser, struct text written)
{
	char *copy = arena_copy(parser->arena, written.bytes, written.n_bytes);
	char *key = parser_alloc(parser, written.n_bytes + 1);

	parser->has_no_memory |= !copy;
	if (!copy || !key)
		return false;
	parser->stanza->written_key = (struct text){ copy, written.n_bytes };
	parser->stanza->key = (struct text){ key, key_normalise(key, written.bytes, written.n_bytes) };
	return true;
}

static bool parse_stanza_key(struct parser *parser)
{
	const struct token *token = parser->token;

	if (is_key(parser, token)) {
		parser->token++;
		return set_key(parser, token->text);
	}
	if (token->kind == TOKEN_WORD && (*token->text.bytes == '+' || *token->text.bytes == '-'))
		parser_fail(parser, "T01", token->at,
			"+ and - before a hook id belong into update files, whose first line is \"* "
			"/etc/trcfmt\"");
	else if (parser->keys == KEY_HOOK && token->kind == TOKEN_WORD && token->text.n_bytes > 4 &&
		 is_event_name(token->text))
		parser_fail(parser, "T01", token->at,
			"a template begins with its hook id; a file for events with names has a line in "
			"front that says "
			"whose, as # dialect: threadx");
	else
		parser_expect(parser, "T01",
			parser->keys == KEY_HOOK
				? "a template begins with its hook id, 3 or 4 hexadecimal digits"
				: "a template begins with the name of its event");
	return false;
}

/* --- version, level, label ------------------------------------------------------------------------------ */

/* A decimal number of at most nine digits; returns one past it, or NULL. */
static const char *take_decimal(const char *at, const char *end, unsigned *ret_number)
{
	const char *start = at;

	*ret_number = 0;
	for (; at < end && text_is_digit(*at) && at - start < 9; at++)
		*ret_number = *ret_number * 10 + (unsigned)(*at - '0');
	return at > start ? at : NULL;
}

static bool parse_version(struct parser *parser)
{
	const struct token *token = parser->token;
	const char *at = token->text.bytes, *end = at + token->text.n_bytes;

	at = token->kind == TOKEN_WORD ? take_decimal(at, end, &parser->stanza->version) : NULL;
	if (at && at < end && *at == '.')
		at = take_decimal(at + 1, end, &parser->stanza->release);
	else
		at = NULL;
	if (at != end) {
		parser_expect(parser, "T02", "version.release expected, such as 1.0");
		return false;
	}
	parser->token++;
	return true;
}

static bool parse_level(struct parser *parser)
{
	const struct token *token = parser->token;
	struct text name = token->text;

	parser->stanza->level = LEVEL_KERN;
	if (token->kind != TOKEN_WORD || name.n_bytes < 2 || memcmp(name.bytes, "L=", 2) != 0)
		return true;
	name = (struct text){ name.bytes + 2, name.n_bytes - 2 };
	for (unsigned i = 0; i < N_LEVELS; i++)
		if (text_is_word(name, level_names[i])) {
			parser->stanza->level = (enum level)i;
			parser->token++;
			return true;
		}
	parser_expect(parser, "T03", "the level is one of L=APPL, L=SVC, L=KERN, L=INT");
	return false;
}

static bool parse_label(struct parser *parser)
{
	struct stanza *stanza = parser->stanza;

	if (parser->token->kind != TOKEN_STRING)
		return true;
	if (!parse_text(parser, parser->token->text, '"', &stanza->label))
		return false;
	parser->token++;
	stanza->has_label = true;
	if (stanza->label.n_bytes && *stanza->label.bytes == '@') {
		stanza->is_label_hidden = true;
		stanza->label.bytes++;
		stanza->label.n_bytes--;
	}
	return true;
}

/* --- stanzas -------------------------------------------------------------------------------------------- */

static bool keep_macros(struct parser *parser)
{
	size_t n_bytes = parser->n_macros * sizeof(*parser->macros);
	struct text *macros = parser_alloc(parser, n_bytes);

	if (!macros)
		return false;
	if (n_bytes)
		memcpy(macros, parser->macros, n_bytes);
	parser->stanza->macros = macros;
	parser->stanza->n_macros = parser->n_macros;
	return true;
}

static bool parse_body(struct parser *parser)
{
	if (!parse_version(parser) || !parse_level(parser) || !parse_label(parser) ||
		!parse_items(parser, &parser->stanza->body))
		return false;
	/* White space between the level and the first item is not between items. */
	if (!parser->stanza->has_label && parser->stanza->body)
		parser->stanza->body->is_spaced = false;
	if (parser->token->kind == TOKEN_END)
		return keep_macros(parser);
	parser_fail(parser, "T05", parser->token->at, "} without a { before it");
	return false;
}

/* The line has a token that the lexer has diagnosed: only the key is of interest. */
static bool has_bad_token(const struct lexer *lexer)
{
	return lexer->tokens[lexer->n_tokens - 1].kind == TOKEN_BAD;
}

enum rst_status parse_stanza(struct stanza **ret_stanza, struct lexer *lexer, enum key_kind keys,
	struct arena *arena, struct diags *diags)
{
	struct text macros[TREE_MACROS_MAX];
	struct parser parser = {
		.file = lexer->file,
		.token = lexer->tokens,
		.arena = arena,
		.diags = diags,
		.keys = keys,
		.macros = macros,
	};
	struct stanza *stanza = parser_alloc(&parser, sizeof(*stanza));
	bool is_bad = has_bad_token(lexer);

	*ret_stanza = NULL;
	if (!stanza)
		return RST_E_NOMEM;
	parser.stanza = stanza;
	stanza->file = lexer->file;
	stanza->at = lexer->tokens->at;
	stanza->end = lexer->line_end;
	if (is_bad && !is_key(&parser, parser.token))
		return RST_OK;
	if (parse_stanza_key(&parser)) {
		stanza->is_bad = is_bad || !parse_body(&parser);
		*ret_stanza = stanza;
	}
	return parser.has_no_memory ? RST_E_NOMEM : RST_OK;
}
