/* SPDX-License-Identifier: MIT */
/*
 * The report of AIX's curt (CPU usage reporting tool), from the figures of our tables: sections, columns and
 * order after IBM's public manual ("CPU Utilization Reporting Tool (curt)", Performance Tools Guide and
 * Reference). It leaves out figures that the model does not distinguish: time in system calls is part of
 * APPLICATION, and hypervisor calls are absent.
 */
#ifndef ANALYSIS_STATS_CURT_H
#define ANALYSIS_STATS_CURT_H

#include "analysis/stats/stats.h"
#include "analysis/table/format.h"

/* The sections after the summaries ("curt Command", -p, -t, -s, -P). */
struct curt_details {
	bool has_processes, has_threads, has_errors, has_pthreads;
};

/*
 * Chooses the analyses of a run: the tables that the report needs. RST_E_USAGE cannot happen with our own
 * names.
 */
enum rst_status curt_choose(struct stats *stats, const struct curt_details *details, struct rst_error *err);

/* After the scan. RST_E_NOMEM. */
enum rst_status curt_put(struct stats *stats, const struct rst_metadata *metadata,
	const struct curt_details *details, const struct table_output *output, struct rst_error *err);

#endif
