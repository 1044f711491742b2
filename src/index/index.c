/* SPDX-License-Identifier: MIT */
#include "index/parts.h"
#include "trace/trace_parts.h"

/*
 * If the input has more than this number of bytes for each wanted event, the events are a small part of it.
 */
enum { BYTES_FOR_ONE = 256 };

static bool is_narrow(const struct index_wish *wish)
{
	return wish->wants_counts || wish->from || wish->to || wish->n_last != UINT64_MAX;
}

/*
 * Whether the index fits the input but cannot be used. Such an index is made again, by a read of the whole
 * input.
 */
static bool has_damaged_index(const struct index_input *input, bool has_input, bool is_stale)
{
	return has_input && is_stale && index_is_there(input);
}

/*
 * If the input contains the places of its rows, these are tried before the index, so that the input need not
 * be read for its mark. If the places are only found by a look at the whole input, the index is tried first.
 */
void index_use(struct rst_trace **trace, const struct index_wish *wish)
{
	struct index_input input;
	bool has_input, is_stale = true;

	if ((wish->is_few || is_narrow(wish)) && index_has_heads(*trace) && index_leave_out(*trace, wish))
		return;
	has_input = index_input_of(*trace, &input);
	if (is_narrow(wish)) {
		if (has_input && !wish->timed && index_find(trace, &input, wish, &is_stale))
			return;
		if (!index_has_heads(*trace) && !has_damaged_index(&input, has_input, is_stale) &&
			index_leave_out(*trace, wish))
			return;
	} else if (has_input) {
		is_stale = !index_is_there(&input);
	}
	if (has_input && is_stale)
		index_make(*trace, &input);
}

bool index_read_ahead(struct rst_trace *trace, const struct index_wish *wish)
{
	struct index_input input;

	return wish->n_last != UINT64_MAX && !wish->timed && !index_has_heads(trace) &&
	       index_input_of(trace, &input) && wish->n_last < input.file.n_bytes / BYTES_FOR_ONE &&
	       !index_is_there(&input) && !index_leave_out(trace, wish) && index_make_now(trace, &input);
}

const struct passed *index_take_passed(struct rst_trace *trace)
{
	return dialect_rare(trace->dialect)->take_passed
		       ? dialect_rare(trace->dialect)->take_passed(trace->state)
		       : NULL;
}
