/* SPDX-License-Identifier: MIT */
#include "analysis/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/error.h"

enum { PIECES_AT_ONCE = 16384 /* the end of a trace ends an interval of each thread */ };

/* --- handing on ----------------------------------------------------------------------------------------- */

static bool is_in_window(const struct scan *scan, uint64_t ticks)
{
	return ticks >= scan->select.from && ticks <= scan->select.to;
}

/* Counts the events before a row. Call it for rows in their order. */
static uint64_t seq_of(struct scan *scan, const struct rst_batch *batch, size_t row)
{
	if (scan->numbers)
		return scan->numbers[row];
	for (; scan->seq_row < row; scan->seq_row++)
		scan->seq += batch->type[scan->seq_row]->marker == RST_EVENT;
	return scan->seq;
}

/* The rows of a batch come before its effects, and a new run begins after the ticks of its marker. */
static size_t run_of(struct scan *scan, uint64_t at)
{
	while (scan->run < scan->n_runs && scan->runs[scan->run] < at)
		scan->run++;
	return scan->run;
}

static bool run_add(struct scan *scan, uint64_t at)
{
	uint64_t *runs = array_room(scan->runs, scan->n_runs, &scan->runs_room, sizeof(*runs));

	if (!runs)
		return false;
	scan->runs = runs;
	runs[scan->n_runs++] = at;
	return true;
}

static bool give_effect(void *context, const struct rst_batch *batch, size_t row, uint64_t at,
	const struct rst_effect_facts *facts)
{
	struct scan *scan = context;
	const struct occurrence occurrence = { batch, row, at, seq_of(scan, batch, row), run_of(scan, at),
		facts };

	if (!scan->is_started || !is_in_window(scan, at) || (scan->taken && !scan->taken[row]))
		return true;
	return observers_effect(&scan->observers, &occurrence);
}

static void give_piece(struct scan *scan, const struct rst_interval *interval)
{
	const uint64_t from = scan->select.from, to = scan->select.to;
	const uint64_t begin = interval->from > from ? interval->from : from;
	const struct piece piece = { .interval = interval,
		.from = begin,
		.begin = begin,
		.to = interval->to < to ? interval->to : to,
		.has_begin = interval->from_seq != RST_NO_SEQ && interval->from >= from,
		.has_end = interval->to_seq != RST_NO_SEQ && interval->to <= to };

	if (piece.from >= piece.to ||
		!(scan->select.takes_all || select_takes_interval(&scan->select, interval)))
		return;
	check(piece.from < piece.to && piece.begin <= piece.from);
	scan->has_no_memory |= !scan->has_no_memory && !observers_piece(&scan->observers, &piece);
}

static void give_beginning(struct scan *scan, const struct rst_beginning *beginning)
{
	if (!is_in_window(scan, beginning->at) ||
		!(scan->select.takes_all || select_takes_beginning(&scan->select, beginning)))
		return;
	scan->has_no_memory |= !scan->has_no_memory && !observers_beginning(&scan->observers, beginning);
}

static void give_pieces(struct scan *scan)
{
	const struct rst_interval *intervals;
	const struct rst_beginning *beginning, *end;
	const size_t n_intervals = rst_states_intervals(scan->states, &intervals),
		     n_beginnings = rst_states_beginnings(scan->states, &beginning);

	end = beginning + n_beginnings;
	for (size_t i = 0; i <= n_intervals; i++) {
		for (; beginning < end && beginning->n_intervals <= i; beginning++)
			give_beginning(scan, beginning);
		if (i == n_intervals)
			return;
		if (scan->intervals >> intervals[i].kind & 1)
			give_piece(scan, &intervals[i]);
		if (scan->progress && i % PIECES_AT_ONCE == PIECES_AT_ONCE - 1)
			scan->progress(scan->progress_context, scan->n_events);
	}
}

/* A marker before the first event has no time of its own: it counts for any window. */
static void give_row(struct scan *scan, const struct rst_batch *batch, size_t row, uint64_t at)
{
	scan->n_rows_lost += batch->type[row]->marker == RST_LOSS || batch->type[row]->marker == RST_DAMAGE;
	if (batch->type[row]->marker == RST_RUN && !run_add(scan, at))
		scan->has_no_memory = true;
	scan->has_no_memory |= !scan->has_no_memory && !observers_row(&scan->observers, batch, row, at);
}

/* --- the loop ------------------------------------------------------------------------------------------- */

static void scan_begin_at(struct scan *scan, uint64_t ticks)
{
	scan->now = ticks;
	scan->from = ticks > scan->select.from ? ticks : scan->select.from;
}

/*
 * The window begins at the first event. The zero of times, first_ticks, may lie in front of it: a store that
 * was cut has the zero of the trace that it was cut from.
 */
static void scan_find_begin(struct scan *scan, const struct rst_batch *batch)
{
	const struct rst_carried *carried = rst_trace_carried(scan->trace);

	for (size_t row = 0; row < batch->n_events && !scan->has_event; row++)
		if (batch->type[row]->marker == RST_EVENT) {
			scan->has_event = true;
			scan_begin_at(scan, carried ? carried->from : batch->ticks[row]);
		}
}

/*
 * The window of a part of a recording is that of the part, as if it were selected in the whole. Another part
 * may follow in the same trace.
 */
static void scan_narrow(struct scan *scan)
{
	const struct rst_carried *carried = rst_trace_carried(scan->trace);

	scan->numbers = carried ? carried->seqs : NULL;
	if (!carried)
		return;
	if (scan->select.from < carried->from)
		scan->select.from = carried->from;
	scan->select.to = scan->to_selected < carried->to ? scan->to_selected : carried->to;
}

static enum rst_status scan_start(struct scan *scan, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(scan->trace);

	error_try(times_init(&scan->times, TIME_AUTO, metadata, err));
	error_try(select_init(&scan->select, scan->filter, scan->trace, err));
	scan->to_selected = scan->select.to;
	scan_narrow(scan);
	scan->intervals = observers_intervals(&scan->observers);
	scan->is_started = true;
	scan_begin_at(scan, metadata->first_ticks);
	return observers_start(&scan->observers, scan, err);
}

/* Selects rows, and hands them on. */
static void scan_rows(struct scan *scan, const struct rst_batch *batch, bool taken[RST_BATCH_EVENTS])
{
	uint16_t rows[RST_BATCH_EVENTS];
	const size_t n_rows = select_rows(&scan->select, batch, rows);
	uint64_t at = scan->now;
	size_t next = 0;

	scan->seq = scan->n_events;
	scan->seq_row = 0;
	memset(taken, 0, RST_BATCH_EVENTS * sizeof(*taken));
	scan->taken = n_rows == batch->n_events ? NULL : taken;
	for (size_t row = 0; row < batch->n_events; row++) {
		const bool is_event = batch->type[row]->marker == RST_EVENT;

		if (is_event && batch->ticks[row] > at)
			at = batch->ticks[row];
		scan->n_events += is_event;
		if (next == n_rows || rows[next] != row)
			continue;
		taken[row] = true;
		next++;
		scan->n_selected += is_event;
		give_row(scan, batch, row, at);
	}
	scan->has_no_memory |= !scan->has_no_memory && !observers_batch(&scan->observers, batch);
	scan->now = at;
}

static enum rst_status scan_batch(struct scan *scan, const struct rst_batch *batch, struct rst_error *err)
{
	bool taken[RST_BATCH_EVENTS];

	if (!scan->is_started && rst_trace_metadata(scan->trace)->has_first_ticks)
		error_try(scan_start(scan, err));
	if (scan->is_started)
		scan_narrow(scan);
	times_refresh(&scan->times, rst_trace_metadata(scan->trace));
	if (scan->is_started && !scan->has_event)
		scan_find_begin(scan, batch);
	if (scan->is_started)
		scan_rows(scan, batch, taken);
	error_try(rst_states_feed(scan->states, batch, err));
	if (scan->is_started)
		give_pieces(scan);
	scan->taken = NULL;
	return RST_OK;
}

static enum rst_status scan_step(struct scan *scan, struct rst_error *err)
{
	scan->to = scan->is_started && scan->now > scan->select.to ? scan->select.to : scan->now;
	if (scan->is_started && !scan->has_no_memory)
		scan->has_no_memory = !observers_step(&scan->observers, scan);
	return scan->has_no_memory ? error_nomem(err) : RST_OK;
}

/* The window of a part may go on behind its last event, or have no event at all. */
static enum rst_status scan_end_part(struct scan *scan, struct rst_error *err)
{
	const struct rst_carried *carried = rst_trace_carried(scan->trace);

	if (!carried || !rst_trace_metadata(scan->trace)->has_first_ticks)
		return RST_OK;
	if (!scan->is_started) {
		error_try(scan_start(scan, err));
		scan_begin_at(scan, carried->from);
	}
	if (scan->now < carried->to)
		scan->now = carried->to;
	return RST_OK;
}

static enum rst_status scan_all(struct scan *scan, struct rst_error *err)
{
	const struct rst_batch *batch;
	enum rst_status status;

	while ((status = rst_trace_next(scan->trace, &batch, err)) == RST_OK) {
		error_try(scan_batch(scan, batch, err));
		error_try(scan_step(scan, err));
		if (scan->progress)
			scan->progress(scan->progress_context, scan->n_events);
	}
	/* If the trace ends with an error, the part read before it still counts. */
	if (rst_states_finish(scan->states, status < 0 ? NULL : err) < 0)
		return status < 0 ? status : RST_E_NOMEM;
	if (scan_end_part(scan, status < 0 ? NULL : err) < 0)
		return status < 0 ? status : RST_E_NOMEM;
	if (scan->is_started)
		give_pieces(scan);
	if (scan_step(scan, status < 0 ? NULL : err) < 0)
		return status < 0 ? status : RST_E_NOMEM;
	return status == RST_END ? RST_OK : status;
}

enum rst_status scan_run(struct scan *scan, struct rst_error *err)
{
	check(scan->trace && scan->filter && !scan->states && !scan->n_events);
	error_try(rst_states_new(&scan->states, scan->trace, err));
	if (!observers_begin(&scan->observers))
		return error_nomem(err);
	rst_states_watch(scan->states, observers_effects(&scan->observers), give_effect, scan);
	return scan_all(scan, err);
}

void scan_done(struct scan *scan)
{
	if (scan->is_started)
		select_done(&scan->select);
	free(scan->runs);
	scan->runs = NULL;
	observers_done(&scan->observers);
	scan->states = rst_states_free(scan->states);
}
