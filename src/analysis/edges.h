/* SPDX-License-Identifier: MIT */
/*
 * Edges of a recording: it begins, stops, or changes what it leaves out (effect gap with a phase). They are
 * boundaries, not losses: a recording has no information about the time before and after it.
 *
 *	START … events … STOP                         two edges, no pause
 *	START … events … STOP   START … events … STOP  the third one ends a pause
 *
 * An interval that an edge cuts is at least as long as the part that is seen, as at the ends of a trace. If a
 * pause cuts an interval, its rule is undecided.
 */
#ifndef ANALYSIS_EDGES_H
#define ANALYSIS_EDGES_H

#include <rastrum/rastrum.h>

#include "base/limit.h"

enum { EDGES_MAX = LIMIT(65536, 4) };

struct edges {
	uint64_t *seqs; /* of their events, ascending */
	size_t n, room;
	bool *origins; /* by number of the origin: it has an event that is no edge */
	size_t origins_room;
	size_t n_pauses;
	uint64_t last_pause; /* seq of the edge that ended the last one */
	bool is_stopped;     /* the last edge is that of a recording that stops */
	bool is_over;	     /* there are more than EDGES_MAX */
};

/* How one row relates to the edges. */
struct edge {
	bool is_edge;
	/* the recording begins (RST_ENTERS), stops (RST_LEAVES), or leaves out other events (RST_IS_IN) */
	enum rst_phase phase;
	bool ends_pause; /* the recording has events before the edge, and goes on */
};

/* Looks at the next row, whose number is seq. Returns false if memory ran out. */
bool edges_see(
	struct edges *edges, const struct rst_batch *batch, size_t row, uint64_t seq, struct edge *ret_edge);

/* Adds the number of an edge, which is greater than those before. Returns false if memory ran out. */
bool edges_add(struct edges *edges, uint64_t seq);

/* Whether the event of this number is an edge. Returns false for RST_NO_SEQ. */
bool edges_has(const struct edges *edges, uint64_t seq);

void edges_done(struct edges *edges);

#endif
