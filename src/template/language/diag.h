/* SPDX-License-Identifier: MIT */
/*
 * A diagnosis of a template: a stable number (T01 to T23 errors, W01 to W07 warnings, A.. advice of --lint),
 * the position, and a sentence. Passes add to a list; the command prints it, with the line and a caret under
 * the position:
 *
 *	my.trcfmt:3:14: error T08: hook 010: X17 is too wide; X takes 1 to 16 bytes
 *	010 1.0 "x" X17
 *	            ^
 */
#ifndef TEMPLATE_LANGUAGE_DIAG_H
#define TEMPLATE_LANGUAGE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* One file of templates, in memory while any stanza of it is in use. */
struct template_file {
	const char *name;
	const char *text; /* n_bytes bytes and a terminating NUL */
	size_t n_bytes;
	bool is_builtin; /* the program's own, built in or a copy of that */
	bool is_packed;	 /* compressed by gzip in the file system */
};

/* The place that a diagnosis is about; all zero if it is about no file in particular. */
struct diag_location {
	const struct template_file *file;
	const char *at;	 /* a byte of file->text */
	struct text key; /* of the stanza; empty: none yet */
};

enum diag_kind { DIAG_ERROR, DIAG_WARNING, DIAG_ADVICE };

struct diag {
	enum diag_kind kind;
	char number[4]; /* "T05" */
	const struct template_file *file;
	const char *at; /* the position: a byte of file->text */
	char key[48];	/* of the stanza; "" if not yet read */
	char what[200]; /* one clause without a full stop */
	bool is_told;	/* it was printed: for a list that is still growing */
};

enum { DIAGS_MAX = 1000 }; /* kept; all are counted */

struct diags {
	struct diag *items;
	size_t n_items, room;
	size_t n_kept_errors; /* among the items: in a full list they take the places of others */
	uint64_t n_errors, n_warnings;
	bool has_no_memory; /* some could not be kept for lack of memory */
};

/*
 * Adds one. number is "T05" and the like, a row of the table in diag.c, which has the kind. Returns false, so
 * that a failing pass can return it.
 */
bool diag_add(struct diags *diags, const char *number, struct diag_location location, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same with the arguments of a caller's own format. */
bool diag_add_list(struct diags *diags, const char *number, struct diag_location location, const char *format,
	va_list args) __attribute__((format(printf, 4, 0)));

/* Line and column, from 1; columns count bytes, a tab is one. */
void diag_position(const struct diag *diag, unsigned *ret_line, unsigned *ret_column);

/* The position and the sentence: the first line of the above. */
void diag_print_sentence(const struct diag *diag, FILE *out);

/*
 * Prints the line of the file and, below it, a caret under the position; of a long line only the part around
 * the position.
 */
void diag_print(const struct diag *diag, FILE *out);

/* Bytes of a template's line made safe to show; tabs stay. */
void diag_print_bytes(const char *bytes, size_t n_bytes, FILE *out);

/*
 * Returns true if an earlier diagnosis has the same sentence at the same position. A template that is bound
 * to several kinds of entries, or to those of several traces, has the same faults in all of them.
 */
bool diag_is_repeated(const struct diags *diags, size_t n);

/* The meaning of a number, "bad width in a format code"; NULL for an unknown one. */
const char *diag_meaning(const char *number);

void diags_done(struct diags *diags);

#endif
