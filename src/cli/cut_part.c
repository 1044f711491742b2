/* SPDX-License-Identifier: MIT */
#include "cli/cut_part.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

enum rst_status cut_part_begin(
	struct cut_part *part, struct store_writer *writer, struct rst_trace *trace, struct rst_error *err)
{
	part->part = store_write_part(writer);
	return rst_states_new(&part->states, trace, err);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* FNV-1a, a number at a time: parts of one recording, read in the same way, have one digest. */
static uint64_t digest_add(uint64_t digest, uint64_t number)
{
	return (digest ^ number) * 0x100000001b3;
}

static void event_note(
	struct cut_part *part, const struct select *select, uint64_t number, uint64_t ticks, bool is_taken)
{
	struct rst_carried *about = part->part;

	if (is_taken && !part->has_events)
		about->first_event = number;
	else if (is_taken && number != about->end_event)
		about->is_selection = true; /* the clock stepped back, for example */
	if (is_taken || (!part->has_events && ticks < select->from))
		about->end_event = number + 1;
	if (!part->has_events && !is_taken)
		about->first_event = about->end_event;
	part->has_events |= is_taken;
}

void cut_part_rows(struct cut_part *part, const struct rst_trace *trace, const struct select *select,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	const struct rst_carried *carried = rst_trace_carried(trace);
	size_t next = 0;

	for (size_t row = 0; row < batch->n_events && part->part; row++) {
		const bool is_taken = next < n_rows && rows[next] == row;
		const uint64_t ticks = batch->ticks[row];

		next += is_taken;
		part->digest = digest_add(part->digest, ticks);
		part->digest = digest_add(part->digest, batch->layout[row]->index);
		part->digest = digest_add(part->digest, batch->context[row]->index);
		if (batch->type[row]->marker != RST_EVENT)
			continue;
		if (!part->n_events)
			part->first_ticks = ticks;
		if (ticks > part->ticks)
			part->ticks = ticks;
		event_note(part, select, carried ? carried->seqs[row] : part->n_events, ticks, is_taken);
		part->n_events++;
	}
}

/* --- intervals ------------------------------------------------------------------------------------------ */

static enum rst_status beginning_keep(struct cut_part *part, struct rst_carried *kept,
	const struct rst_beginning *from, struct rst_error *err)
{
	struct rst_beginning *beginnings = array_room(
		part->beginnings, kept->n_beginnings, &part->beginnings_room, sizeof(struct rst_beginning));

	if (!beginnings)
		return error_nomem(err);
	kept->beginnings = part->beginnings = beginnings;
	beginnings[kept->n_beginnings] = *from;
	beginnings[kept->n_beginnings++].n_intervals = kept->n_intervals;
	return RST_OK;
}

static enum rst_status interval_keep(struct cut_part *part, struct rst_carried *kept,
	const struct rst_interval *from, struct rst_error *err)
{
	struct rst_interval *intervals = array_room(
		part->intervals, kept->n_intervals, &part->intervals_room, sizeof(struct rst_interval));

	if (!intervals)
		return error_nomem(err);
	kept->intervals = part->intervals = intervals;
	intervals[kept->n_intervals++] = *from;
	return RST_OK;
}

/* Keeps what is selected of what the engine has made, in its order. */
static enum rst_status part_choose(
	struct cut_part *part, const struct select *select, struct rst_carried *kept, struct rst_error *err)
{
	const struct rst_interval *intervals;
	const struct rst_beginning *beginnings;
	const size_t n_intervals = rst_states_intervals(part->states, &intervals),
		     n_beginnings = rst_states_beginnings(part->states, &beginnings);
	size_t next = 0;

	for (size_t i = 0; i <= n_intervals; i++) {
		for (; next < n_beginnings && beginnings[next].n_intervals <= i; next++)
			if (select_takes_beginning(select, &beginnings[next]))
				error_try(beginning_keep(part, kept, &beginnings[next], err));
		if (i < n_intervals && select_takes_interval(select, &intervals[i]))
			error_try(interval_keep(part, kept, &intervals[i], err));
	}
	return RST_OK;
}

static enum rst_status part_write_chosen(struct cut_part *part, struct store_writer *writer,
	const struct select *select, struct rst_error *err)
{
	struct rst_carried kept = { .n_intervals = 0 };

	error_try(part_choose(part, select, &kept, err));
	return store_write_carried(writer, &kept, err);
}

enum rst_status cut_part_carry(struct cut_part *part, struct store_writer *writer,
	const struct select *select, const struct rst_batch *batch, struct rst_error *err)
{
	if (!part->part)
		return RST_OK;
	error_try(rst_states_feed(part->states, batch, err));
	return select ? part_write_chosen(part, writer, select, err) : RST_OK;
}

/* --- the end -------------------------------------------------------------------------------------------- */

/* The window: what is selected of the recording, or of the part that the trace is itself. */
static void window_note(struct cut_part *part, const struct rst_carried *of, const struct select *select)
{
	const uint64_t from = of ? of->from : part->first_ticks, to = of ? of->to : part->ticks;
	struct rst_carried *about = part->part;

	about->from = select->from > from ? select->from : from;
	about->to = select->to < to ? select->to : to;
	if (about->to < about->from)
		about->to = about->from;
}

static bool leaves_out(const struct filter_spec *spec)
{
	return spec->types.n_items || spec->contexts.n_items || spec->objects.n_items || spec->cores.n_items;
}

enum rst_status cut_part_end(struct cut_part *part, struct store_writer *writer,
	const struct rst_trace *trace, const struct select *select, struct rst_error *err)
{
	const struct rst_carried *of = rst_trace_carried(trace);

	if (!part->part)
		return RST_OK;
	error_try(rst_states_finish(part->states, err));
	error_try(part_write_chosen(part, writer, select, err));
	window_note(part, of, select);
	part->part->recording = of ? of->recording : part->digest;
	part->part->n_events = of ? of->n_events : part->n_events;
	part->part->is_selection |= leaves_out(select->spec) || (of && of->is_selection);
	return RST_OK;
}

void cut_part_done(struct cut_part *part)
{
	rst_states_free(part->states);
	free(part->intervals);
	free(part->beginnings);
	*part = (struct cut_part){ 0 };
}
