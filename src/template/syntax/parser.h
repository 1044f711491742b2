/* SPDX-License-Identifier: MIT */
/*
 * The parser's own parts. Each function takes what it is named for from the tokens and returns its node, or
 * NULL when it cannot: then the stanza has its one diagnosis, or memory ran out.
 *
 *	parse.c        key, version, level, label
 *	parse_item.c   items and their lists, SWITCH, LOOP
 *	parse_flags.c  BITFLAGS
 *	parse_expr.c   assignments, timers, expressions
 *	parse_text.c   what is between quotes
 */
#ifndef TEMPLATE_SYNTAX_PARSER_H
#define TEMPLATE_SYNTAX_PARSER_H

#include "template/syntax/parse.h"

struct parser {
	const struct template_file *file;
	const struct token *token; /* the next one; the last of a line is never passed */
	struct arena *arena;
	struct diags *diags;
	struct stanza *stanza;
	enum key_kind keys;
	unsigned n_groups;    /* open groups and parentheses */
	unsigned n_operators; /* of the expression */
	bool has_no_memory;
	unsigned n_macros;
	struct text *macros; /* room for TREE_MACROS_MAX */
};

/* --- parse.c -------------------------------------------------------------------------------------------- */

/* Room for one thing; NULL, which is remembered, when memory ran out. */
void *parser_alloc(struct parser *parser, size_t n_bytes);

/* A node that begins with token; white space before it counts when it is an item. */
struct node *parser_node(struct parser *parser, enum node_kind kind, const struct token *token);

/* Diagnoses; returns NULL. */
void *parser_fail(struct parser *parser, const char *number, const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* "LOOP needs …, not X": wanted is what comes before the comma, X the next token. Returns NULL. */
void *parser_expect(struct parser *parser, const char *number, const char *wanted);

/* One more open group or parenthesis at the token. Returns false, with T14, if there are too many. */
bool parser_nest(struct parser *parser, const struct token *token);

/*
 * Reads all of text as digits of a base. Returns false if it has no digits, other bytes, or more than 64
 * bits.
 */
bool parse_digits(struct text text, unsigned base, uint64_t *ret_number);

/* --- parse_text.c --------------------------------------------------------------------------------------- */

/*
 * A copy, clean and without escapes; quote is what a backslash may stand before, or 0. Returns false if
 * memory ran out.
 */
bool parse_text(struct parser *parser, struct text raw, char quote, struct text *ret_text);

/* `…` */
struct node *parse_quoted(struct parser *parser);

/* --- parse_item.c --------------------------------------------------------------------------------------- */

/*
 * Items up to the end of the line or the } of their group, which is left. Returns false if an item cannot be
 * parsed.
 */
bool parse_items(struct parser *parser, struct node **ret_items);

/*
 * A code or macro that gives a number, for a statement: number is its diagnosis, wanted as for
 * parser_expect().
 */
struct node *parse_selector(struct parser *parser, const char *number, const char *wanted);

/*
 * A code, or NULL when the text has not the shape of one; *ret_is_bad when it has a bad width, which is
 * diagnosed.
 */
struct node *parse_code(struct parser *parser, const struct token *token, struct text text, bool *ret_is_bad);

/* $name, $name%CODE */
struct node *parse_macro(struct parser *parser);

/* The same of a name and a cast, which may be NULL. */
struct node *parser_macro(struct parser *parser, const struct token *name, const struct text *cast);

/* --- parse_flags.c -------------------------------------------------------------------------------------- */

struct node *parse_flags(struct parser *parser);

/* --- parse_expr.c --------------------------------------------------------------------------------------- */

struct node *parse_assign(struct parser *parser);
struct node *parse_timer(struct parser *parser);

#endif
