/* SPDX-License-Identifier: MIT */
/*
 * The part of the command lines of AIX's tools that `rastrum curt` and `rastrum splat` share: -i names the
 * input, and moments are seconds. Letters that have no meaning for recordings here are refused with the
 * reason. Our own options have their long names, as in `rastrum trcrpt`.
 */
#ifndef CLI_AIX_LETTERS_H
#define CLI_AIX_LETTERS_H

#include "base/arena.h"
#include "cli/analysis/analysis.h"

/* The first member of the arguments of such a command. */
struct letters_args {
	struct analysis_args analysis; /* first */
	struct text_list inputs;       /* -i */
	const char *start, *stop;      /* seconds */
};

/* How the input is read, without letters but -i and -n. */
extern const struct opt letters_input_opts[];

/* A letter that is refused. */
struct letters_refused {
	char letter;
	bool is_flag; /* its member is a bool, else a const char * */
	size_t offset;
	const char *why, *advice;
};

/* Returns RST_E_USAGE if one of the rows was given; err has the reason. */
enum rst_status letters_refuse(
	const void *args, const struct letters_refused *rows, size_t n_rows, struct rst_error *err);

/*
 * The arguments of a survey, made from the letters. Everything is in the arena or borrowed from the
 * arguments.
 */
struct letters {
	struct analysis_args analysis;
	int n_operands; /* files of -i, and behind them the words without a letter */
	char **operands;
};

/*
 * The letters of the moments are for messages. Returns RST_E_USAGE if a moment is no number, or there is no
 * input; RST_E_NOMEM.
 */
enum rst_status letters_read(struct letters *letters, const struct command *command,
	const struct letters_args *args, const char moments[2], int n_operands, char **operands,
	struct arena *arena, struct rst_error *err);

#endif
