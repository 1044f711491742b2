/* SPDX-License-Identifier: MIT */
/*
 * BITFLAGS selector, value "text" "else", & mask value "text", … The commas between flags may be left out
 * (D13); then the list goes on only with what must be a flag.
 */
#include "template/syntax/parser.h"

enum { HEX = 16, DECIMAL = 10, OCTAL = 8 };

/* Values are hexadecimal, or octal with an octal selector. */
static unsigned base_of_flags(const struct node *selector)
{
	enum code_letter letter = CODE_HEX;

	if (selector->kind == NODE_CODE)
		letter = selector->code.letter;
	else if (selector->macro.has_cast)
		letter = selector->macro.cast.letter;
	return letter == CODE_OCTAL ? OCTAL : HEX;
}

/*
 * 0x makes a value hexadecimal, o octal. With digits beyond octal's it is decimal, as in matches (D12).
 * Returns false if it has others, or more than 64 bits.
 */
static bool read_value(struct text text, unsigned base, uint64_t *ret_value, bool *ret_is_decimal)
{
	size_t n_prefix = 0;

	if (text.n_bytes > 2 && text.bytes[0] == '0' && (text.bytes[1] | 0x20) == 'x') {
		base = HEX;
		n_prefix = 2;
	} else if (text.n_bytes > 1 && text.bytes[0] == 'o') {
		base = OCTAL;
		n_prefix = 1;
	}
	text = (struct text){ text.bytes + n_prefix, text.n_bytes - n_prefix };
	*ret_is_decimal = !parse_digits(text, base, ret_value);
	return !*ret_is_decimal || (base == OCTAL && !n_prefix && parse_digits(text, DECIMAL, ret_value));
}

/* Returns false, without a diagnosis, if the text is not a value. */
static bool take_value(struct parser *parser, struct text text, unsigned base, uint64_t *ret_value)
{
	bool is_decimal;

	if (!read_value(text, base, ret_value, &is_decimal))
		return false;
	if (is_decimal)
		parser_fail(parser, "W03", text.bytes, "'%.*s' is read as a decimal number",
			(int)text.n_bytes, text.bytes);
	return true;
}

static bool fail_value(struct parser *parser, unsigned base, const char *what)
{
	char wanted[80];

	snprintf(wanted, sizeof(wanted), "BITFLAGS needs %s%s", what, base == HEX ? "hexadecimal" : "octal");
	return parser_expect(parser, "T11", wanted);
}

static bool parse_value(struct parser *parser, unsigned base, uint64_t *ret_value)
{
	if (parser->token->kind != TOKEN_WORD || !take_value(parser, parser->token->text, base, ret_value))
		return fail_value(parser, base, "a value in ");
	parser->token++;
	return true;
}

static bool begins_mask(const struct token *token)
{
	return token->kind == TOKEN_WORD && *token->text.bytes == '&';
}

/* & mask, with or without white space between. */
static bool parse_mask(struct parser *parser, unsigned base, struct flag *flag)
{
	struct text text = parser->token->text;

	flag->has_mask = true;
	if (text.n_bytes == 1) {
		parser->token++;
		return parse_value(parser, base, &flag->mask);
	}
	text = (struct text){ text.bytes + 1, text.n_bytes - 1 };
	if (!take_value(parser, text, base, &flag->mask))
		return fail_value(parser, base, "a mask in ");
	parser->token++;
	return true;
}

static bool parse_flag_text(struct parser *parser, struct text *ret_text)
{
	const struct token *token = parser->token;

	if (token->kind != TOKEN_STRING && token->kind != TOKEN_WORD)
		return parser_expect(parser, "T11", "BITFLAGS needs a text behind a value");
	parser->token++;
	return parse_text(parser, token->text, token->kind == TOKEN_STRING ? '"' : 0, ret_text);
}

static struct flag *parse_flag(struct parser *parser, unsigned base)
{
	struct flag *flag = parser_alloc(parser, sizeof(*flag));

	if (!flag)
		return NULL;
	flag->at = parser->token->at;
	if (begins_mask(parser->token) && !parse_mask(parser, base, flag))
		return NULL;
	if (!parse_value(parser, base, &flag->value) || !parse_flag_text(parser, &flag->text))
		return NULL;
	if (parser->token->kind == TOKEN_STRING && !parse_flag_text(parser, &flag->otherwise))
		return NULL;
	return flag;
}

/* Without a comma: &, or what is a value and no code, with a text behind it. */
static bool parse_flags_goes_on(const struct parser *parser, unsigned base)
{
	const struct token *token = parser->token;
	struct code code;
	uint64_t value;
	bool is_decimal;

	if (token->kind != TOKEN_WORD)
		return false;
	if (begins_mask(token))
		return token->text.n_bytes == 1 ||
		       read_value((struct text){ token->text.bytes + 1, token->text.n_bytes - 1 }, base,
			       &value, &is_decimal);
	return read_value(token->text, base, &value, &is_decimal) &&
	       code_parse(token->text.bytes, token->text.n_bytes, &code) != CODE_GOOD &&
	       (token[1].kind == TOKEN_STRING || token[1].kind == TOKEN_WORD);
}

/* Takes what stands between two flags. Returns false if the list is at its end. */
static bool next_flag(struct parser *parser, unsigned base)
{
	if (parser->token->kind != TOKEN_COMMA)
		return parse_flags_goes_on(parser, base);
	parser->token++;
	/* A comma before a string ends the list: the string is not one of the list's texts. */
	return parser->token->kind != TOKEN_STRING;
}

struct node *parse_flags(struct parser *parser)
{
	struct node *node = parser_node(parser, NODE_BITFLAGS, parser->token++);
	struct flag **tail;
	unsigned base;

	if (!node)
		return NULL;
	node->bits.selector =
		parse_selector(parser, "T11", "BITFLAGS needs a code that is a number, or a macro");
	if (!node->bits.selector)
		return NULL;
	if (parser->token->kind != TOKEN_COMMA)
		return parser_expect(parser, "T11", "BITFLAGS needs a comma behind its selector");
	parser->token++;
	base = base_of_flags(node->bits.selector);
	tail = &node->bits.flags;
	do {
		*tail = parse_flag(parser, base);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
	} while (next_flag(parser, base));
	return node;
}
