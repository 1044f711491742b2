/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/format.h"
#include "report/worker.h"

/* --- begin and end ---------------------------------------------------------------------------------------------- */

/* Colours depend on the order in which contexts occur, and open spans depend on all rows. */
static bool can_take_turns(const struct report_input *input)
{
	const struct report *report = input->report;
	const struct report_opener *opener = report->opener;
	const struct filter_spec *filter = input->filter ? input->filter : report->options.filter;

	return opener->place_bytes && !report->options.has_color && !input->spans.is_wanted &&
	       !input->counts && select_is_all(filter) && opener->has_places(opener->context, input->trace);
}

enum rst_status turns_init(struct workers *workers, const struct report_input *input, struct rst_error *err)
{
	const size_t n_bytes = input->report->opener->place_bytes;
	bool is_good = true;

	if (!can_take_turns(input))
		return RST_OK;
	workers->has_turns = true;
	workers->turn.place = malloc(n_bytes);
	is_good = workers->turn.place != NULL;
	for (size_t i = 0; i < workers->n_workers && is_good; i++) {
		workers->workers[i].place = malloc(n_bytes);
		is_good = workers->workers[i].place != NULL;
	}
	return is_good ? RST_OK : error_nomem(err);
}

void turns_done(struct workers *workers)
{
	free(workers->turn.place);
	for (size_t i = 0; i < workers->n_workers; i++)
		free(workers->workers[i].place);
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

/* Gives the turn to another thread, unchanged: reading made no progress. */
static void turn_leave(struct worker *worker, bool has_changed)
{
	struct workers *workers = worker->workers;

	pthread_mutex_lock(&workers->mutex);
	worker->has_turn = false;
	workers->is_for_first = true;
	workers->is_free = true;
	workers->has_changed |= has_changed;
	pthread_cond_broadcast(&workers->changed);
	pthread_mutex_unlock(&workers->mutex);
}

static bool is_turn(const struct worker *worker)
{
	return worker->workers->is_free && (is_first(worker) || !worker->workers->is_for_first);
}

/* A turn takes less time than a thread needs to sleep and wake up. */
static void turn_expect(const struct workers *workers)
{
	enum { TRIES = 100 };

	for (int n = 0; n < TRIES && !atomic_load_explicit(&workers->is_free, memory_order_relaxed); n++)
		sched_yield();
}

/* Returns RST_OK if it is this thread's turn. Returns RST_END if it will not be any more. */
static enum rst_status turn_wait(struct worker *worker, struct report *report, struct rst_error *err)
{
	struct workers *workers = worker->workers;
	bool has_failed, has_changed;

	turn_expect(workers);
	pthread_mutex_lock(&workers->mutex);
	while (!is_turn(worker) && !workers->is_over && !workers->has_failed && !workers->has_changed)
		worker_wait(worker, report);
	has_failed = workers->has_failed && is_first(worker);
	has_changed = workers->has_changed && is_first(worker);
	worker->has_turn =
		is_turn(worker) && !workers->is_over && !workers->has_failed && !workers->has_changed;
	if (worker->has_turn)
		workers->is_free = false;
	pthread_mutex_unlock(&workers->mutex);
	if (has_failed)
		return error_nomem(err);
	if (has_changed)
		return error_changed(err);
	return worker->has_turn ? RST_OK : RST_END;
}

/*
 * Moves the thread's trace to the place where the turn begins. Returns false if its trace lacks that place.
 */
static bool turn_begin(struct worker *worker, struct report_input *input)
{
	const struct workers *workers = worker->workers;
	const struct report_opener *opener = input->report->opener;

	worker->n_batches = workers->turn.n_batches;
	standing_set(input, &workers->turn.standing);
	return workers->last == worker ||
	       opener->place_go(opener->context, input->trace, workers->turn.place);
}

bool turn_has_next(struct report_input *input)
{
	const struct report_opener *opener = input->report->opener;

	return opener->place_take(opener->context, input->trace, input->report->worker->place);
}

/* The first thread's trace must have all facts that are printed about a trace behind its lines. */
static bool is_for_first(struct report_input *input, const struct rst_batch *batch, size_t n_warnings)
{
	uint16_t rows[RST_BATCH_EVENTS];

	for (size_t i = 0; i < batch->n_events; i++)
		rows[i] = (uint16_t)i;
	return n_warnings != rst_trace_metadata(input->trace)->n_warnings || !turn_has_next(input) ||
	       rows_are_for_first(input, batch, rows, batch->n_events);
}

enum rst_status turn_read(
	struct report_input *input, const struct rst_batch **ret_batch, struct rst_error *err)
{
	struct worker *worker = input->report->worker;

	for (;;) {
		const size_t n_warnings = rst_trace_metadata(input->trace)->n_warnings;
		enum rst_status status = turn_wait(worker, input->report, err);

		if (status != RST_OK)
			return status;
		if (!turn_begin(worker, input)) {
			turn_leave(worker, true);
			return is_first(worker) ? error_changed(err) : RST_END;
		}
		status = rst_trace_next(input->trace, ret_batch, err);
		if (is_first(worker))
			return status;
		if (status == RST_OK && !is_for_first(input, *ret_batch, n_warnings))
			return RST_OK;
		turn_leave(worker, false);
		if (status != RST_OK)
			return RST_END;
	}
}

bool turn_hand_on(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	struct worker *worker = input->report->worker;
	struct workers *workers = worker->workers;
	const struct standing before = standing_of(input);
	const bool is_good = standing_pass(input, batch, rows, n_rows);

	workers->turn.standing = standing_of(input);
	workers->turn.n_batches = worker->n_batches;
	workers->last = worker;
	memcpy(workers->turn.place, worker->place, input->report->opener->place_bytes);
	standing_set(input, &before);
	pthread_mutex_lock(&workers->mutex);
	worker->has_turn = false;
	worker->takes_turns = is_good;
	workers->is_for_first = false;
	workers->is_free = is_good;
	pthread_cond_broadcast(&workers->changed);
	pthread_mutex_unlock(&workers->mutex);
	return is_good;
}
