/* SPDX-License-Identifier: MIT */
/*
 * From text to trees, in two passes. lex.c cuts the logical lines of a file into tokens; parse.c makes a
 * stanza of one line's tokens. A line with an error gives a stanza that is_bad (when so much as its key could
 * be read), one diagnosis, and parsing goes on with the next line.
 */
#ifndef TEMPLATE_SYNTAX_PARSE_H
#define TEMPLATE_SYNTAX_PARSE_H

#include <rastrum/error.h>

#include "base/arena.h"
#include "template/language/key.h"
#include "template/syntax/tree.h"

enum token_kind {
	TOKEN_END,	 /* of the logical line */
	TOKEN_WORD,	 /* unquoted text; in an expression what is no number, such as X2 */
	TOKEN_STRING,	 /* "…": text is what is between the quotes, escapes not undone */
	TOKEN_BACKQUOTE, /* `…`, likewise */
	TOKEN_MACRO,	 /* $name: text is the name */
	TOKEN_CAST,	 /* %CODE right behind a macro: text is the code */
	TOKEN_COMMA,
	TOKEN_OPEN,	/* { */
	TOKEN_CLOSE,	/* } */
	TOKEN_NEWLINE,	/* \n */
	TOKEN_TAB,	/* \t */
	TOKEN_WILD,	/* \* */
	TOKEN_BEGIN,	/* {{: an expression begins … */
	TOKEN_FINISH,	/* … and ends: }} */
	TOKEN_TIMER,	/* starttimer( or endtimer(: text is the word; an expression begins, until its ) */
	TOKEN_NUMBER,	/* in expressions: digits, or 0x and digits */
	TOKEN_OPERATOR, /* in expressions: one of + - * / & ( ) = */
	TOKEN_BAD,	/* a diagnosis was given */
	N_TOKEN_KINDS
};

struct token {
	enum token_kind kind;
	bool is_spaced; /* white space stood before it */
	const char *at;
	struct text text; /* borrowed from the file */
};

struct lexer {
	const struct template_file *file;
	struct diags *diags;
	const char *at;	      /* next byte to look at */
	const char *end;      /* of the file */
	struct token *tokens; /* of the logical line last cut; borrowed until the next one */
	size_t n_tokens, room;
	const char *line, *line_end; /* that line */
	struct text key;	     /* its first word, for diagnoses */

	/* While a line is cut. */
	bool is_spaced;
	bool is_expression; /* {{ … }}, or the arguments of a timer: */
	unsigned n_parens;  /* … open, with its own; 0: not within a timer */
	bool has_no_memory;
};

/* Starts at the top of file. */
void lexer_init(struct lexer *lexer, const struct template_file *file, struct diags *diags);
void lexer_done(struct lexer *lexer);

/*
 * Cuts the next logical line that is neither blank nor a comment; its last token is TOKEN_END (or TOKEN_BAD).
 * RST_END at the end of the file; RST_E_NOMEM.
 */
enum rst_status lexer_line(struct lexer *lexer);

/*
 * The lines "# effect:" between from and to, which are comments in front of a stanza of this key; an empty
 * one: no stanza follows. Lines with errors are left out, with a diagnosis each. *ret_lines lives in arena.
 * Returns false if memory ran out.
 */
bool parse_effects(struct effect_line **ret_lines, const struct template_file *file, const char *from,
	const char *to, struct text key, struct arena *arena, struct diags *diags);

/*
 * Makes a stanza of the lexer's line. *ret_stanza lives in arena. RST_OK, also for a bad one (then it is_bad,
 * and NULL when there was not even a key); RST_E_NOMEM.
 */
enum rst_status parse_stanza(struct stanza **ret_stanza, struct lexer *lexer, enum key_kind keys,
	struct arena *arena, struct diags *diags);

#endif
