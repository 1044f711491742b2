/* SPDX-License-Identifier: MIT */
/*
 * Places in a trace, to read from there once more: taken behind a batch of one trace, gone to in another one of the same input that
 * was opened in the same way. What was known of names and types stays known. Only some dialects have places, and only in
 * files.
 */
#ifndef DIALECT_PLACE_H
#define DIALECT_PLACE_H

#include "dialect/dialect.h"

struct trace_place {
	uint64_t n_bytes;		 /* of the input */
	uint64_t last_ticks, last_seq;	 /* of the row before, which losses have as their own */
	uint64_t greatest_ticks, n_runs; /* of all rows before, which a new run counts from */
	uint64_t dialect[DIALECT_PLACE_MAX / sizeof(uint64_t)];
};

/*
 * Whether places may stand for reading: the trace has them, none of its rows are seen on the way by what makes an index or looks up symbols.
 */
bool trace_has_places(const struct rst_trace *trace);

/* Where the trace stands. Returns false if it has no places. */
bool trace_place_take(const struct rst_trace *trace, struct trace_place *ret_place);

/*
 * The next batch is that behind the place; NULL: the first one. false: nothing has changed, because this trace has no places,
 * no batch of it has been read, not all of it could be, or the place is of another input.
 */
bool trace_place_go(struct rst_trace *trace, const struct trace_place *place);

/* Bytes of the names, types and threads that are known. */
size_t trace_memory(const struct rst_trace *trace);

#endif
