/* SPDX-License-Identifier: MIT */
/*
 * Notes about a trace that was read: the guesses of its reader, and damages. The caller gets them as
 * sentences.
 */
#ifndef JOB_NOTES_H
#define JOB_NOTES_H

#include <stdbool.h>

#include <rastrum/rastrum.h>

enum notes_kind {
	NOTES_OF_FILE,	 /* which `rastrum info` can read, too */
	NOTES_COUNTED,	 /* likewise, but the line at the end has their number */
	NOTES_OF_LINK,	 /* whose bytes cannot be read again */
	NOTES_SUMMED_UP, /* the first damage and their number */
	NOTES_NO_DAMAGE, /* the output has them */
};

/*
 * Takes a sentence, which is borrowed until it returns. It has names from inputs as they are: what shows it
 * has to clean it.
 */
typedef void tell_fn(void *context, const char *sentence);

/* Tells the notes; returns EXIT_GOOD or EXIT_DAMAGED. If is_quiet, it leaves out what was guessed. */
int notes_tell(struct rst_trace *trace, bool is_quiet, enum notes_kind kind, tell_fn *tell, void *context);

#endif
