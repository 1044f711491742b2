/* SPDX-License-Identifier: MIT */
/*
 * Rules in SQL: none "SELECT …". They are answered from a temporary database, which has the data of the trace
 * that they need.
 */
#ifndef QUERY_SQL_H
#define QUERY_SQL_H

#include "query/check.h"

/*
 * Prepares all rules in SQL without a trace: an error in one becomes a fault of the rules. Returns
 * RST_E_UNSUPPORTED, with the first such rule in ret_rule, if SQLite is not installed. RST_E_IO, RST_E_NOMEM.
 */
enum rst_status rules_prepare_sql(struct rules *rules, const struct rule **ret_rule, struct rst_error *err);

/* For check_init(): prepares the rule for this trace. */
enum rst_status sql_begin(struct run *run, struct rst_error *err);

/*
 * Parses how long a question may take, as the user writes it: seconds, or a number with a unit (60, 500ms,
 * 2min). 0 means no limit and gives 0 nanoseconds. RST_E_USAGE.
 */
enum rst_status sql_parse_timeout(const char *text, uint64_t *ret_ns, struct rst_error *err);

#endif
