/* SPDX-License-Identifier: MIT */
/*
 * The parts of an open trace: sources hand over items, a dialect turns bytes into batches, the model holds
 * the facts.
 */
#ifndef TRACE_TRACE_PARTS_H
#define TRACE_TRACE_PARTS_H

#include <rastrum/trace.h>

#include "base/outbuf.h"
#include "dialect/dialect.h"
#include "input/source.h"
#include "symbol/names.h"
#include "trace/carrier.h"

/* Sees what a trace gives out, and when the trace is freed. NULL functions are not called. */
struct trace_tap {
	void (*rows)(void *context, struct rst_trace *trace, const struct rst_batch *batch);
	void (*end)(void *context, struct rst_trace *trace, enum rst_status how); /* RST_END, or a failure */
	void (*done)(void *context);						  /* the trace is freed */
	void *context;
};

enum { TRACE_FOUND_BITS = 8 };

/* The object of an id at every place of the sequence. Valid until an object is added or named. */
struct trace_found {
	uint64_t id, process;
	enum rst_object_kind kind;
	unsigned generation;
	const struct rst_object *object; /* NULL: nothing */
};

struct rst_trace {
	struct model model;
	struct batch batch;
	const struct dialect *dialect;
	void *state;
	struct input_set *set;	 /* the files of a directory, or NULL */
	struct source **sources; /* one, or those of the set, and the joined ones */
	size_t n_sources, sources_room;
	size_t n_read; /* sources whose bytes have all been given to the dialect */
	struct chunk_carrier carrier;
	bool has_chunk;	     /* the dialect has not used up the carrier's chunk */
	bool is_whole;	     /* the source being read came in one run */
	uint64_t n_bytes;    /* of all runs so far */
	struct rst_gap *due; /* loss and damage of sources whose rows are still to come */
	size_t n_due, due_room, n_put;
	struct trace_found found[1 << TRACE_FOUND_BITS]; /* by a hash of the id */
	struct symbol_names *names;			 /* of the user's programs, or NULL */
	bool has_checked_programs; /* whether they are of the machine that was recorded */
	struct rst_metadata metadata;
	struct outbuf text;	/* the field that was put last; no buffer before the first */
	enum rst_status answer; /* of the dialect, given out after the rows before it; RST_OK: not yet */
	enum rst_status ended;	/* RST_OK while there may be more */
	struct rst_error error; /* why it ended, for every later call */
	struct trace_tap tap;
	uint64_t how_hash; /* of how it was opened; 0 if other files are needed to read it */
};

/* --- trace_symbols.c ------------------------------------------------------------------------------------ */

/* Opens the user's programs; before the dialect's open(). */
enum rst_status trace_symbols_open(
	struct rst_trace *trace, const struct rst_open *how, struct rst_error *err);

/*
 * Looks up the addresses of the batch, so that the result does not depend on what is shown. May return
 * RST_E_NOMEM.
 */
enum rst_status trace_symbols_see(
	struct rst_trace *trace, const struct rst_batch *batch, struct rst_error *err);

/*
 * After the last batch: gives objects their names, and warns if the programs do not fit. May return
 * RST_E_NOMEM.
 */
enum rst_status trace_symbols_end(struct rst_trace *trace, struct rst_error *err);

#endif
