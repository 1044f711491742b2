/* SPDX-License-Identifier: MIT */
/*
 * Compares two traces, before and after: things that take longer or shorter, that occur more or less often,
 * that are new or gone. A thing is the same in both traces if kind and role are equal (roles.h): addresses
 * differ from build to build, and numbers of processes and threads from run to run.
 *
 * A difference is a change if it is at least as large as the user wants and the rank sum test finds it
 * significant. The test allows less than one chance in a hundred for the whole comparison; each figure gets a
 * share of that (Bonferroni). It is also a change if the ranges are far apart.
 */
#ifndef ANALYSIS_DIFF_DIFF_H
#define ANALYSIS_DIFF_DIFF_H

#include "analysis/diff/facts.h"
#include "analysis/diff/series.h"
#include "analysis/table/table.h"

enum change {
	CHANGE_NONE,
	CHANGE_UNSURE, /* as large as the user wants, but possibly by chance */
	CHANGE_SLOWER,
	CHANGE_FASTER,
	CHANGE_MORE,
	CHANGE_LESS,
	CHANGE_NEW,
	CHANGE_GONE,
	N_CHANGES
};

/* "same", "unsure", "slower", "faster", "more", "less", "new", "gone"; static text. */
extern const char *const change_names[N_CHANGES];

enum { DIFF_DURATIONS, DIFF_AMOUNTS, DIFF_PRESENCE, N_DIFF_TABLES };

/*
 * The subjects of one trace by their roles. If several subjects have the same role, their figures cannot be
 * distinguished, so the first one counts.
 */
struct diff_side {
	const struct subjects *subjects;
	uint64_t *keys; /* of the subjects */
	struct map found;
};

struct diff {
	/*
	 * Set by the caller: both have been filled by a scan, with clocks of which both frequencies are
	 * known, or neither.
	 */
	struct series *before, *after;
	const struct facts *findings
		[2];  /* before and after: what was found, "kind: subjects"; NULL if it was not looked for */
	double least; /* change that counts, as a share: 0.05 */
	bool has_all; /* also rows for unchanged and unsure figures */

	/* The results. */
	struct table tables[N_DIFF_TABLES];
	uint64_t n_changes[N_CHANGES];
	double largest[N_CHANGES]; /* of each: the largest share */
	size_t n_compared;
	struct diff_side loads[2];   /* threads that run, before and after */
	struct diff_side threads[2]; /* all threads */
};

/* Returns false if memory ran out. diff_done() is due in any case. */
bool diff_make(struct diff *diff);
void diff_done(struct diff *diff);

#endif
