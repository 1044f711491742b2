/* SPDX-License-Identifier: MIT */
/* Rules on a trace: one observer that gives all rules what they look at, and what comes of each. */
#ifndef QUERY_CHECK_H
#define QUERY_CHECK_H

#include "analysis/subjects.h"
#include "query/metric.h"

struct check {
	/* Set by the caller. */
	const struct rules *rules;
	const char *file; /* name of the rules, for messages */

	struct observer observer;
	const struct scan *scan;
	struct run *runs; /* one for each rule */
	size_t n_selectors;
	struct subjects things; /* with a decision for each selector */
	uint8_t *types;		/* likewise, those of a type from its index * n_selectors on */
	size_t types_room;
	bool is_bound; /* the clock is known, or known to lack: with the first batch */
	enum rst_status status;
	struct rst_error err; /* of a rule that this trace cannot be tested by */
	uint64_t n_gaps;      /* losses, damages, and effects that mean one */
	bool has_no_memory;
};

/* Prepares the observer, for a scan that is about to run; check_done() is due in any case. RST_E_NOMEM. */
enum rst_status check_init(struct check *check, const struct scan *scan, struct rst_error *err);

/* All rules are undecided: the trace cannot be read. false: memory ran out. */
bool check_skip(struct check *check, const struct rst_error *why);

/*
 * After the scan: the verdicts. is_cut: the trace could not be read to its end. RST_E_USAGE: a rule has a time, and the clock
 * of the trace is not known. RST_E_NOMEM.
 */
enum rst_status check_finish(struct check *check, bool is_cut, struct rst_error *err);
void check_done(struct check *check);

#endif
