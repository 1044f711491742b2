/* SPDX-License-Identifier: MIT */
/*
 * The parts that the parsers of lines "# effect:" share: parse_effect.c parses the line and its words,
 * parse_effect_value.c parses values.
 */
#ifndef TEMPLATE_SYNTAX_EFFECT_PARSER_H
#define TEMPLATE_SYNTAX_EFFECT_PARSER_H

#include "template/language/effects.h"
#include "template/syntax/parser.h"

struct effect_parser {
	const struct template_file *file;
	struct text key;
	struct arena *arena;
	struct diags *diags;
	struct effect_line *line;
	const char *at, *end; /* what is left of the line */
	uint32_t seen;	      /* bit i: effect_words[i] was there */
	bool has_no_memory;
};

/* Adds a diagnosis. Returns false, so that a failing production can return it. */
bool effect_fail(struct effect_parser *parser, const char *number, const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static inline bool effect_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline void effect_skip_blanks(struct effect_parser *parser)
{
	while (parser->at < parser->end && effect_is_blank(*parser->at))
		parser->at++;
}

/* Takes the letters, digits, _ and . that stand here; the name may be empty. */
struct text effect_take_name(struct effect_parser *parser);

/* Whether this stands here; then it is taken. */
bool effect_take(struct effect_parser *parser, const char *what);

static inline bool effect_word_ends(const struct effect_parser *parser)
{
	return parser->at == parser->end || effect_is_blank(*parser->at);
}

/* The value of a word, and the blank behind it. */
bool effect_take_value(struct effect_parser *parser, const struct effect_word *word);

/* Takes the conditions behind "when", to the end of the line. */
bool effect_take_conditions(struct effect_parser *parser);

#endif
