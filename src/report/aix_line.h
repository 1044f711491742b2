/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report in the manner of AIX (trcrpt, "AIX Commands Reference"; D20):
 *
 *	ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT
 *	010    0.000105984       0.105984                  text of a stanza with L=KERN
 *
 * Columns for the thread (15 wide) and the core (4) may stand behind the id; all others are that much further right then.
 * Without a clock's frequency the same columns hold ticks. A number too wide for its column takes from the blanks
 * behind it, and keeps one.
 */
#ifndef REPORT_AIX_LINE_H
#define REPORT_AIX_LINE_H

#include "template/syntax/tree.h"

enum { AIX_LINE_ROOM = 160 }; /* bytes that a head with an id of up to 32 can take */

/* The heading and its line end; terminated, static. */
const char *aix_line_heading(bool counts_ticks);

enum { AIX_ID_WIDTH = 4, AIX_THREAD_WIDTH = 15, AIX_CORE_WIDTH = 4 };

/* What stands in front of the times and is written already: how many columns it takes, and how far they are moved by it. */
struct aix_front {
	unsigned columns, shift;
};

/* As aix_line_head() and aix_line_head_ticks(), behind such a front. */
char *aix_line_times(
	char *p, struct aix_front front, uint64_t elapsed_ns, int64_t delta_ns, enum level level);
char *aix_line_ticks(
	char *p, struct aix_front front, int64_t elapsed_ticks, int64_t delta_ticks, enum level level);

/*
 * Writes everything up to the text: id, time since the first entry, and since the entry reported before (which may be
 * the later one).
 */
char *aix_line_head(
	char *p, const char *id, size_t n_id, uint64_t elapsed_ns, int64_t delta_ns, enum level level);

/* The same where only ticks are known. */
char *aix_line_head_ticks(
	char *p, const char *id, size_t n_id, int64_t elapsed_ticks, int64_t delta_ticks, enum level level);

/* The column of the text: where further lines of it begin. */
unsigned aix_line_margin(enum level level);

#endif
