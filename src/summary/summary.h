/* SPDX-License-Identifier: MIT */
/* Summarises a trace for `rastrum info`: one pass counts, then the result is printed as words or JSON. */
#ifndef SUMMARY_SUMMARY_H
#define SUMMARY_SUMMARY_H

#include <rastrum/rastrum.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "model/passed.h"

/* Events of one context, or of several that are one to their reader: of equal name and id. */
struct summary_context {
	const struct rst_context *context; /* the first */
	const char *name;		   /* unlike all others: "worker", "worker (0x1f)" */
	uint64_t count;
};

/* Damages of one kind: of equal words. */
struct summary_kind {
	const char *what;
	uint64_t count;
};

enum { SUMMARY_KINDS = 3, SUMMARY_RUNS = 1000 };

/* A run: the events up to the marker of the next one. */
struct summary_run {
	uint64_t number; /* as reports and --run have it */
	uint64_t n_events, first_ticks, last_ticks;
};

struct summary {
	struct rst_trace *trace;
	passed_take *take_passed; /* of a trace that passes over events; or NULL */
	struct rst_error failure; /* why reading ended early; status RST_OK when it did not */
	uint64_t n_events;
	uint64_t n_lost;			  /* events known to be lost */
	uint64_t n_lost_packets;		  /* packets known to be lost */
	uint64_t n_gaps;			  /* places where events were lost … */
	uint64_t n_unknown;			  /* … of these, those with an unknown number of them */
	uint64_t n_damages, n_damage_bytes;	  /* in places whose size is known */
	struct summary_kind kinds[SUMMARY_KINDS]; /* the first that were met … */
	unsigned n_kinds;
	uint64_t n_other_damages; /* … and how many are of none of them */
	uint64_t n_runs;	  /* recordings that begin anew behind the first one */
	struct summary_run run;	  /* the present one */
	struct summary_run *runs; /* the first ones, in their order: all, or SUMMARY_RUNS */
	size_t n_kept_runs, runs_room;
	uint64_t first_ticks, last_ticks;   /* the least and the greatest */
	uint64_t *types, *contexts, *cores; /* counts by index; cores by number */
	size_t types_room, contexts_room, cores_room;
	struct summary_context *rows; /* the contexts that occur, in the order in which they were met */
	size_t n_rows;
	struct arena names; /* of those that the trace has not as they are here */
};

/*
 * Reads the trace to its end; what is passed over of it has no loss or damage. The outcome is
 * rst_trace_next()'s, RST_OK for a whole trace; RST_E_NOMEM. summary_done() is due in any case.
 */
enum rst_status summary_read(struct summary *summary, struct rst_trace *trace,
	void (*progress)(void *context, uint64_t n_events), void *progress_context, struct rst_error *err);
enum rst_status summary_read_passing(struct summary *summary, struct rst_trace *trace,
	passed_take *take_passed, void (*progress)(void *context, uint64_t n_events), void *progress_context,
	struct rst_error *err);
void summary_done(struct summary *summary);

/* For people. */
void summary_words(const struct summary *summary, struct outbuf *out);

/* One JSON object on one line: the shape of `info --json`. */
void summary_json(const struct summary *summary, struct outbuf *out);

#endif
