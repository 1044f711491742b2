/* SPDX-License-Identifier: MIT */
/* The results of rules on a trace: the unit of their values, and all results as a table. */
#ifndef QUERY_VERDICT_H
#define QUERY_VERDICT_H

#include "query/check.h"

/* The number that stands for all of what is measured: shares are measured in 1e-3 %. */
enum { RUN_SHARE_ALL = 100000 };

/* Whether the values of the rule are lengths of time, or shares. */
bool run_is_time(const struct run *run);
bool run_is_share(const struct run *run);

/* The unit of the values: "%", "ns", "ticks" or "count". Static text. */
const char *run_value_unit(const struct run *run, bool has_clock);

/* Returns whether it is known when the violation was; a row of a question in SQL may have no moment. */
static inline bool violation_has_moment(const struct run *run, const struct violation *violation)
{
	return !run->rule->metric->has_sql || violation->has_moment;
}

/*
 * Makes the table of all results. times: NULL if the trace has no event. Its texts are copies, so the table
 * may outlive the check. table_done() is due whatever it returns. Returns false if memory ran out.
 */
bool verdicts_table(const struct check *check, const struct times *times, struct table *ret_table);

#endif
