/* SPDX-License-Identifier: MIT */
/*
 * Words of the description language of CTF 1.8 (TSDL), and what its two parsers share: types.c and blocks.c.
 */
#ifndef CTF_WORDS_H
#define CTF_WORDS_H

#include "dialect/ctf/ctf.h"

enum { CTF_PATH_BYTES = 1024 }; /* of a path or the name of a type */

enum ctf_word { CTF_WORD_END, CTF_WORD_NAME, CTF_WORD_NUMBER, CTF_WORD_TEXT, CTF_WORD_SIGN };

/* Signs of more than one character. */
enum { CTF_SIGN_IS = 256, CTF_SIGN_RANGE, CTF_SIGN_ARROW };

/* Names of types that are known inside one pair of braces. */
struct ctf_scope {
	struct ctf_scope *outer;
	struct map names; /* to struct ctf_alias */
};

struct ctf_parser {
	struct ctf_trace *trace;
	struct ctf_fault *fault;
	const char *at, *end;
	uint64_t line;
	unsigned depth;
	struct ctf_scope *scope;
	bool has_no_memory;

	/* The present word. */
	enum ctf_word word;
	int sign;
	const char *text; /* a name or a text, from the arena */
	uint64_t number;  /* as signed, if it has a minus */
};

/* words.c: reads the next word. Returns false with a fault if it is no word. */
bool ctf_next(struct ctf_parser *parser);

/* Refuses the description at the present line. Returns false. */
bool ctf_wrong(struct ctf_parser *parser, const char *what);

static inline bool ctf_is_sign(const struct ctf_parser *parser, int sign)
{
	return parser->word == CTF_WORD_SIGN && parser->sign == sign;
}

bool ctf_is_word(const struct ctf_parser *parser, const char *name);

/* Demands a sign and goes on behind it. */
bool ctf_take(struct ctf_parser *parser, int sign);

/* If the present word is this sign, goes on behind it and returns true. A fault shows at the next word. */
bool ctf_took(struct ctf_parser *parser, int sign);

/* Passes over everything to the end of a statement, or of a block. */
bool ctf_pass_statement(struct ctf_parser *parser);

/* words.c: zeroed memory of the trace. */
void *ctf_room(struct ctf_parser *parser, size_t n_bytes);

/* scalars.c: a name without * and brackets, such as `packet.header`, or an attribute's value. */
const char *ctf_path(struct ctf_parser *parser);

/* The value of an attribute. */
struct ctf_value {
	bool is_number, is_negative;
	uint64_t number;
	const char *text; /* a text, a name or a path; NULL of a number */
};

/* scalars.c: reads a value and the semicolon behind it. Returns false with a fault. */
bool ctf_take_value(struct ctf_parser *parser, struct ctf_value *ret);

/* scalars.c: whether a value means true: true, TRUE, or a number other than 0. */
bool ctf_is_true(const struct ctf_value *value);

/* scalars.c: a class of this kind, from the trace's arena. Returns NULL with a fault if memory ran out. */
struct ctf_class *ctf_class_new(struct ctf_parser *parser, enum ctf_kind kind);

/* scalars.c: sets the alignment in bits. Returns false with a fault if it is no power of two. */
bool ctf_set_align(struct ctf_parser *parser, struct ctf_class *class, uint64_t align);

/* scalars.c: an integer, a real or a string. Returns NULL with a fault. */
const struct ctf_class *ctf_scalar(struct ctf_parser *parser, enum ctf_kind kind);

/* types.c: a type in front of a name. Returns NULL with a fault. */
const struct ctf_class *ctf_type(struct ctf_parser *parser);

/* types.c: typealias, typedef, or a type by itself. *ret_is_one: it was one. */
bool ctf_type_statement(struct ctf_parser *parser, bool *ret_is_one);

void ctf_scope_begin(struct ctf_parser *parser, struct ctf_scope *scope);
void ctf_scope_end(struct ctf_parser *parser);

/* scalars.c: a byte order by its name. */
bool ctf_order_named(const char *name, enum ctf_order *ret);

#endif
