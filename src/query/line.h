/* SPDX-License-Identifier: MIT */
/* The pieces of a line of rules, and where it is wrong. */
#ifndef QUERY_LINE_H
#define QUERY_LINE_H

#include "base/similar.h"
#include "query/rule.h"

struct line {
	struct rules *rules;
	const char *start, *p; /* ends with NUL */
	const char *last;      /* behind the last piece that was read: a missing piece is reported here */
	unsigned number;
	bool has_no_memory;
};

/* Skips the blanks at p. */
void line_blanks(struct line *line);

/* Whether only a comment, or nothing, is left. */
bool line_ends(struct line *line);

/* Takes the mark, such as "->", if it is there. */
bool line_take(struct line *line, const char *mark);

/* Bytes of the word (letters, digits, _) that begins at p; 0 if there is no word. */
size_t line_word(const char *p);

/* A text in quotes of the kind at p, \" and \\ in it; false if it has been a fault, or memory ran out. */
bool line_quoted(struct line *line, const char **ret_text);

unsigned line_column(const struct line *line, const char *at);

/* The text from one place to another, without blanks at its end. NULL if memory ran out. */
const char *line_copy(struct line *line, const char *from, const char *to);

/*
 * Reads what stands behind the name of an event: {FIELD=VALUE, …}, if it is there. Returns false if it has
 * been a fault, or memory ran out.
 */
bool line_fields(struct line *line, struct selector *selector);

/* Adds a fault at this place of the line; returns false. */
bool line_fault(struct line *line, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for something that should be the next piece. */
bool line_lacks(struct line *line, const char *what);

/* Adds advice to the last fault of the line: how to correct it. Returns false. */
bool line_advise(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
