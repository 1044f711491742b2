/* SPDX-License-Identifier: MIT */
/* The functions that the parts of the reference interpreter call of each other. */
#ifndef TESTS_TEMPLATE_REF_INTERP_PARTS_H
#define TESTS_TEMPLATE_REF_INTERP_PARTS_H

#include "tests/template/ref_interp.h"

/* --- ref_interp_text.c ---------------------------------------------------------------------------------- */

void string_add(struct interp_string *string, const void *bytes, size_t n_bytes);
void string_fill(struct interp_string *string, char c, size_t n);
void string_print(struct interp_string *string, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Parts of the text. An empty one changes nothing. */
void interp_put_literal(struct ref_interp *interp, const char *bytes, size_t n_bytes);
void interp_put_data(struct ref_interp *interp, const char *bytes, size_t n_bytes, bool is_tight);
void interp_put_spacing(struct ref_interp *interp, unsigned n);
void interp_put_tab(struct ref_interp *interp);
void interp_put_newline(struct ref_interp *interp);

/* Marks such as <nesting>: as literal text with white space before it. */
void interp_put_mark(struct ref_interp *interp, const char *mark);

/* The entry ends here. */
void interp_end(struct ref_interp *interp) __attribute__((noreturn));

/* … for want of data (D8). */
void interp_truncate(struct ref_interp *interp) __attribute__((noreturn));

/* --- ref_interp_value.c --------------------------------------------------------------------------------- */

enum meaning_kind { MEANS_NOTHING, MEANS_FIELD, MEANS_NUMBER, MEANS_BUILTIN, MEANS_SLOT, MEANS_CALL };

struct meaning {
	enum meaning_kind kind;
	const struct rst_field *field;
	const struct macro_row *builtin;
	unsigned slot;
	int64_t number;
	const struct stanza *callee; /* NULL: there is none */
};

struct meaning interp_find_meaning(const struct ref_interp *interp, const struct text *name);

/* The number of an expression, or of the code or macro of a selector. Codes move the data pointer. */
int64_t interp_evaluate(struct ref_interp *interp, const struct node *node);

/* The number of a macro without its cast. */
int64_t interp_read_macro(struct ref_interp *interp, const struct meaning *meaning);

/* A cast takes the low bytes of a value, or the low bits (D5). */
int64_t interp_cast(const struct ref_interp *interp, const struct code *cast, int64_t value);

/* Moves the data pointer up to a byte (D9); for codes of whole bytes. */
void interp_align(struct ref_interp *interp);

/* How many of n bytes at the data pointer there are. */
size_t interp_n_left(const struct ref_interp *interp, size_t n);

/* Takes n bytes that are there. */
const uint8_t *interp_take(struct ref_interp *interp, size_t n);

/* The number that a code reads, and moves over; ends the entry when not all of it is there. */
uint64_t interp_read_code(struct ref_interp *interp, const struct code *code);

/* G O R W */
void interp_move_pointer(struct ref_interp *interp, const struct code *code);

/* true: the payload holds the field, or the beginning of it where it is text or bytes. */
bool interp_has_field(const struct ref_interp *interp, const struct rst_field *field);

/* --- ref_interp_show.c ---------------------------------------------------------------------------------- */

/*
 * Makes interp->value the printed form of a code, or of a macro that is a value. Codes move the data pointer.
 */
void interp_show_code(struct ref_interp *interp, const struct code *code);
void interp_show_macro(struct ref_interp *interp, const struct node_macro *macro);

/* Appends to the value how long something took, in words. */
void interp_show_passed(struct ref_interp *interp, int64_t passed);

/* --- ref_interp_match.c --------------------------------------------------------------------------------- */

/* The base of the numbers of a selector's match values. Returns 0 if text is compared. */
unsigned interp_number_base(const struct ref_interp *interp, const struct node *selector);

/* The body that a SWITCH goes to, and *ret_hit; the selector is evaluated, and not printed. */
const struct node *interp_select(struct ref_interp *interp, const struct node_switch *select);

/* true: a code or macro that is a number. */
bool interp_is_number(const struct ref_interp *interp, const struct node *node);

#endif
