/* SPDX-License-Identifier: MIT */
/* What the passes made of a file, one function a pass: the functions of struct dump_pass (bind.h). */
#ifndef TEMPLATE_DUMP_H
#define TEMPLATE_DUMP_H

#include "template/bind.h"

/*
 * Tokens, one a line, an empty line behind each logical line; _ stands for white space before a token:
 *
 *	3:14 _WORD "open"
 */
void dump_lex(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);

/* The trees of the file's stanzas; the file must be the set's. What belongs to a node stands indented below it. */
void dump_parse(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);

/* What names and match values of the file's stanzas mean; and their code. They must have been bound. */
void dump_resolve(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);
void dump_program(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);

/* Text between quotes, on one line whatever is in it. */
void dump_text(struct text text, FILE *out);

#endif
