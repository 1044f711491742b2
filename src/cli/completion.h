/* SPDX-License-Identifier: MIT */
/*
 * Finds the words that can stand at the cursor of an unfinished command line. The scripts in completion/ ask
 * with
 *
 *	rastrum complete INDEX WORD...
 *
 * The words are those behind `rastrum`, without their quotes, and the word of this index (from 0) ends at the
 * cursor; it may be empty. The answer is a line "KIND N" and then the candidates, each "TEXT" or
 * "TEXT<tab>DESCRIPTION". A candidate takes the place of all but the first N bytes of the word. Kinds:
 *
 *	words     candidates
 *	list      candidates; a comma and another one may follow each
 *	part      candidates; each continues without a blank
 *	files     no candidates: names of files
 *	program   no candidates: word N begins the command line of another program
 *
 *	main/complete.c    parses the words before and behind the cursor, and finds what can stand there
 *	completion.c       writes candidates
 *	complete_values.c  values of options and operands: a function for each sort, named in the tables
 *	complete_names.c   names that the recording on the line has
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "base/outbuf.h"

enum completion_kind {
	COMPLETION_WORDS,
	COMPLETION_LIST,
	COMPLETION_PART,
	COMPLETION_FILES,
	COMPLETION_PROGRAM,
};

struct completion {
	struct outbuf *out;
	const char *text;	    /* the word at the cursor, from where candidates take its place */
	size_t n_kept;		    /* bytes of the word before that */
	const char *dialect, *file; /* of the line: the value of --dialect, the first operand; NULL: none */
};

/* The first line of the answer. Only the n-th byte of the text and what follows are completed. */
void completion_begin(struct completion *completion, enum completion_kind kind, size_t n);

/* The whole answer COMPLETION_PROGRAM. index: of the word that begins the other command line. */
void completion_begin_program(struct completion *completion, int index);

/* A candidate, when the text is its beginning. what: a description, or NULL. */
void completion_offer(struct completion *completion, const char *name, const char *what);

/* The words of "text|aix|jsonl"; false when these are no words but stand for others, as "FILE|DIR". */
bool completion_offer_choices(struct completion *completion, const char *choices);

/* --- complete_values.c: functions for tables of options and subcommands --------------------------------- */

void complete_files(struct completion *completion);
void complete_dialects(struct completion *completion);
void complete_settings(struct completion *completion);
void complete_columns(struct completion *completion);
void complete_events(struct completion *completion);
void complete_devices(struct completion *completion);
void complete_rates(struct completion *completion);
void complete_listeners(struct completion *completion);
void complete_commands(struct completion *completion);
void complete_processes(struct completion *completion);
void complete_signals(struct completion *completion);

/* --- complete_names.c ----------------------------------------------------------------------------------- */

void complete_types(struct completion *completion);
void complete_contexts(struct completion *completion);
void complete_objects(struct completion *completion);

#endif
