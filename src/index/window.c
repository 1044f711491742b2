/* SPDX-License-Identifier: MIT */
#include "index/parts.h"
#include "template/set/set.h"
#include "trace/trace_parts.h"

/* One event more than is wanted at the end, because the first one lacks the time since the previous event. */
static uint64_t one_more(uint64_t n)
{
	return n < UINT64_MAX ? n + 1 : n;
}

bool index_has_heads(const struct rst_trace *trace)
{
	return dialect_rare(trace->dialect)->narrow && trace->dialect->chunks != CHUNKS_WHOLE;
}

static bool has_timed_event(const struct rst_trace *trace, const struct template_set *timed)
{
	const struct rst_type *type;

	for (size_t i = 0; (type = rst_trace_type(trace, i)) != NULL; i++)
		if (template_set_times(timed, type->name, type->name_bytes))
			return true;
	return false;
}

/* If a dialect reads whole inputs, its types are known only when its events are read. */
static bool may_be_timed(const struct rst_trace *trace, const struct template_set *timed)
{
	return timed && (trace->dialect->chunks == CHUNKS_WHOLE || has_timed_event(trace, timed));
}

bool index_leave_out(struct rst_trace *trace, const struct index_wish *wish)
{
	const struct dialect *dialect = trace->dialect;
	struct dialect_window window = { .n_last = one_more(wish->n_last) };
	struct source_file file;
	struct chunk whole = { .behind = CHUNK_INPUT_ENDS };
	uint64_t first_ticks;

	if (!dialect_rare(dialect)->narrow || wish->wants_counts || !trace->how_hash || trace->tap.done ||
		!source_file(trace->sources[0], &file))
		return false;
	whole.bytes = file.bytes;
	whole.n_bytes = file.n_bytes;
	whole.source = source_about(trace->sources[0]).name;
	if (index_has_heads(trace))
		source_read_parts(trace->sources[0]);
	else
		source_read_ahead(file.bytes, file.n_bytes);
	if (!dialect_rare(dialect)->survey(trace->state, &trace->model, &whole, &first_ticks) ||
		!index_moments(
			first_ticks, rst_trace_metadata(trace)->clock_hz, wish, &window.from, &window.to) ||
		may_be_timed(trace, wish->timed)) {
		source_read_ahead(file.bytes, file.n_bytes);
		return false;
	}
	dialect_rare(dialect)->narrow(trace->state, &window);
	return true;
}
