/* SPDX-License-Identifier: MIT */
/*
 * The columns of the text report, in their order on a line. The user chooses columns; the default of the
 * others depends on the trace and the terminal: the core is shown when there are several, the distance to the
 * event before on a wide terminal.
 */
#ifndef LINES_COLUMNS_H
#define LINES_COLUMNS_H

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

/* Zero: the default. */
struct columns_spec {
	unsigned shown, hidden; /* bit n: column n is added, is left out */
};

enum { COLUMNS_WIDE = 110 }; /* a terminal that has room for the distance */

/* The default, for a terminal of so many columns (0: no terminal): without core, priority and event. */
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
 * Reads one word of --columns: bare names are the whole list; a name behind + or - adds a column to the
 * default or removes one. RST_E_USAGE lists the columns.
 */
enum rst_status columns_parse(struct columns_spec *spec, const char *word, struct rst_error *err);

/* The default with the user's changes. */
unsigned columns_apply(const struct columns_spec *spec, unsigned columns);

#endif
