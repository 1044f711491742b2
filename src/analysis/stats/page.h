/* SPDX-License-Identifier: MIT */
/*
 * The page that a person wants first: what the recording is, and the first rows of the tables that have any,
 * on one screen.
 *
 *	dump.trx (threadx): 96 events in 42.25 ms
 *	1 core, 4 threads; nothing is lost
 *
 *	load          share   running     ready   waiting
 *	…
 */
#ifndef ANALYSIS_STATS_PAGE_H
#define ANALYSIS_STATS_PAGE_H

#include "analysis/stats/stats.h"
#include "analysis/table/format.h"

enum { PAGE_COLUMNS = 80, PAGE_LINES = 24 };

/*
 * Two lines: the file, what is in its window, and how far that can be trusted. A third one says what would
 * tell more.
 */
void page_head(
	const struct stats *stats, const struct rst_metadata *metadata, const struct table_output *output);

/*
 * Writes head and tables in n_lines of a terminal (0: PAGE_LINES), of which the last one is left to the
 * shell. The last line of the page names everything that does not fit. RST_E_NOMEM.
 */
enum rst_status page_put(struct stats *stats, const struct rst_metadata *metadata,
	const struct table_output *output, unsigned n_lines, struct rst_error *err);

#endif
