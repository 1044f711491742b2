/* SPDX-License-Identifier: MIT */
/* What the parts of the judge ask of each other. */
#ifndef TESTS_JUDGE_PARTS_H
#define TESTS_JUDGE_PARTS_H

#include "tests/judge.h"

/* --- judge_text.c ------------------------------------------------------------------------------------------- */

void string_add(struct judge_string *string, const void *bytes, size_t n_bytes);
void string_fill(struct judge_string *string, char c, size_t n);
void string_print(struct judge_string *string, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Pieces of the text. One that is empty changes nothing. */
void judge_literal(struct judge *judge, const char *bytes, size_t n_bytes);
void judge_data(struct judge *judge, const char *bytes, size_t n_bytes, bool is_tight);
void judge_spacing(struct judge *judge, unsigned n);
void judge_tab(struct judge *judge);
void judge_newline(struct judge *judge);

/* Marks such as <nesting>: as literal text with white space before it. */
void judge_mark(struct judge *judge, const char *mark);

/* The entry ends here. */
void judge_end(struct judge *judge) __attribute__((noreturn));

/* … for want of data (D8). */
void judge_truncate(struct judge *judge) __attribute__((noreturn));

/* --- judge_value.c ------------------------------------------------------------------------------------------ */

enum meaning_kind { MEANS_NOTHING, MEANS_FIELD, MEANS_NUMBER, MEANS_BUILTIN, MEANS_SLOT, MEANS_CALL };

struct meaning {
	enum meaning_kind kind;
	const struct rst_field *field;
	const struct macro_row *builtin;
	unsigned slot;
	int64_t number;
	const struct stanza *callee; /* NULL: there is none */
};

struct meaning judge_meaning(const struct judge *judge, const struct text *name);

/* The number of an expression, or of the code or macro of a selector. Codes move the data pointer. */
int64_t judge_number(struct judge *judge, const struct node *node);

/* The number of a macro without its cast. */
int64_t judge_uncast(struct judge *judge, const struct meaning *meaning);

/* A cast takes the low bytes of a value, or the low bits (D5). */
int64_t judge_cast(const struct judge *judge, const struct code *cast, int64_t value);

/* Moves the data pointer up to a byte (D9); for codes of whole bytes. */
void judge_align(struct judge *judge);

/* How many of n bytes at the data pointer there are. */
size_t judge_left(const struct judge *judge, size_t n);

/* Takes n bytes that are there. */
const uint8_t *judge_take(struct judge *judge, size_t n);

/* The number that a code reads, and moves over; ends the entry when not all of it is there. */
uint64_t judge_read(struct judge *judge, const struct code *code);

/* G O R W */
void judge_move(struct judge *judge, const struct code *code);

/* true: the payload holds the field, or the beginning of it where it is text or bytes. */
bool judge_has_field(const struct judge *judge, const struct rst_field *field);

/* --- judge_show.c ------------------------------------------------------------------------------------------- */

/* Makes judge->piece the printed form of a code, or of a macro that is a value. Codes move the data pointer. */
void judge_show_code(struct judge *judge, const struct code *code);
void judge_show_macro(struct judge *judge, const struct node_macro *macro);

/* Appends to the piece how long something took, in words. */
void judge_show_passed(struct judge *judge, int64_t passed);

/* --- judge_match.c ------------------------------------------------------------------------------------------ */

/* What the match values of a selector are numbers of; 0: text is compared. */
unsigned judge_base(const struct judge *judge, const struct node *selector);

/* The body that a SWITCH goes to, and *ret_hit; the selector is evaluated, and not printed. */
const struct node *judge_select(struct judge *judge, const struct node_switch *select);

/* true: a code or macro that is a number. */
bool judge_is_number(const struct judge *judge, const struct node *node);

#endif
