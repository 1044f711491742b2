/* SPDX-License-Identifier: MIT */
/*
 * The index of a large input. It is a store in the user's cache with the rows of the input; instead of their
 * payloads, it has the places of the payloads in the input (dialect/store, docs/STORE.md). The first trace
 * that is read to its end writes the index. After that, a few rows near the end, a window of time, or the
 * counts can be had without reading the whole input.
 *
 *	open_nth_trace(&trace, …)
 *	index_use(&trace, &wish)      Reads by a valid index. Without one, writes it on the way.
 *	…                             The result is the same. For rows left out: index_take_passed().
 *	rst_trace_free(trace)
 *
 * A failure here is never an error: the trace then stays as it is.
 *
 *	index.c    Chooses the way to read a trace.
 *	make.c     Writes an index while the trace is read.
 *	find.c     Opens an existing index, if it is of the present version of this input.
 *	about.c    The description of the input in an index.
 *	plan.c     Finds the rows that are needed.
 *	window.c   Works without an index, for inputs that contain the places of their rows.
 */
#ifndef INDEX_INDEX_H
#define INDEX_INDEX_H

#include <rastrum/trace.h>

#include "model/passed.h"

struct template_set;

/* The rows that the caller needs. */
struct index_wish {
	bool wants_counts;     /* the counts of all rows, and only the rows of losses and damages */
	bool is_few;	       /* the first rows, perhaps no others */
	const char *from, *to; /* only rows between these moments; NULL for no limit */
	/* Only this many events at the end of the trace; UINT64_MAX for no limit. */
	uint64_t n_last;
	/*
	 * With n_last: templates with timers, or NULL if no template has a timer. The trace must not have
	 * events of such templates.
	 */
	const struct template_set *timed;
};

/*
 * The caller calls this before the first rst_trace_next(). It replaces *trace by another trace if the index
 * is read. *trace belongs to the caller as before.
 */
void index_use(struct rst_trace **trace, const struct index_wish *wish);

/*
 * The caller calls this before index_use(). If the wish is for a few events at the end and there is no index,
 * it reads the trace to make one, so that no line before these events is made. Returns true if the trace was
 * read and has no more rows; the caller then opens it again.
 */
bool index_read_ahead(struct rst_trace *trace, const struct index_wish *wish);

/* Takes the rows that were left out, from a trace that was passed to index_use(). */
passed_take index_take_passed;

#endif
