/* SPDX-License-Identifier: MIT */
/*
 * `services`: how often each service was called, how often that failed or made the thread wait, and how long
 * it took: calls whose begin and end are recorded, and spans. An event that ends a call belongs to the event
 * that began it and has no row; neither has one with which a recording starts or stops.
 */
#include <stdlib.h>

#include "analysis/stats/askers.h"
#include "analysis/stats/lengths.h"
#include "analysis/stats/nesting.h"
#include "analysis/stats/requests.h"
#include "analysis/stats/stats.h"
#include "base/array.h"

enum {
	SERVICES_KIND,
	SERVICES_PROCESS,
	SERVICES_SERVICE,
	SERVICES_CALLS,
	SERVICES_SHARE,
	SERVICES_FAILED,
	SERVICES_BLOCKED,
	SERVICES_TOTAL_WAIT,
	SERVICES_MAX_WAIT,
	SERVICES_MAX_WAIT_THREAD,
	SERVICES_MAX_WAIT_AT,
	SERVICES_TOTAL,
	SERVICES_MEAN,
	SERVICES_DURATION,
	SERVICES_MAX_THREAD = SERVICES_DURATION + N_DURATION_CELLS,
	SERVICES_LENGTHS,
	N_SERVICES_COLUMNS
};

static const struct table_column columns[N_SERVICES_COLUMNS] = {
	[SERVICES_KIND] = { .name = "kind",
		.type = CELL_WORD,
		.rank = 1,
		.help = "event: what is counted are events of a type; span: spans of a name" },
	[SERVICES_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[SERVICES_SERVICE] = { .name = "service", .type = CELL_WORD, .is_subject = true },
	[SERVICES_CALLS] = { .name = "calls", .type = CELL_COUNT },
	[SERVICES_SHARE] = { .name = "share", .type = CELL_SHARE, .rank = 2, .help = "of all events" },
	[SERVICES_FAILED] = { .name = "failed",
		.type = CELL_COUNT,
		.help = "refused or timed out, where the recording shows it" },
	[SERVICES_BLOCKED] = { .name = "blocked",
		.type = CELL_COUNT,
		.help = "calls in which the thread had to wait" },
	[SERVICES_TOTAL_WAIT] = { .name = "total_wait", .type = CELL_TIME },
	[SERVICES_MAX_WAIT] = { .name = "max_wait", .type = CELL_TIME, .help = "the longest wait" },
	[SERVICES_MAX_WAIT_THREAD] = { .name = "max_wait_thread",
		.type = CELL_WORD,
		.rank = 2,
		.help = "which thread waited so long" },
	[SERVICES_MAX_WAIT_AT] = { .name = "max_wait_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "when that wait ended" },
	[SERVICES_TOTAL] = { .name = "total",
		.type = CELL_TIME,
		.rank = 1,
		.help = "from the begin of a call to its end, where both are recorded" },
	[SERVICES_MEAN] = { .name = "mean", .type = CELL_TIME, .rank = 1 },
	DURATION_COLUMNS(SERVICES_DURATION, "", false, 2, 3, 3, 1, 4, "the median", "when that one ended"),
	[SERVICES_MAX_THREAD] = { .name = "max_thread",
		.type = CELL_WORD,
		.rank = 3,
		.help = "which thread's that one was" },
	[SERVICES_LENGTHS] = { .name = "lengths", .type = CELL_HISTOGRAM },
};

/* --- counting ------------------------------------------------------------------------------------------- */

struct service_figures {
	uint64_t n, n_failed, n_blocked;
	uint64_t total; /* of what ended */
	struct lengths waits, lengths;
};

struct type_record {
	const struct rst_type *type; /* NULL before its first event */
	bool is_end;		     /* of a call, or of the recorder: it has no row */
	struct service_figures figures;
};

struct span_record {
	struct subject subject;
	struct service_figures figures;
};

struct services_shared {
	struct requests requests, waits;
	struct askers askers;
	struct nesting nesting;
};

struct services_state {
	struct services_shared *shared;
	struct type_record *types; /* by index */
	size_t n_types, room;
	uint64_t n_events;
	struct subjects spans;
};

static struct service_figures *figures_of(struct services_state *state, const struct rst_type *type)
{
	struct type_record *types = array_reach(state->types, &state->room, type->index, sizeof(*types));

	if (!types)
		return NULL;
	state->types = types;
	if (type->index >= state->n_types)
		state->n_types = type->index + 1;
	types[type->index].type = type;
	return &types[type->index].figures;
}

/* A thread that wakes itself goes on after a call. */
static bool layout_is_end(const struct rst_layout *layout)
{
	bool begins = false, ends = false;

	for (unsigned i = 0; layout && i < layout->n_effects; i++) {
		const struct rst_effect *effect = &layout->effects[i];

		if ((effect->kind == RST_EFFECT_WAKE && effect->thread.from == RST_FROM_SELF) ||
			(effect->kind == RST_EFFECT_GAP && effect->phase != RST_DONE))
			return true;
		begins |= effect->kind == RST_EFFECT_BEGIN;
		ends |= effect->kind == RST_EFFECT_END;
	}
	return ends && !begins;
}

static bool services_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct services_state *state = context;
	struct service_figures *figures;

	(void)at;
	if (batch->type[row]->marker != RST_EVENT)
		return true;
	figures = figures_of(state, batch->type[row]);
	if (!figures)
		return false;
	if (figures->n++ == 0)
		state->types[batch->type[row]->index].is_end =
			layout_is_end(batch->layout ? batch->layout[row] : NULL);
	state->n_events++;
	return true;
}

/* Counts the call that ends here; `requests` has its type and begin. */
static bool call_end(struct services_state *state, const struct requests *requests,
	const struct occurrence *occurrence, bool has_failed)
{
	const struct rst_entity thread = rst_entity_of_context(occurrence->facts->thread);
	const uint64_t ticks = occurrence->at - requests->at;
	struct service_figures *figures = figures_of(state, requests->type);

	if (!figures)
		return false;
	figures->n_failed += has_failed;
	figures->total += ticks;
	return lengths_add(&figures->lengths, ticks, occurrence->at, &thread);
}

static bool services_effect(void *context, const struct occurrence *occurrence)
{
	struct services_state *state = context;
	const enum rst_effect_kind kind = occurrence->facts->effect->kind;
	struct requests *requests = &state->shared->requests, *waits = &state->shared->waits;
	struct service_figures *figures;
	enum request_event what;
	bool ends;

	if (kind == RST_EFFECT_BEGIN) {
		const struct rst_entity thread = rst_entity_of_context(occurrence->facts->thread);
		const struct span_identity identity = span_identity_of(occurrence);

		return nesting_begin(&state->shared->nesting, &thread, occurrence->seq, &identity);
	}
	if (occurrence->facts->phase == RST_ASKS && !askers_ask(&state->shared->askers, occurrence))
		return false;
	if (kind == RST_EFFECT_WAIT || kind == RST_EFFECT_WAKE)
		return request_wait(waits, occurrence, &ends) &&
		       (!ends || call_end(state, waits, occurrence, occurrence->facts->phase == RST_GAVE_UP));
	what = request_take(requests, occurrence);
	switch (what) {
	case REQUEST_NO_MEMORY:
		return false;
	case REQUEST_FAILS:
		figures = figures_of(state, occurrence->batch->type[occurrence->row]);
		if (figures)
			figures->n_failed++;
		return figures != NULL;
	case REQUEST_COMPLETES:
	case REQUEST_GIVES_UP:
		return call_end(state, requests, occurrence, what == REQUEST_GIVES_UP);
	case REQUEST_BEGINS:
	case REQUEST_SUCCEEDS:
		break;
	}
	return true;
}

static bool span_count(struct services_state *state, const struct piece *piece)
{
	struct span_record *record;
	uint64_t ticks, self;
	bool is_known;

	record = subject_of(&state->spans, &piece->interval->subject);
	if (!record || !nesting_add(&state->shared->nesting, piece, &ticks))
		return false;
	record->figures.n += piece_begins(piece);
	record->figures.total += ticks;
	if (piece->has_end && !nesting_end(&state->shared->nesting, piece, &self, &is_known))
		return false;
	return lengths_take(&record->figures.lengths, piece, &piece->interval->object);
}

static bool services_piece(void *context, const struct piece *piece)
{
	struct services_state *state = context;
	const struct rst_type *type;
	struct service_figures *figures;
	bool is_first;

	if (piece->interval->kind == RST_INTERVAL_SPAN)
		return span_count(state, piece);
	if (!askers_piece(&state->shared->askers, piece, &type, &is_first))
		return false;
	if (!type)
		return true;
	figures = figures_of(state, type);
	if (!figures)
		return false;
	figures->n_blocked += is_first;
	return lengths_take(&figures->waits, piece, &piece->interval->subject);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static bool figures_row(const struct service_figures *figures, struct table *table, struct table_cell *cells)
{
	const struct histogram *waits = &figures->waits.histogram, *lengths = &figures->lengths.histogram;

	if (!entity_name(&figures->waits.longest_of, table, &cells[SERVICES_MAX_WAIT_THREAD]) ||
		!entity_name(&figures->lengths.longest_of, table, &cells[SERVICES_MAX_THREAD]))
		return false;
	cells[SERVICES_CALLS] = cell_count(figures->n);
	cells[SERVICES_MAX_WAIT] = cell_if(waits->n > 0, cell_time(waits->most));
	cells[SERVICES_MAX_WAIT_AT] = cell_if(waits->n > 0, cell_moment(waits->most_at));
	cells[SERVICES_TOTAL] = cell_if(figures->total > 0, cell_time(figures->total));
	cells[SERVICES_MEAN] = mean_cell(lengths);
	duration_cells(cells + SERVICES_DURATION, lengths);
	cells[SERVICES_LENGTHS] = cell_histogram(lengths->n ? lengths : NULL);
	return true;
}

static bool type_row(
	const struct services_state *state, const struct type_record *record, struct table *table)
{
	const struct service_figures *figures = &record->figures;
	struct table_cell *cells = table_row(table);

	if (!cells || !figures_row(figures, table, cells))
		return false;
	cells[SERVICES_KIND] = cell_word("event");
	cells[SERVICES_SERVICE] = cell_word(record->type->name);
	cells[SERVICES_SHARE] = cell_share((double)figures->n, (double)state->n_events);
	cells[SERVICES_FAILED] = cell_count(figures->n_failed);
	cells[SERVICES_BLOCKED] = cell_count(figures->n_blocked);
	cells[SERVICES_TOTAL_WAIT] = cell_time(figures->waits.total);
	return true;
}

static bool span_row(struct services_state *state, const struct span_record *record, struct table *table)
{
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	struct table_cell *cells = table_row(table);

	if (!cells || !figures_row(&record->figures, table, cells) ||
		!entity_name(&process, table, &cells[SERVICES_PROCESS]) ||
		!subject_name(&state->spans, &record->subject, table, &cells[SERVICES_SERVICE]))
		return false;
	cells[SERVICES_KIND] = cell_word("span");
	return true;
}

static bool services_rows(void *context, struct table *table, uint64_t from, uint64_t to)
{
	struct services_state *state = context;
	bool is_done = true;

	(void)from;
	(void)to;
	for (size_t i = 0; i < state->n_types && is_done; i++)
		is_done = !state->types[i].type || state->types[i].is_end ||
			  type_row(state, &state->types[i], table);
	for (size_t i = 0; i < state->spans.n && is_done; i++)
		is_done = span_row(state, (const struct span_record *)state->spans.all[i], table);
	return is_done;
}

static void service_figures_done(struct service_figures *figures)
{
	histogram_done(&figures->waits.histogram);
	histogram_done(&figures->lengths.histogram);
}

static void span_done(void *subject)
{
	struct span_record *record = subject;

	service_figures_done(&record->figures);
}

static void services_done(void *context)
{
	struct services_state *state = context;

	for (size_t i = 0; i < state->n_types; i++)
		service_figures_done(&state->types[i].figures);
	free(state->types);
}

static void services_shared_done(void *context)
{
	struct services_shared *shared = context;

	requests_done(&shared->requests);
	askers_done(&shared->askers);
	requests_done(&shared->waits);
	nesting_done(&shared->nesting);
}

const struct analysis analysis_services = {
	.observer = {
		.state_bytes = sizeof(struct services_state),
		.shared_bytes = sizeof(struct services_shared),
		.records = { { offsetof(struct services_state, spans), sizeof(struct span_record), span_done } },
		.effects = SCAN_BIT(RST_EFFECT_ACQUIRE) | SCAN_BIT(RST_EFFECT_SEND) | SCAN_BIT(RST_EFFECT_RECEIVE) |
			   SCAN_BIT(RST_EFFECT_ALLOCATE) | SCAN_BIT(RST_EFFECT_WAIT) | SCAN_BIT(RST_EFFECT_WAKE) |
			   SCAN_BIT(RST_EFFECT_BEGIN),
		.intervals = SCAN_BIT(RST_INTERVAL_THREAD) | SCAN_BIT(RST_INTERVAL_SPAN),
		.row = services_row,
		.effect = services_effect,
		.piece = services_piece,
		.done = services_done,
		.shared_done = services_shared_done,
	},
	.name = "services",
	.about = "how often each service was called, failed, and made a thread wait",
	.columns = columns,
	.n_columns = N_SERVICES_COLUMNS,
	.order = SERVICES_CALLS,
	.basis = BASIS_EVENTS,
	.rows = services_rows,
};
