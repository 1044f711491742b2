/* SPDX-License-Identifier: MIT */
/*
 * Expressions, and the statements that have them: {{ $name = value }} and timers. From loose to tight: &,
 * then + and -, then * and /, then the sign; equal ones group to the left (D7).
 */
#include "template/syntax/parser.h"

enum { LOOSEST = 1, TIGHTEST = 3 };

static const struct {
	char sign;
	int rank;
} operators[] = { { '&', 1 }, { '+', 2 }, { '-', 2 }, { '*', 3 }, { '/', 3 } };

static struct node *parse_binary(struct parser *parser, int rank);

static bool is_operator(const struct token *token, char sign)
{
	return token->kind == TOKEN_OPERATOR && *token->text.bytes == sign;
}

/* --- operands ------------------------------------------------------------------------------------------- */

/* The lexer has checked the digits. */
static bool read_constant(struct text text, int64_t *ret_number)
{
	bool is_hex = text.n_bytes > 2 && (text.bytes[1] | 0x20) == 'x';
	const struct text digits = { text.bytes + 2 * is_hex, text.n_bytes - 2 * is_hex };
	uint64_t number;

	if (!parse_digits(digits, is_hex ? 16 : 10, &number))
		return false;
	*ret_number = (int64_t)number;
	return true;
}

static struct node *parse_constant(struct parser *parser)
{
	const struct token *token = parser->token++;
	struct node *node = parser_node(parser, NODE_NUMBER, token);

	if (node && !read_constant(token->text, &node->number))
		return parser_fail(parser, "T12", token->at, "a number has at most 64 bits");
	return node;
}

static struct node *parse_parentheses(struct parser *parser)
{
	const struct token *open = parser->token++;
	struct node *inner = parser_nest(parser, open) ? parse_binary(parser, LOOSEST) : NULL;

	if (!inner)
		return NULL;
	if (!is_operator(parser->token, ')'))
		return parser_expect(parser, "T12", "an operator or ) is expected");
	parser->token++;
	parser->n_groups--;
	return inner;
}

static struct node *parse_unsigned_operand(struct parser *parser)
{
	if (parser->token->kind == TOKEN_NUMBER)
		return parse_constant(parser);
	if (is_operator(parser->token, '('))
		return parse_parentheses(parser);
	return parse_selector(parser, "T12", "a number, a macro, or a code that is a number is expected");
}

/* Takes any number of minus signs. Two signs cancel out, so that a row of signs does not make a deep tree. */
static struct node *parse_operand(struct parser *parser)
{
	const struct token *first = parser->token;
	bool is_negative = false;
	struct node *operand, *negative;

	for (; is_operator(parser->token, '-'); parser->token++)
		is_negative = !is_negative;
	operand = parse_unsigned_operand(parser);
	if (!operand || !is_negative)
		return operand;
	negative = parser_node(parser, NODE_NEGATE, first);
	if (negative)
		negative->binary.left = operand;
	return negative;
}

/* --- operators ------------------------------------------------------------------------------------------ */

static bool has_rank(const struct token *token, int rank)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].rank == rank && is_operator(token, operators[i].sign))
			return true;
	return false;
}

static struct node *new_binary(struct parser *parser, const struct token *token, struct node *left)
{
	struct node *node;

	if (++parser->n_operators > TREE_OPERATORS_MAX)
		return parser_fail(parser, "T14", token->at, "an expression has more than %d operators",
			(int)TREE_OPERATORS_MAX);
	node = parser_node(parser, NODE_BINARY, token);
	if (node) {
		node->binary.sign = *token->text.bytes;
		node->binary.left = left;
	}
	return node;
}

static struct node *parse_binary(struct parser *parser, int rank)
{
	struct node *left = rank < TIGHTEST ? parse_binary(parser, rank + 1) : parse_operand(parser);

	while (left && has_rank(parser->token, rank)) {
		const struct token *token = parser->token++;
		struct node *node = new_binary(parser, token, left);

		if (!node)
			return NULL;
		node->binary.right = rank < TIGHTEST ? parse_binary(parser, rank + 1) : parse_operand(parser);
		left = node->binary.right ? node : NULL;
	}
	return left;
}

static struct node *parse_expression(struct parser *parser)
{
	parser->n_operators = 0;
	return parse_binary(parser, LOOSEST);
}

/* --- {{ $name = value }} -------------------------------------------------------------------------------- */

static bool is_known_macro(const struct parser *parser, struct text name)
{
	for (unsigned i = 0; i < parser->n_macros; i++)
		if (text_is_same(parser->macros[i], name))
			return true;
	return false;
}

static void *fail_name(struct parser *parser, const struct token *token, const char *what)
{
	enum { SHOWN_MAX = 40 };
	size_t n = token->text.n_bytes;

	return parser_fail(parser, "T13", token->at, "$%.*s %s", (int)(n < SHOWN_MAX ? n : SHOWN_MAX),
		token->text.bytes, what);
}

/*
 * The macros of a stanza are counted in the order in which they are first defined: subroutines share them by
 * it.
 */
static bool define_macro(struct parser *parser, const struct token *token, struct text name)
{
	const struct macro_row *row = macro_find(name.bytes, name.n_bytes);

	if (parser->keys == KEY_HOOK && key_is_hook(name.bytes, name.n_bytes))
		return fail_name(
			parser, token, "calls the template of a hook; a macro needs another name (D17)");
	if (row && !row->is_assignable)
		return fail_name(parser, token, "is built in and can only be read");
	if (row || is_known_macro(parser, name))
		return true;
	if (parser->n_macros == TREE_MACROS_MAX)
		return parser_fail(
			parser, "T14", token->at, "a template has at most %d macros", (int)TREE_MACROS_MAX);
	parser->macros[parser->n_macros++] = name;
	return true;
}

/* IBM's manual writes {{ DATAPOINTER = 8 }}, too. */
static bool is_pointer(const struct token *token)
{
	const struct macro_row *row =
		token->kind == TOKEN_WORD ? macro_find(token->text.bytes, token->text.n_bytes) : NULL;

	return row && (row->id == MACRO_DATAPOINTER || row->id == MACRO_BASEPOINTER);
}

struct node *parse_assign(struct parser *parser)
{
	struct node *node = parser_node(parser, NODE_ASSIGN, parser->token++);
	const struct token *token = parser->token;
	struct node_macro *macro;

	if (!node)
		return NULL;
	if (token->kind != TOKEN_MACRO && !is_pointer(token))
		return parser_expect(parser, "T12", "{{ needs the $name of a macro");
	macro = &node->assign.macro;
	if (!parse_text(parser, token->text, 0, &macro->name) || !define_macro(parser, token, macro->name))
		return NULL;
	parser->token++;
	if (is_operator(parser->token, '=')) {
		parser->token++;
		node->assign.value = parse_expression(parser);
		if (!node->assign.value)
			return NULL;
	}
	if (parser->token->kind != TOKEN_FINISH)
		return parser_expect(parser, "T12",
			node->assign.value ? "an operator or }} is expected" : "= or }} is expected");
	parser->token++;
	return node;
}

/* --- starttimer(a, b), endtimer(a, b) ------------------------------------------------------------------- */

static struct node *parse_argument(struct parser *parser)
{
	const struct token *token = parser->token;

	if (token->kind == TOKEN_COMMA || token->kind == TOKEN_END || is_operator(token, ')'))
		return parser_expect(parser, "T15", "a timer needs two arguments");
	return parse_expression(parser);
}

struct node *parse_timer(struct parser *parser)
{
	const struct token *token = parser->token++;
	struct node *node = parser_node(parser, NODE_TIMER, token);

	if (!node)
		return NULL;
	node->timer.is_start = *token->text.bytes == 's';
	node->timer.first = parse_argument(parser);
	if (!node->timer.first)
		return NULL;
	if (parser->token->kind != TOKEN_COMMA)
		return parser_expect(parser, "T15", "a timer needs two arguments with a comma between");
	parser->token++;
	node->timer.second = parse_argument(parser);
	if (!node->timer.second)
		return NULL;
	if (!is_operator(parser->token, ')'))
		return parser_expect(parser, "T15", "a timer ends with ) behind two arguments");
	parser->token++;
	return node;
}
