/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report in the manner of AIX (trcrpt, "AIX Commands Reference"; D20):
 *
 *	ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT
 *	010    0.000105984       0.105984                  text of a stanza with L=KERN
 *
 * A line begins with the id and the other columns that a look selects. The times follow, in the form of the
 * look, and then the text. Each level moves the text by eight columns. If an event has two lines, the text is
 * on a line of its own. If the clock's frequency is unknown, ticks replace times. A value that is too wide
 * for its column uses the blanks behind it, but leaves one.
 */
#ifndef LINES_AIX_LINE_H
#define LINES_AIX_LINE_H

#include <stdint.h>

#include "base/text.h"
#include "template/syntax/tree.h"

/* The columns in front of the times, in this order. */
enum aix_column { AIX_ID, AIX_EXEC, AIX_CPU, AIX_PID, AIX_TID, AIX_SVC, AIX_FILE, N_AIX_COLUMNS };

/* As -O timestamp= counts them. */
enum aix_stamp {
	/* seconds since the first entry, milliseconds since the one before; to the nanosecond */
	AIX_STAMP_BOTH,
	AIX_STAMP_ELAPSED, /* seconds since the first entry, to the microsecond */
	AIX_STAMP_MICRO,   /* both in microseconds */
	AIX_STAMP_NONE,
	AIX_STAMP_CLOCK, /* the time of day */
	N_AIX_STAMPS
};

struct aix_look {
	unsigned columns; /* bit n: enum aix_column n is shown */
	enum aix_stamp stamp;
	bool has_two_lines;
	unsigned page_lines; /* lines of a page, its heading among them; 0 if there are no pages */

	/*
	 * aix_look_measure() sets these: where columns begin, behind which column the times end (0 if there
	 * are no such times), and where the text begins.
	 */
	unsigned starts[N_AIX_COLUMNS], elapsed_end, delta_end, text;
};

/* Measures what the members in front ask for. */
void aix_look_measure(struct aix_look *look);

static inline bool aix_look_has(const struct aix_look *look, enum aix_column column)
{
	return look->columns >> column & 1;
}

/* The times of an event, in nanoseconds or ticks; and the time of day as text, for AIX_STAMP_CLOCK. */
struct aix_times {
	bool is_ticks;
	uint64_t elapsed;  /* since the first entry; ticks may be negative */
	int64_t delta;	   /* since the entry reported before, which may be the later one */
	struct text clock; /* 32 bytes at the most */
};

struct aix_count;

/* A line that is being written: `used` columns of it are. */
struct aix_line {
	const struct aix_look *look;
	struct aix_count *count; /* of the report, for aix_line_times(); NULL if this line is the only one */
	char *at;
	unsigned used;
};

/* Bytes that a line can take besides the texts of its columns; and a heading. */
enum { AIX_LINE_ROOM = 256, AIX_HEADING_ROOM = 320 };

/* The heading of the columns, with its line ends. Returns its end. */
char *aix_line_heading(char *p, const struct aix_look *look, bool counts_ticks);

/* Lines that a heading has. */
unsigned aix_line_heading_lines(const struct aix_look *look);

/* A column's text, which takes so many columns on a terminal. */
void aix_line_put(struct aix_line *line, enum aix_column column, struct text text, unsigned n_columns);

/* The times, and blanks up to where the text of the level begins. */
void aix_line_times(struct aix_line *line, const struct aix_times *times, enum level level);

/* The column of the text, where further lines of it begin, too. */
unsigned aix_line_margin(const struct aix_look *look, enum level level);

#endif
