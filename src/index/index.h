/* SPDX-License-Identifier: MIT */
/*
 * The index beside a large input: a store in the user's cache that has the input's rows, but where their payloads lie in the input
 * in place of the payloads (dialect/store, docs/STORE.md). The first trace that is read to its end leaves it; then a few rows near
 * the end, a window of time or all counts need no longer that all of the input is read.
 *
 *	common_open(&trace, …)
 *	index_use(&trace, &wish)      reads by the index, if there is one that can be trusted, or writes one on the way
 *	…                             the same rows come to the same result, with index_take_passed() for those that are left out
 *	rst_trace_free(trace)
 *
 * Nothing here is an error: what does not work leaves the trace as it is.
 *
 *	index.c    which way a trace is read
 *	make.c     writing an index while the trace is read
 *	find.c     opening one that is there, if it is of this input as it is now
 *	about.c    what an index has of its input
 *	plan.c     which rows are needed
 *	window.c   without an index: inputs that say themselves where their rows are
 */
#ifndef INDEX_INDEX_H
#define INDEX_INDEX_H

#include <rastrum/trace.h>

#include "model/passed.h"

struct template_set;

/* What is looked for. */
struct index_wish {
	bool wants_counts;     /* of all rows, and none of them but losses and damages */
	bool is_few;	       /* the first rows, perhaps no others */
	const char *from, *to; /* only rows between these moments; NULL: no end */
	uint64_t
		n_last; /* only so many events at the end, of all; UINT64_MAX: it does not matter where they are */
	/*
	 * With n_last: templates with timers, of which no event of the trace may be; NULL if no template has
	 * one.
	 */
	const struct template_set *timed;
};

/* Before the first rst_trace_next(). *trace is the caller's as before, and another one where the index is read. */
void index_use(struct rst_trace **trace, const struct index_wish *wish);

/*
 * Before index_use(): reads the trace for an index where there is none, if the wish is for a few events at
 * the end, so that no line in front of them is made. Returns true if it was read and has no more rows; the
 * caller opens it anew.
 */
bool index_read_ahead(struct rst_trace *trace, const struct index_wish *wish);

/* Of a trace that was given to index_use(). */
passed_take index_take_passed;

#endif
