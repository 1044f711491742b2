/* SPDX-License-Identifier: MIT */
/*
 * The columns of the text report, in their order on a line. Which are shown is a wish of the user, and what is left open is
 * decided by what there is: a core by whether there are several, the distance to the event before by the terminal's width.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdbool.h>

#include <rastrum/error.h>

enum column {
	COLUMN_TIME,
	COLUMN_DELTA,
	COLUMN_CORE,
	COLUMN_THREAD,
	COLUMN_PRIORITY,
	COLUMN_EVENT,
	COLUMN_TEXT,
	N_COLUMNS
};

extern const char *const column_names[N_COLUMNS];

/* Zero: everything is left open. */
struct columns_wish {
	unsigned shown, hidden; /* bit n: column n was asked for, was asked not to be there */
};

enum { COLUMNS_WIDE = 110 }; /* a terminal that has room for the distance */

/* What is in force where nothing was wished, of a terminal of so many columns (0: none). Core, priority and event are left out. */
static inline unsigned columns_default(unsigned n_terminal)
{
	return 1U << COLUMN_TIME | (unsigned)(n_terminal >= COLUMNS_WIDE) << COLUMN_DELTA |
	       1U << COLUMN_THREAD | 1U << COLUMN_TEXT;
}

static inline bool columns_has(unsigned columns, enum column column)
{
	return columns >> column & 1;
}

/*
 * Takes one word of a wish: a column's name means it and the others that are named so, a name behind + or - one more or
 * less than there are without a wish. RST_E_USAGE names those that there are.
 */
enum rst_status columns_parse(struct columns_wish *wish, const char *word, struct rst_error *err);

/* The wish over what is in force without it. */
unsigned columns_apply(const struct columns_wish *wish, unsigned columns);

#endif
