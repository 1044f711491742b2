/* SPDX-License-Identifier: MIT */
/* Rules on a trace: one observer that feeds all rules, and the result of each rule. */
#ifndef QUERY_CHECK_H
#define QUERY_CHECK_H

#include "analysis/edges.h"
#include "analysis/subjects.h"
#include "database/loading.h"
#include "query/metric.h"

struct check {
	/* Set by the caller. */
	const struct rules *rules;
	const char *file; /* name of the rules, for messages */
	struct rst_trace *trace;
	struct template_set
		*templates; /* of the trace, with diags; NULL if rules in SQL see sentences made of fields */
	struct diags *diags;
	uint64_t timeout_ns; /* how long a rule in SQL may take; 0: no limit */

	struct observer_kind observer;
	const struct scan *scan;
	struct run *runs;	    /* one for each rule */
	struct observers observers; /* their metrics, by the index of the rule */
	size_t n_selectors;
	struct subjects things; /* with a decision for each selector */
	uint8_t *types;		/* likewise, those of a type from its index * n_selectors on */
	size_t types_room;
	bool is_bound; /* the clock is known, or known to lack: with the first batch */
	enum rst_status status;
	struct rst_error err; /* of a rule that this trace cannot be tested by */
	uint64_t n_gaps;      /* losses, damages, and effects that mean one */
	struct edges edges;   /* where the recording begins and ends */
	struct edge row_edge; /* what the present row is to it */
	bool has_no_memory;
	struct database database; /* of the trace, with rules in SQL */
	struct loading loading;
	bool has_database, is_loading;
};

/* Becomes an observer of a scan that is about to run; check_done() is due in any case. RST_E_NOMEM. */
enum rst_status check_init(struct check *check, struct scan *scan, struct rst_error *err);

/* All rules are undecided: the trace cannot be read. Returns false if memory ran out. */
bool check_skip(struct check *check, const struct rst_error *why);

/*
 * After the scan: the verdicts. fault: why the trace could not be read to its end, or NULL. Returns
 * RST_E_USAGE if a rule has a time, and the clock of the trace is not known. RST_E_NOMEM.
 */
enum rst_status check_finish(struct check *check, const char *fault, struct rst_error *err);
void check_done(struct check *check);

#endif
