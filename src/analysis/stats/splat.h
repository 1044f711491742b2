/* SPDX-License-Identifier: MIT */
/*
 * The report of AIX's splat (Simple Performance Lock Analysis Tool), from what the table `locks` counts.
 * Sections, columns and order are those of IBM's public manual ("Simple performance lock analysis tool
 * (splat)", Performance Tools Guide and Reference). Figures that recordings do not have are left out:
 * spinning, call chains, and processor time while a lock was held.
 */
#ifndef ANALYSIS_STATS_SPLAT_H
#define ANALYSIS_STATS_SPLAT_H

#include "analysis/stats/locks.h"
#include "analysis/table/format.h"

enum splat_order { SPLAT_BY_ACQUISITIONS, SPLAT_BY_HELD, SPLAT_BY_ADDRESS, SPLAT_BY_MISSES };

/* The options of the report ("splat Command": -d -l -c -s -S). */
struct splat_choice {
	enum splat_order order;
	const char *kind; /* of lock; NULL for all kinds */
	bool has_address, has_threads;
	uint64_t address;
	size_t n_max; /* locks, and threads of one lock */
};

/* After a scan with the observer of analysis_locks, whose state this is; sorts what it has. RST_E_NOMEM. */
enum rst_status splat_put(struct locks *locks, const struct scan *scan, const struct splat_choice *choice,
	const struct table_output *output, struct rst_error *err);

#endif
