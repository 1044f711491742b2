/* SPDX-License-Identifier: MIT */
#include "trace/place.h"

#include "trace/trace_parts.h"

bool trace_place_take(const struct rst_trace *trace, struct trace_place *ret_place)
{
	*ret_place = (struct trace_place){ .n_bytes = trace->n_bytes,
		.last_ticks = trace->model.last_ticks,
		.last_seq = trace->model.last_seq,
		.greatest_ticks = trace->model.greatest_ticks,
		.n_runs = trace->model.n_runs };
	return !trace->due && dialect_rare(trace->dialect)->place_take &&
	       dialect_rare(trace->dialect)->place_take(trace->state, ret_place->dialect);
}

size_t trace_memory(const struct rst_trace *trace)
{
	return arena_used(&trace->model.arena);
}

/*
 * Losses that sources have reported become rows only once. A marker in front of all events has the time of
 * the first event.
 */
bool trace_place_go(struct rst_trace *trace, const struct trace_place *place)
{
	if (!dialect_rare(trace->dialect)->place_go || trace->due || trace->ended < 0 || trace->answer < 0 ||
		(place && place->n_bytes != trace->n_bytes) ||
		!dialect_rare(trace->dialect)->place_go(trace->state, place ? place->dialect : NULL))
		return false;
	trace->answer = trace->ended = RST_OK;
	trace->model.last_ticks = place ? place->last_ticks : trace->model.first_ticks;
	trace->model.last_seq = place ? place->last_seq : 0;
	trace->model.greatest_ticks = place ? place->greatest_ticks : 0;
	trace->model.n_runs = place ? place->n_runs : 0;
	return true;
}
