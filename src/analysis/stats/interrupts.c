/* SPDX-License-Identifier: MIT */
/* `interrupts`: how often each interrupt came, how long it took, and how far one is from the next. */
#include "analysis/stats/cuts.h"
#include "analysis/stats/lengths.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"

enum {
	INTERRUPTS_INTERRUPT,
	INTERRUPTS_COUNT,
	INTERRUPTS_SHARE,
	INTERRUPTS_TOTAL,
	INTERRUPTS_MEAN,
	INTERRUPTS_DURATION,
	INTERRUPTS_MAX_OVER = INTERRUPTS_DURATION + N_DURATION_CELLS,
	INTERRUPTS_NESTED,
	INTERRUPTS_MEAN_GAP,
	INTERRUPTS_MIN_GAP,
	INTERRUPTS_MIN_GAP_AT,
	INTERRUPTS_MAX_GAP,
	INTERRUPTS_MAX_GAP_AT,
	INTERRUPTS_LENGTHS,
	INTERRUPTS_GAPS,
	N_INTERRUPTS_COLUMNS
};

static const struct table_column columns[N_INTERRUPTS_COLUMNS] = {
	[INTERRUPTS_INTERRUPT] = { .name = "interrupt", .type = CELL_WORD, .is_subject = true },
	[INTERRUPTS_COUNT] = { .name = "count", .type = CELL_COUNT },
	[INTERRUPTS_SHARE] = { .name = "share",
		.type = CELL_SHARE,
		.is_bounded = true,
		.help = "of the window, of one core" },
	[INTERRUPTS_TOTAL] = { .name = "total",
		.type = CELL_TIME,
		.is_bounded = true,
		.rank = 1,
		.help = "with interrupts that interrupt this one" },
	[INTERRUPTS_MEAN] = { .name = "mean", .type = CELL_TIME },
	DURATION_COLUMNS(INTERRUPTS_DURATION, "", true, 2, 3, 1, 0, 3, "the median", "when that one ended"),
	[INTERRUPTS_MAX_OVER] = { .name = "max_over",
		.type = CELL_WORD,
		.rank = 3,
		.help = "what that one interrupted" },
	[INTERRUPTS_NESTED] = { .name = "nested",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "how many of them interrupted another interrupt" },
	[INTERRUPTS_MEAN_GAP] = { .name = "mean_gap",
		.type = CELL_TIME,
		.help = "from the begin of one to the begin of the next" },
	[INTERRUPTS_MIN_GAP] = { .name = "min_gap", .type = CELL_TIME, .help = "the shortest" },
	[INTERRUPTS_MIN_GAP_AT] = { .name = "min_gap_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "when that one ended" },
	[INTERRUPTS_MAX_GAP] = { .name = "max_gap", .type = CELL_TIME, .help = "the longest" },
	[INTERRUPTS_MAX_GAP_AT] = { .name = "max_gap_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "when that one ended" },
	[INTERRUPTS_LENGTHS] = { .name = "lengths", .type = CELL_HISTOGRAM },
	[INTERRUPTS_GAPS] = { .name = "gaps", .type = CELL_HISTOGRAM },
};

/* Shared by all parts: the last begin of each interrupt. */
struct last_begin {
	struct subject subject;
	bool is_there;
	uint64_t at;
};

struct interrupts_shared {
	struct subjects last;
	struct cuts cuts;
	uint64_t lost_from; /* the event before a loss … */
	bool is_lost;	    /* … behind which no event has come yet */
};

struct interrupt_record {
	struct subject subject;
	uint64_t n, n_nested;
	struct lengths lengths;
	struct histogram gaps;
	uint64_t least_gap_at;
};

struct interrupts_state {
	struct interrupts_shared *shared;
	struct subjects interrupts;
	uint64_t lost; /* ticks between the events around losses, in which any interrupt may have come */
};

static bool interrupts_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct interrupts_state *state = context;
	struct interrupts_shared *shared = state->shared;

	if (!rst_batch_gap(batch, row)) {
		state->lost += shared->is_lost ? at - shared->lost_from : 0;
		shared->is_lost = false;
		return true;
	}
	cuts_add(&shared->cuts, at);
	if (!shared->is_lost)
		shared->lost_from = at;
	shared->is_lost = true;
	return true;
}

/* An interrupt with only its end recorded came before others that are already known. */
static bool interrupt_gap_count(
	struct interrupts_state *state, struct interrupt_record *record, uint64_t begin)
{
	struct last_begin *last;
	bool is_done = true;

	state->shared->last.record_bytes = sizeof(*last);
	last = subject_of(&state->shared->last, &record->subject.entity);
	if (!last)
		return false;
	if (last->is_there && begin >= last->at && !cuts_between(&state->shared->cuts, last->at, begin)) {
		if (!record->gaps.n || begin - last->at < record->gaps.least)
			record->least_gap_at = begin;
		is_done = histogram_add(&record->gaps, begin - last->at, begin);
	}
	if (!last->is_there || begin > last->at)
		last->at = begin;
	last->is_there = true;
	return is_done;
}

static struct interrupt_record *interrupt_of(
	struct interrupts_state *state, const struct rst_entity *interrupt)
{
	return subject_of(&state->interrupts, interrupt);
}

static bool interrupts_arrival(void *context, const struct rst_beginning *arrival)
{
	struct interrupts_state *state = context;
	struct interrupt_record *record = interrupt_of(state, &arrival->subject);

	if (!record)
		return false;
	record->n++;
	record->n_nested += arrival->depth > 0;
	return interrupt_gap_count(state, record, arrival->at);
}

static bool interrupts_piece(void *context, const struct piece *piece)
{
	struct interrupts_state *state = context;
	struct interrupt_record *record = interrupt_of(state, &piece->interval->subject);

	return record && lengths_take(&record->lengths, piece, &piece->interval->object);
}

static bool interrupt_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct interrupts_state *state = context;
	const struct interrupt_record *record = subject;
	const struct histogram *lengths = &record->lengths.histogram, *gaps = &record->gaps;
	const uint64_t total_most = record->lengths.total + state->lost;
	struct table_cell *cells = table_row(table);

	if (!cells ||
		!interrupt_name(&state->interrupts, &record->subject, table, &cells[INTERRUPTS_INTERRUPT]) ||
		!entity_name(&record->lengths.longest_of, table, &cells[INTERRUPTS_MAX_OVER]))
		return false;
	cells[INTERRUPTS_COUNT] = cell_count(record->n);
	cells[INTERRUPTS_SHARE] =
		cell_share_between((double)record->lengths.total, (double)total_most, (double)window);
	cells[INTERRUPTS_TOTAL] = cell_time_between(record->lengths.total, total_most);
	cells[INTERRUPTS_MEAN] = mean_cell(lengths);
	duration_cells(cells + INTERRUPTS_DURATION, lengths);
	cells[INTERRUPTS_DURATION + DURATION_MAX] =
		longest_cell(lengths, state->lost + record->lengths.unsure, window);
	cells[INTERRUPTS_NESTED] = cell_count(record->n_nested);
	cells[INTERRUPTS_MEAN_GAP] = mean_cell(gaps);
	cells[INTERRUPTS_MIN_GAP] = cell_if(gaps->n > 0, cell_time(gaps->least));
	cells[INTERRUPTS_MIN_GAP_AT] = cell_if(gaps->n > 0, cell_moment(record->least_gap_at));
	cells[INTERRUPTS_MAX_GAP] = cell_if(gaps->n > 0, cell_time(gaps->most));
	cells[INTERRUPTS_MAX_GAP_AT] = cell_if(gaps->n > 0, cell_moment(gaps->most_at));
	cells[INTERRUPTS_LENGTHS] = cell_histogram(lengths->n ? lengths : NULL);
	cells[INTERRUPTS_GAPS] = cell_histogram(gaps->n ? gaps : NULL);
	return true;
}

static void interrupt_record_done(void *subject)
{
	struct interrupt_record *record = subject;

	histogram_done(&record->lengths.histogram);
	histogram_done(&record->gaps);
}

static void interrupts_shared_done(void *context)
{
	struct interrupts_shared *shared = context;

	subjects_done(&shared->last);
}

const struct analysis analysis_interrupts = {
	.observer = {
		.state_bytes = sizeof(struct interrupts_state),
		.shared_bytes = sizeof(struct interrupts_shared),
		.records = { { offsetof(struct interrupts_state, interrupts), sizeof(struct interrupt_record), interrupt_record_done } },
		.intervals = SCAN_BIT(RST_INTERVAL_INTERRUPT),
		.rows_wanted = ROWS_GAP_ENDS,
		.row = interrupts_row,
		.piece = interrupts_piece,
		.beginning = interrupts_arrival,
		.shared_done = interrupts_shared_done,
	},
	.name = "interrupts",
	.about = "how often each interrupt came, how long it took, and how far one is from the next",
	.columns = columns,
	.n_columns = N_INTERRUPTS_COLUMNS,
	.order = INTERRUPTS_TOTAL,
	.basis = BASIS_EVENTS,
	.record = interrupt_record_row,
};
