/* SPDX-License-Identifier: MIT */
/*
 * `losses`: lost or damaged events by reason: how often, how many, and for how long the recording has no
 * data.
 */
#include <stdlib.h>

#include "analysis/stats/stats.h"
#include "base/array.h"

enum {
	LOSSES_KIND,
	LOSSES_REASON,
	LOSSES_COUNT,
	LOSSES_EVENTS,
	LOSSES_UNCOUNTED,
	LOSSES_BYTES,
	LOSSES_UNCERTAIN,
	LOSSES_SHARE,
	LOSSES_MAX,
	LOSSES_MAX_AT,
	LOSSES_FIRST,
	LOSSES_LAST,
	N_LOSSES_COLUMNS
};

static const struct table_column columns[N_LOSSES_COLUMNS] = {
	[LOSSES_KIND] = { .name = "kind", .type = CELL_WORD, .help = "loss: events; damage: bytes" },
	[LOSSES_REASON] = { .name = "reason", .type = CELL_WORD, .is_subject = true },
	[LOSSES_COUNT] = { .name = "count", .type = CELL_COUNT, .help = "places in the recording" },
	[LOSSES_EVENTS] = { .name = "events",
		.type = CELL_COUNT,
		.help = "lost there, as far as it is known" },
	[LOSSES_UNCOUNTED] = { .name = "uncounted",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "places of which it is not known how many events are lost" },
	[LOSSES_BYTES] = { .name = "damaged",
		.type = CELL_COUNT,
		.unit = "bytes",
		.help = "that cannot be read" },
	[LOSSES_UNCERTAIN] = { .name = "uncertain",
		.type = CELL_TIME,
		.help = "from the last event before to the first one behind" },
	[LOSSES_SHARE] = { .name = "share", .type = CELL_SHARE, .help = "of the window" },
	[LOSSES_MAX] = { .name = "max", .type = CELL_TIME, .rank = 1, .help = "the longest such time" },
	[LOSSES_MAX_AT] = { .name = "max_at",
		.type = CELL_MOMENT,
		.rank = 2,
		.help = "the last event before that" },
	[LOSSES_FIRST] = { .name = "first", .type = CELL_MOMENT, .rank = 1 },
	[LOSSES_LAST] = { .name = "last", .type = CELL_MOMENT, .rank = 1 },
};

enum { REASONS_MAX = 256 }; /* dialects have a handful; those beyond share the last row */

struct reason {
	const char *what;
	enum rst_marker marker;
	uint64_t n, n_events, n_uncounted, n_bytes;
	uint64_t uncertain, longest, longest_at, first, last;
};

struct losses_state;

/* Shared by all parts: the loss that no event has followed yet. */
struct losses_shared {
	struct losses_state *state; /* NULL without such a loss */
	size_t reason;
	uint64_t from;
};

struct losses_state {
	struct losses_shared *shared;
	struct reason *reasons;
	size_t n_reasons, room;
};

/* The same words at another place are the same reason. */
static struct reason *reason_of(struct losses_state *state, const struct rst_gap *gap)
{
	struct reason *reasons;

	for (size_t i = 0; i < state->n_reasons; i++) {
		struct reason *reason = &state->reasons[i];

		if (reason->marker == gap->marker && strcmp(reason->what, gap->what) == 0)
			return reason;
	}
	if (state->n_reasons == REASONS_MAX)
		return &state->reasons[REASONS_MAX - 1];
	reasons = array_room(state->reasons, state->n_reasons, &state->room, sizeof(*reasons));
	if (!reasons)
		return NULL;
	state->reasons = reasons;
	reasons[state->n_reasons] =
		(struct reason){ .what = state->n_reasons + 1 == REASONS_MAX ? "(others)" : gap->what,
			.marker = gap->marker };
	return &reasons[state->n_reasons++];
}

static bool loss_gap_count(struct losses_state *state, const struct rst_gap *gap, uint64_t at)
{
	const struct rst_gap nameless = { .marker = gap->marker, .what = "events are missing" };
	struct reason *reason = reason_of(state, gap->what ? gap : &nameless);

	if (!reason)
		return false;
	if (!reason->n++)
		reason->first = at;
	reason->last = at;
	reason->n_events += gap->n_events;
	reason->n_uncounted += gap->marker == RST_LOSS && !gap->n_events;
	reason->n_bytes += gap->n_bytes;
	if (!state->shared->state)
		*state->shared = (struct losses_shared){
			.state = state, .reason = (size_t)(reason - state->reasons), .from = at
		};
	return true;
}

/* The time counts for the first reason of several in one place. */
static void gap_close(struct losses_shared *shared, uint64_t at)
{
	struct reason *reason = &shared->state->reasons[shared->reason];
	const uint64_t ticks = at - shared->from;

	reason->uncertain += ticks;
	if (ticks > reason->longest) {
		reason->longest = ticks;
		reason->longest_at = shared->from;
	}
	shared->state = NULL;
}

static bool losses_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct losses_state *state = context;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (gap)
		return gap->marker == RST_RUN || loss_gap_count(state, gap, at);
	if (state->shared->state)
		gap_close(state->shared, at);
	return true;
}

static bool losses_rows(void *context, struct table *table, uint64_t from, uint64_t to)
{
	struct losses_state *state = context;

	for (size_t i = 0; i < state->n_reasons; i++) {
		const struct reason *reason = &state->reasons[i];
		const bool is_loss = reason->marker == RST_LOSS;
		struct table_cell *cells = table_row(table);

		if (!cells)
			return false;
		cells[LOSSES_KIND] = cell_word(is_loss ? "loss" : "damage");
		cells[LOSSES_REASON] = cell_word(reason->what);
		cells[LOSSES_COUNT] = cell_count(reason->n);
		cells[LOSSES_EVENTS] = cell_if(is_loss, cell_count(reason->n_events));
		cells[LOSSES_UNCOUNTED] = cell_if(reason->n_uncounted, cell_count(reason->n_uncounted));
		cells[LOSSES_BYTES] = cell_if(!is_loss, cell_count(reason->n_bytes));
		cells[LOSSES_UNCERTAIN] = cell_time(reason->uncertain);
		cells[LOSSES_SHARE] = cell_share((double)reason->uncertain, (double)(to - from));
		cells[LOSSES_MAX] = cell_time(reason->longest);
		cells[LOSSES_MAX_AT] = cell_if(reason->longest > 0, cell_moment(reason->longest_at));
		cells[LOSSES_FIRST] = cell_moment(reason->first);
		cells[LOSSES_LAST] = cell_moment(reason->last);
	}
	return true;
}

static void losses_done(void *context)
{
	struct losses_state *state = context;

	free(state->reasons);
}

const struct analysis analysis_losses = {
	.observer = {
		.state_bytes = sizeof(struct losses_state),
		.shared_bytes = sizeof(struct losses_shared),
		.rows_wanted = ROWS_GAP_ENDS,
		.row = losses_row,
		.done = losses_done,
	},
	.name = "losses",
	.about = "where events are lost or damaged, and for how long the recording does not tell",
	.columns = columns,
	.n_columns = N_LOSSES_COLUMNS,
	.order = LOSSES_COUNT,
	.page_rows = 2,
	.basis = BASIS_EVENTS,
	.rows = losses_rows,
};
