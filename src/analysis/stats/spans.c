/* SPDX-License-Identifier: MIT */
/* `spans`: how long pieces of work took, by name, with and without the spans in them. */
#include "analysis/stats/lengths.h"
#include "analysis/stats/nesting.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"

enum {
	SPANS_PROCESS,
	SPANS_SPAN,
	SPANS_COUNT,
	SPANS_UNFINISHED,
	SPANS_TOTAL,
	SPANS_SELF,
	SPANS_MEAN,
	SPANS_DURATION,
	SPANS_MAX_THREAD = SPANS_DURATION + N_DURATION_CELLS,
	SPANS_LENGTHS,
	N_SPANS_COLUMNS
};

static const struct table_column columns[N_SPANS_COLUMNS] = {
	[SPANS_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[SPANS_SPAN] = { .name = "span", .type = CELL_WORD, .is_subject = true },
	[SPANS_COUNT] = { .name = "count", .type = CELL_COUNT, .help = "how often it began" },
	[SPANS_UNFINISHED] = { .name = "unfinished",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "whose end is not recorded: their time is in no other column" },
	[SPANS_TOTAL] = { .name = "total",
		.type = CELL_TIME,
		.help = "of all threads; of spans that lie in one of the same name, the outermost counts" },
	[SPANS_SELF] = { .name = "self",
		.type = CELL_TIME,
		.help = "without the spans of the same thread that lie in it; of whole spans" },
	[SPANS_MEAN] = { .name = "mean", .type = CELL_TIME, .rank = 1 },
	DURATION_COLUMNS(SPANS_DURATION, "", true, 0, 3, 1, 0, 3, "the median", "when that one ended"),
	[SPANS_MAX_THREAD] = { .name = "max_thread",
		.type = CELL_WORD,
		.rank = 1,
		.help = "which thread's that one was" },
	[SPANS_LENGTHS] = { .name = "lengths", .type = CELL_HISTOGRAM },
};

struct span_record {
	struct subject subject;
	uint64_t n, n_unfinished, total, self;
	struct lengths lengths;
};

struct spans_state {
	struct nesting *nesting; /* shared */
	struct subjects spans;
};

static bool spans_effect(void *context, const struct occurrence *occurrence)
{
	struct spans_state *state = context;
	const struct rst_entity thread = rst_entity_of_context(occurrence->facts->thread);

	const struct span_identity identity = span_identity_of(occurrence);

	return nesting_begin(state->nesting, &thread, occurrence->seq, &identity);
}

static bool spans_piece(void *context, const struct piece *piece)
{
	struct spans_state *state = context;
	struct span_record *record;
	uint64_t self, ticks;
	bool is_known;

	record = subject_of(&state->spans, &piece->interval->subject);
	if (!record)
		return false;
	record->n += piece_begins(piece);
	record->n_unfinished += piece->interval->to_seq == RST_NO_SEQ && piece->from == piece->begin;
	if (!nesting_add(state->nesting, piece, &ticks))
		return false;
	record->total += ticks;
	if (piece->has_end) {
		if (!nesting_end(state->nesting, piece, &self, &is_known))
			return false;
		if (is_known && piece_is_whole(piece))
			record->self += self;
	}
	return lengths_take(&record->lengths, piece, &piece->interval->object);
}

static bool span_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct spans_state *state = context;
	const struct span_record *record = subject;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const struct histogram *lengths = &record->lengths.histogram;
	struct table_cell *cells = table_row(table);

	if (!cells || !entity_name(&process, table, &cells[SPANS_PROCESS]) ||
		!subject_name(&state->spans, &record->subject, table, &cells[SPANS_SPAN]) ||
		!entity_name(&record->lengths.longest_of, table, &cells[SPANS_MAX_THREAD]))
		return false;
	cells[SPANS_COUNT] = cell_count(record->n);
	cells[SPANS_UNFINISHED] = cell_count(record->n_unfinished);
	cells[SPANS_TOTAL] = cell_time(record->total);
	cells[SPANS_SELF] = cell_time(record->self);
	cells[SPANS_MEAN] = mean_cell(lengths);
	duration_cells(cells + SPANS_DURATION, lengths);
	cells[SPANS_DURATION + DURATION_MAX] = longest_cell(lengths, record->lengths.unsure, window);
	cells[SPANS_LENGTHS] = cell_histogram(lengths->n ? lengths : NULL);
	return true;
}

static void span_record_done(void *subject)
{
	struct span_record *record = subject;

	histogram_done(&record->lengths.histogram);
}

static void spans_shared_done(void *context)
{
	nesting_done(context);
}

const struct analysis analysis_spans = {
	.observer = {
		.state_bytes = sizeof(struct spans_state),
		.shared_bytes = sizeof(struct nesting),
		.records = { { offsetof(struct spans_state, spans), sizeof(struct span_record), span_record_done } },
		.effects = SCAN_BIT(RST_EFFECT_BEGIN),
		.intervals = SCAN_BIT(RST_INTERVAL_SPAN),
		.effect = spans_effect,
		.piece = spans_piece,
		.shared_done = spans_shared_done,
	},
	.name = "spans",
	.about = "how long pieces of work took, by name",
	.columns = columns,
	.n_columns = N_SPANS_COLUMNS,
	.order = SPANS_TOTAL,
	.basis = BASIS_EVENTS,
	.record = span_record_row,
};
