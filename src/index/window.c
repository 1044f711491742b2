/* SPDX-License-Identifier: MIT */
#include "dialect/trace_parts.h"
#include "index/parts.h"
#include "template/set/set.h"

/* An event more than is wanted at the end: the first one has not the time since the one before. */
static uint64_t one_more(uint64_t n)
{
	return n < UINT64_MAX ? n + 1 : n;
}

static bool has_timed_event(const struct rst_trace *trace, const struct template_set *timed)
{
	const struct rst_type *type;

	for (size_t i = 0; (type = rst_trace_type(trace, i)) != NULL; i++)
		if (template_set_times(timed, type->name, type->name_bytes))
			return true;
	return false;
}

bool index_leave_out(struct rst_trace *trace, const struct index_wish *wish)
{
	const struct dialect *dialect = trace->dialect;
	struct dialect_window window = { .n_last = one_more(wish->n_last) };
	struct source_file file;
	struct chunk whole = { .behind = CHUNK_INPUT_ENDS };
	uint64_t first_ticks;

	if (!dialect->narrow || wish->wants_counts || !trace->how_hash || trace->tap.done ||
		!source_file(trace->sources[0], &file))
		return false;
	whole.bytes = file.bytes;
	whole.n_bytes = file.n_bytes;
	whole.source = source_about(trace->sources[0]).name;
	source_read_parts(trace->sources[0]);
	if (!dialect->survey(trace->state, &trace->model, &whole, &first_ticks) ||
		!index_moments(
			first_ticks, rst_trace_metadata(trace)->clock_hz, wish, &window.from, &window.to) ||
		(wish->timed && has_timed_event(trace, wish->timed))) {
		source_read_ahead(file.bytes, file.n_bytes);
		return false;
	}
	dialect->narrow(trace->state, &window);
	return true;
}
