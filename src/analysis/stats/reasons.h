/* SPDX-License-Identifier: MIT */
/* Columns that several tables have: how long a thread waited, by reason. */
#ifndef ANALYSIS_STATS_REASONS_H
#define ANALYSIS_STATS_REASONS_H

#include <rastrum/effect.h>

#include "analysis/table/table.h"

#define REASON_COLUMN(first, reason, word)                                                            \
	[(first) + (reason)-1] = {                                                                    \
		.name = "waiting_" word, .type = CELL_TIME, .rank = 3, .help = "for the reason " word \
	}

/*
 * The columns of all reasons, from this column on. RST_REASON_NONE, the reason of waits that are not
 * understood, has no column.
 */
#define REASON_COLUMNS(first)                                                                             \
	REASON_COLUMN(first, RST_REASON_SLEEP, "sleep"), REASON_COLUMN(first, RST_REASON_LOCK, "lock"),   \
		REASON_COLUMN(first, RST_REASON_SEMAPHORE, "semaphore"),                                  \
		REASON_COLUMN(first, RST_REASON_QUEUE, "queue"),                                          \
		REASON_COLUMN(first, RST_REASON_FLAGS, "flags"),                                          \
		REASON_COLUMN(first, RST_REASON_MEMORY, "memory"),                                        \
		REASON_COLUMN(first, RST_REASON_IO, "io"), REASON_COLUMN(first, RST_REASON_JOIN, "join"), \
		REASON_COLUMN(first, RST_REASON_CHILD, "child"),                                          \
		REASON_COLUMN(first, RST_REASON_SUSPENDED, "suspended"),                                  \
		REASON_COLUMN(first, RST_REASON_OTHER, "other")

/* Sets those cells; the cell of a reason without a wait is absent. */
static inline void reason_cells(struct table_cell *cells, const uint64_t ticks[RST_N_REASONS])
{
	for (unsigned reason = 1; reason < RST_N_REASONS; reason++)
		cells[reason - 1] = cell_if(ticks[reason] > 0, cell_time(ticks[reason]));
}

#endif
