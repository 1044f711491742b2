/* SPDX-License-Identifier: MIT */
/* Lists of items, and the statements that hold lists: SWITCH and LOOP. */
#include "template/syntax/parser.h"

#include <string.h>

/* --- words: text, codes, name=CODE ---------------------------------------------------------------------- */

static struct node *new_text(struct parser *parser, const struct token *token, struct text raw, char quote)
{
	struct node *node = parser_node(parser, NODE_TEXT, token);

	return node && parse_text(parser, raw, quote, &node->text) ? node : NULL;
}

static struct node *fail_width(struct parser *parser, struct text text, const struct code *code)
{
	const struct code_row *row = &code_rows[code->letter];
	enum { SHOWN_MAX = 40 };

	return parser_fail(parser, "T08", text.bytes, "%.*s %s; %c takes %s",
		(int)(text.n_bytes < SHOWN_MAX ? text.n_bytes : SHOWN_MAX), text.bytes, code_fault(code),
		row->letter, row->takes);
}

struct node *parse_code(struct parser *parser, const struct token *token, struct text text, bool *ret_is_bad)
{
	const struct token name = { .at = token->at, .is_spaced = token->is_spaced, .text = text };
	struct code code;
	enum code_parse outcome = code_parse(text.bytes, text.n_bytes, &code);
	struct node *node = NULL;

	*ret_is_bad = false;
	if (outcome == CODE_GOOD) {
		node = parser_node(parser, NODE_CODE, token);
		if (node)
			node->code = code;
	} else if (outcome == CODE_BAD_WIDTH) {
		fail_width(parser, text, &code);
	} else if (text_is_word(text, "HD") || text_is_word(text, "HL")) {
		node = parser_macro(parser, &name, NULL);
	} else {
		return NULL;
	}
	*ret_is_bad = !node;
	return node;
}

/* The code behind the last = of a word, or NULL. */
static struct node *parse_named_code(
	struct parser *parser, const struct token *token, const char *sign, bool *ret_is_bad)
{
	const char *end = token->text.bytes + token->text.n_bytes;
	const struct token code = { .at = sign + 1 };

	return parse_code(parser, &code, (struct text){ sign + 1, (size_t)(end - sign - 1) }, ret_is_bad);
}

/* A word that is no statement: a code, or text, or text up to a = and a code (D22). */
static struct node *parse_plain_word(struct parser *parser)
{
	const struct token *token = parser->token++;
	const char *sign = memrchr(token->text.bytes, '=', token->text.n_bytes);
	bool is_bad;
	struct node *code = parse_code(parser, token, token->text, &is_bad), *text;
	struct text raw = token->text;

	if (code || is_bad)
		return code;
	if (sign)
		code = parse_named_code(parser, token, sign, &is_bad);
	if (is_bad)
		return NULL;
	if (code)
		raw.n_bytes = (size_t)(sign + 1 - raw.bytes);
	text = new_text(parser, token, raw, 0);
	if (text)
		text->next = code;
	return text;
}

static struct node *parse_string(struct parser *parser)
{
	const struct token *token = parser->token++;

	return new_text(parser, token, token->text, '"');
}

/* --- macros, selectors ---------------------------------------------------------------------------------- */

struct node *parser_macro(struct parser *parser, const struct token *name, const struct text *cast)
{
	struct node *node = parser_node(parser, NODE_MACRO, name);
	size_t n_bytes;

	if (!node || !parse_text(parser, name->text, 0, &node->macro.name))
		return NULL;
	if (!cast)
		return node;
	node->macro.has_cast = true;
	if (code_parse_cast(cast->bytes, cast->n_bytes, &node->macro.cast, &n_bytes) != CODE_GOOD)
		return fail_width(parser, *cast, &node->macro.cast);
	if (!code_cast_is_known(cast->bytes, n_bytes))
		parser_fail(parser, "W06", cast->bytes,
			"a macro cannot be cast to %.*s: it prints as X2; X, D, U, B, o, W, ns, us and ms "
			"are casts",
			(int)n_bytes, cast->bytes);
	return node;
}

struct node *parse_macro(struct parser *parser)
{
	const struct token *token = parser->token++;
	bool has_cast = parser->token->kind == TOKEN_CAST;

	parser->token += has_cast;
	return parser_macro(parser, token, has_cast ? &token[1].text : NULL);
}

static bool is_selector(const struct node *node)
{
	if (node->kind == NODE_MACRO)
		return true;
	return node->kind == NODE_CODE && (code_rows[node->code.letter].value == CODE_NUMBER ||
						  code_rows[node->code.letter].value == CODE_STRING);
}

struct node *parse_selector(struct parser *parser, const char *number, const char *wanted)
{
	const struct token *token = parser->token;
	const struct token unspaced = { .at = token->at };
	struct node *selector = NULL;
	bool is_bad = false;

	if (token->kind == TOKEN_MACRO) {
		selector = parse_macro(parser);
		if (selector)
			selector->is_spaced = false;
		return selector;
	}
	if (token->kind == TOKEN_WORD)
		selector = parse_code(parser, &unspaced, token->text, &is_bad);
	if (is_bad)
		return NULL;
	if (!selector ||
		(selector->kind == NODE_CODE && code_rows[selector->code.letter].value != CODE_NUMBER))
		return parser_expect(parser, number, wanted);
	parser->token++;
	return selector;
}

/* --- groups, LOOP --------------------------------------------------------------------------------------- */

/* { … }; white space right behind the { does not count. The next token is the {. */
static bool parse_group(struct parser *parser, struct node **ret_items)
{
	const struct token *open = parser->token++;

	if (!parser_nest(parser, open) || !parse_items(parser, ret_items))
		return false;
	if (parser->token->kind != TOKEN_CLOSE)
		return parser_fail(parser, "T05", open->at, "the { that stands here is not closed");
	parser->n_groups--;
	parser->token++;
	if (*ret_items)
		(*ret_items)->is_spaced = false;
	return true;
}

static struct node *parse_loop(struct parser *parser)
{
	struct node *loop = parser_node(parser, NODE_LOOP, parser->token++);

	if (!loop)
		return NULL;
	loop->loop.count = parse_selector(parser, "T10", "LOOP needs a code that is a number, or a macro");
	if (!loop->loop.count)
		return NULL;
	if (parser->token->kind != TOKEN_OPEN)
		return parser_expect(parser, "T10", "LOOP needs a { behind its count");
	return parse_group(parser, &loop->loop.body) ? loop : NULL;
}

/* --- SWITCH --------------------------------------------------------------------------------------------- */

static bool is_statement(const struct token *token)
{
	return token->kind == TOKEN_WORD &&
	       (text_is_word(token->text, "LOOP") || text_is_word(token->text, "BITFLAGS"));
}

static bool is_match(const struct token *token)
{
	return token->kind == TOKEN_WORD || token->kind == TOKEN_STRING || token->kind == TOKEN_WILD;
}

/* One string, one word, or a group (D31). */
static bool parse_case_body(struct parser *parser, struct node **ret_body)
{
	const struct token *token = parser->token;

	if (token->kind == TOKEN_OPEN)
		return parse_group(parser, ret_body);
	if (token->kind == TOKEN_MACRO || token->kind == TOKEN_BEGIN || token->kind == TOKEN_TIMER ||
		is_statement(token))
		return parser_expect(
			parser, "T06", "the body of a case is a string, a word, or a group in braces");
	if (token->kind == TOKEN_STRING)
		*ret_body = parse_string(parser);
	else if (token->kind == TOKEN_BACKQUOTE)
		*ret_body = parse_quoted(parser);
	else if (token->kind == TOKEN_WORD)
		*ret_body = parse_plain_word(parser);
	else
		return parser_expect(parser, "T06", "a case needs a body behind its value");
	if (*ret_body)
		(*ret_body)->is_spaced = false;
	return *ret_body;
}

static struct switch_case *parse_case(struct parser *parser)
{
	const struct token *token = parser->token;
	struct switch_case *one;

	if (!is_match(token))
		return parser_expect(parser, "T06", "a case is expected behind the comma");
	one = parser_alloc(parser, sizeof(*one));
	if (!one)
		return NULL;
	parser->token++;
	one->at = token->at;
	one->is_quoted = token->kind == TOKEN_STRING;
	one->is_wild = token->kind == TOKEN_WILD || (!one->is_quoted && text_is_word(token->text, "*"));
	if (!parse_text(parser, token->text, one->is_quoted ? '"' : 0, &one->match))
		return NULL;
	return parse_case_body(parser, &one->body) ? one : NULL;
}

/* The cases of a selector; the next token is the comma. */
static struct node *parse_switch(struct parser *parser, struct node *selector)
{
	const struct token first = { .at = selector->at, .is_spaced = selector->is_spaced };
	struct node *node = parser_node(parser, NODE_SWITCH, &first);
	struct switch_case **tail;

	if (!node)
		return NULL;
	node->select.selector = selector;
	selector->is_spaced = false;
	tail = &node->select.cases;
	while (parser->token->kind == TOKEN_COMMA) {
		parser->token++;
		*tail = parse_case(parser);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
	}
	return node;
}

/* --- items ---------------------------------------------------------------------------------------------- */

static struct node *parse_word(struct parser *parser)
{
	if (text_is_word(parser->token->text, "LOOP"))
		return parse_loop(parser);
	if (text_is_word(parser->token->text, "BITFLAGS"))
		return parse_flags(parser);
	return parse_plain_word(parser);
}

static struct node *parse_comma(struct parser *parser)
{
	const struct token *token = parser->token++;

	return new_text(parser, token, token->text, 0);
}

static struct node *parse_newline(struct parser *parser)
{
	return parser_node(parser, NODE_NEWLINE, parser->token++);
}

static struct node *parse_tab(struct parser *parser)
{
	return parser_node(parser, NODE_TAB, parser->token++);
}

static struct node *fail_open(struct parser *parser)
{
	return parser_fail(
		parser, "T05", parser->token->at, "{ stands only behind LOOP and in the cases of a SWITCH");
}

static struct node *fail_wild(struct parser *parser)
{
	return parser_fail(parser, "T06", parser->token->at, "\\* stands only in the cases of a SWITCH");
}

static struct node *(*const item_parsers[N_TOKEN_KINDS])(struct parser *parser) = {
	[TOKEN_WORD] = parse_word,
	[TOKEN_STRING] = parse_string,
	[TOKEN_BACKQUOTE] = parse_quoted,
	[TOKEN_MACRO] = parse_macro,
	[TOKEN_COMMA] = parse_comma,
	[TOKEN_OPEN] = fail_open,
	[TOKEN_NEWLINE] = parse_newline,
	[TOKEN_TAB] = parse_tab,
	[TOKEN_WILD] = fail_wild,
	[TOKEN_BEGIN] = parse_assign,
	[TOKEN_TIMER] = parse_timer,
};

/* Puts one item, and the code that belongs to its name, at *slot; with its cases when a comma follows. */
static bool parse_item(struct parser *parser, struct node **slot)
{
	struct node *(*parse)(struct parser * parser) = item_parsers[parser->token->kind];

	if (!parse)
		return parser_expect(parser, "T12", "an item is expected");
	*slot = parse(parser);
	if (!*slot)
		return false;
	while ((*slot)->next)
		slot = &(*slot)->next;
	if (parser->token->kind == TOKEN_COMMA && is_selector(*slot))
		*slot = parse_switch(parser, *slot);
	return *slot;
}

bool parse_items(struct parser *parser, struct node **ret_items)
{
	struct node **tail = ret_items;

	*tail = NULL;
	while (parser->token->kind != TOKEN_END && parser->token->kind != TOKEN_CLOSE) {
		if (!parse_item(parser, tail))
			return false;
		while (*tail)
			tail = &(*tail)->next;
	}
	return true;
}
