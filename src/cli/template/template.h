/* SPDX-License-Identifier: MIT */
/*
 * `rastrum template`: a verb is a function and a row of cmd_template.c, in a file of its own.
 *
 *	check.c        diagnoses of files, and dumps of passes
 *	list.c         lists the stanzas
 *	eval.c         converts one entry to text
 *	cases.c        tables of such entries, as tests
 *	doc.c          prints the data of an event that a template can use
 *	update.c       update files, merged into a file of templates; master.c holds and writes that
 *	diagnoses.c    prints the diagnoses of files
 *	evaluation.c   makes text from templates, an entry and host_values, for eval and test
 *	host_values.c  the values of an entry that the command line gives besides its bytes
 */
#ifndef CLI_TEMPLATE_TEMPLATE_H
#define CLI_TEMPLATE_TEMPLATE_H

#include "cli/cli.h"
#include "template/set/search.h"

struct template_args {
	const char *dialect;
	struct text_list templates;
	bool wants_advice;
	const char *dump;
	unsigned env; /* index of template_env_names, 0: not given */
	const char *entry, *type, *hook, *data, *event, *context;
	unsigned kind; /* enum evaluation_kind */

	/* Of update. */
	bool is_forced, is_verbose;
	const char *master;
	struct text_list extract;
};

enum { ENV_NOT_GIVEN, ENV_32, ENV_64, N_ENVS };
extern const char *const template_env_names[N_ENVS];

/* Each takes the operands behind its name and returns the exit status. */
int template_check(const struct template_args *args, int n_operands, char **operands);
int template_list(const struct template_args *args, int n_operands, char **operands);
int template_eval(const struct template_args *args, int n_operands, char **operands);
int template_cases(const struct template_args *args, int n_operands, char **operands);
int template_doc(const struct template_args *args, int n_operands, char **operands);
int template_update(const struct template_args *args, int n_operands, char **operands);

struct template_reported {
	unsigned n_errors, n_warnings, n_advice;
};

/* Prints the diagnoses of one file, or of all for NULL, to stderr; none twice. Returns how many it were. */
struct template_reported template_report(const struct diags *diags, const struct template_file *file);

#endif
