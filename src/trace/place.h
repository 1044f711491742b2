/* SPDX-License-Identifier: MIT */
/*
 * Places in a trace, for reading again from there. A place is taken behind a batch of one trace, and used in
 * another trace of the same input that was opened in the same way. Names and types that the trace has found
 * remain. Only some dialects have places, and only in files.
 */
#ifndef TRACE_PLACE_H
#define TRACE_PLACE_H

#include "dialect/dialect.h"

struct trace_place {
	uint64_t n_bytes;		 /* of the input */
	uint64_t last_ticks, last_seq;	 /* of the row before; losses take these */
	uint64_t greatest_ticks, n_runs; /* of all rows before; a new run starts here */
	uint64_t dialect[DIALECT_PLACE_MAX / sizeof(uint64_t)];
};

/* Stores where the trace stands. Returns false if it has no places. */
bool trace_place_take(const struct rst_trace *trace, struct trace_place *ret_place);

/*
 * Goes to the place, or to the beginning if place is NULL; the next batch is the one behind it. Returns false
 * and changes nothing if the trace has no places, if no batch of it has been read, if reading has failed, or
 * if the place belongs to another input.
 */
bool trace_place_go(struct rst_trace *trace, const struct trace_place *place);

/* Bytes that the names, types and threads of the trace take. */
size_t trace_memory(const struct rst_trace *trace);

#endif
