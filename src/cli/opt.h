/* SPDX-License-Identifier: MIT */
/*
 * Options as tables: the only source for parsing, --help, shell completion and the manual (a test compares
 * them). An option stores straight into the command's struct of arguments, at its offset.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text_list.h"

enum opt_kind {
	OPT_END,    /* ends a table */
	OPT_FLAG,   /* bool */
	OPT_TEXT,   /* const char * */
	OPT_NUMBER, /* uint64_t */
	OPT_RATE,   /* uint64_t, in Hz: 168MHz, 32.768k, 1e9; not 0 */
	OPT_CHOICE, /* unsigned: index in choices of the word given */
	OPT_LIST,   /* struct text_list; the option may be repeated, and holds parts between commas */
	OPT_FILES,  /* struct text_list of paths; may be repeated, commas belong to them */
	OPT_PAIRS,  /* struct text_list of key=value; may be repeated, commas stay in values */
	OPT_HELP,   /* nothing is stored: opt_parse() returns RST_END */
};

struct completion;

struct opt {
	enum opt_kind kind;
	char letter; /* 0: none */
	const char *name;
	const char *argument; /* as help shows it; NULL if it takes none */
	size_t offset;
	const char *help;
	const char *const *choices; /* OPT_CHOICE; NULL members are skipped */
	size_t n_choices;
	void (*complete)(struct completion *completion); /* offers values; NULL: the choices, or none */
};

/* Options that stand together in --help. A command has an array of groups; one without options ends it. */
struct opt_group {
	const char *title;
	const struct opt *opts; /* ended by OPT_END */
	unsigned subcommands;	/* a bit for each subcommand that they are for; 0: for all */
};

enum { OPT_GROUPS_MAX = 8 };

struct opt_parsed {
	int n_operands;
	const struct opt *given[OPT_GROUPS_MAX]; /* the last option of each group; NULL: none */
};

/* The option that every command has: --help. */
extern const struct opt opt_help;

/*
 * Parses argv[0..argc). Operands are moved to the front of argv, in order, and counted. "-" is an operand.
 * "--" ends the options. The first operand also ends them if it is a program with arguments of its own. A
 * long name may be abbreviated if no other name begins with the same letters. Returns RST_E_USAGE with the
 * reason, and with advice if a name or value is similar to a valid one; RST_END if --help or -h was given.
 */
enum rst_status opt_parse(const struct opt_group *groups, bool has_program, void *args, int argc, char **argv,
	struct opt_parsed *ret_parsed, struct rst_error *err);

/* Frees what lists hold. */
void opt_done(const struct opt_group *groups, void *args);

/*
 * Finds the option of a word "--NAME" or "--NAME=VALUE"; NAME may be abbreviated. Returns RST_E_USAGE if no
 * option matches, or more than one.
 */
enum rst_status opt_find_long(
	const struct opt_group *groups, const char *word, const struct opt **ret_opt, struct rst_error *err);

/* Returns the option of a letter, or NULL if no option has that letter. */
const struct opt *opt_find_letter(const struct opt_group *groups, char letter);

#endif
