/* SPDX-License-Identifier: MIT */
/*
 * Dumps the results of each pass for a file (`template check --dump`): each has a function and a row of
 * dump_passes.
 */
#ifndef TEMPLATE_DUMP_DUMP_H
#define TEMPLATE_DUMP_DUMP_H

#include "template/compile/bind.h"

struct dump_pass {
	const char *name; /* "lex", "parse", "resolve", "code" */

	/*
	 * Writes it to out. The file must be the set's, and its stanzas bound; what is shown of the last two
	 * passes is for this binding, or without a type, for all types.
	 */
	void (*file)(struct template_set *set, const struct template_file *file,
		const struct binding *binding, FILE *out);
};

/* The last has no name. */
extern const struct dump_pass dump_passes[];

/*
 * Tokens, one a line, an empty line behind each logical line; _ stands for white space before a token:
 *
 *	3:14 _WORD "open"
 */
extern const char *const token_names[N_TOKEN_KINDS];
void dump_lex(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);

/* The trees of the file's stanzas. The parts of a node are indented below it. */
void dump_parse(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);

/* The meanings of names and match values in the file's stanzas; and the code of the stanzas. */
void dump_resolve(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);
void dump_program(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out);

/* Text between quotes, on one line whatever is in it. */
void dump_text(struct text text, FILE *out);

#endif
