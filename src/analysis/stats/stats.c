/* SPDX-License-Identifier: MIT */
#include "analysis/stats/stats.h"

#include <stdlib.h>

#include "analysis/subjects.h"
#include "base/array.h"
#include "base/error.h"

/* --- parts of the window -------------------------------------------------------------------------------- */

static size_t part_number(struct stats *stats, uint64_t at)
{
	const uint64_t from = stats->scan->from;
	const uint64_t number = stats->per && at > from ? (at - from) / stats->per : 0;

	if (number < STATS_PARTS_MAX)
		return (size_t)number;
	stats->has_too_many = true;
	return STATS_PARTS_MAX - 1;
}

static struct part *part_reach(struct stats *stats, size_t number)
{
	struct part *parts = array_reach(stats->parts, &stats->room, number, sizeof(*parts));

	if (!parts)
		return NULL;
	stats->parts = parts;
	if (number >= stats->n_parts)
		stats->n_parts = number + 1;
	return &parts[number];
}

/* The end of a part, which is the begin of the next one. */
static uint64_t part_end(const struct stats *stats, size_t number)
{
	const uint64_t from = stats->scan->from;

	if (!stats->per || number == STATS_PARTS_MAX - 1 || stats->per > (UINT64_MAX - from) / (number + 1))
		return UINT64_MAX;
	return from + stats->per * (number + 1);
}

static struct part *part_find(struct stats *stats, uint64_t at)
{
	const size_t number = part_number(stats, at);
	struct part *part = part_reach(stats, number);

	stats->present = number;
	/* The time before the window belongs to its first part. */
	stats->present_from = number ? stats->scan->from + stats->per * number : 0;
	stats->present_to = part_end(stats, number);
	return part;
}

static inline struct part *part_at(struct stats *stats, uint64_t at)
{
	if (at >= stats->present_from && at < stats->present_to)
		return &stats->parts[stats->present];
	return part_find(stats, at);
}

/* The observers of a part. */
static inline struct observers *observers_of(struct stats *stats, struct part *part)
{
	stats->observers.states = part->states;
	return &stats->observers;
}

/* --- what is known -------------------------------------------------------------------------------------- */

static void coverage_piece(struct coverage *coverage, const struct piece *piece)
{
	const uint64_t ticks = piece_ticks(piece);
	const uint64_t unknown = piece->interval->state == RST_STATE_UNKNOWN ? ticks : 0;

	if (piece->interval->kind == RST_INTERVAL_CORE) {
		coverage->cores += ticks;
		coverage->cores_unknown += unknown;
	}
}

/* The recording has no data between the last event before a loss and the first event after it. */
static void coverage_begin_gap(struct coverage *coverage, uint64_t at)
{
	if (coverage->is_lost)
		return;
	coverage->is_lost = true;
	coverage->lost_from = at;
}

/* A loss before the first event takes no time of the window, which begins there. */
static void coverage_end_gap(struct coverage *coverage, uint64_t from, uint64_t at)
{
	const uint64_t begin = coverage->lost_from > from ? coverage->lost_from : from;

	coverage->is_lost = false;
	coverage->lost += at > begin ? at - begin : 0;
}

static void overview_gap(struct overview *overview, const struct rst_gap *gap)
{
	if (gap->marker == RST_LOSS) {
		overview->n_losses++;
		overview->n_lost += gap->n_events;
		overview->has_unknown_loss |= !gap->n_events;
	} else if (gap->marker == RST_DAMAGE) {
		overview->n_damages++;
	}
}

static void overview_core(struct overview *overview, uint64_t number)
{
	const uint64_t bit = UINT64_C(1) << number % 64;
	uint64_t *word = &overview->cores[number % (UINT16_MAX + 1) / 64];

	overview->n_cores += !(*word & bit);
	*word |= bit;
}

static double stats_table_share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double stats_unknown(const struct stats *stats, enum analysis_basis basis)
{
	struct coverage sum = { 0 };

	for (size_t i = 0; i < stats->n_parts; i++) {
		const struct coverage *coverage = &stats->parts[i].coverage;

		sum.cores += coverage->cores;
		sum.cores_unknown += coverage->cores_unknown;
		sum.lost += coverage->lost;
	}
	if (basis == BASIS_EVENTS)
		return stats_table_share_of(sum.lost, stats->scan->to - stats->scan->from);
	/* A recording without cores has no data about what ran, but may have data about threads. */
	if (basis == BASIS_CORES && sum.cores)
		return stats_table_share_of(sum.cores_unknown, sum.cores);
	return changes_unknown(&stats->changes);
}

/* --- the observer --------------------------------------------------------------------------------------- */

/* The length of a part is a length of time as the user writes it; here it becomes ticks of the trace. */
static enum rst_status observe_start(void *context, const struct scan *scan, struct rst_error *err)
{
	struct stats *stats = context;
	const struct rst_metadata *metadata = rst_trace_metadata(scan->trace);
	const char *text = stats->per_text;

	if (!observers_begin(&stats->observers))
		return error_nomem(err);
	if (!text)
		return RST_OK;
	error_try(times_parse(text, metadata, &stats->per, err));
	/* With a unit it is a moment since the first event; a bare number is ticks as they are. */
	if (text[strspn(text, "0123456789")])
		stats->per -= metadata->first_ticks;
	if (stats->per)
		return RST_OK;
	error_set(
		err, RST_E_USAGE, RST_NO_OFFSET, "'%s' is no length of time for the parts of a window", text);
	error_advise(err, "write a number of ticks, or one with ns, us, ms or s");
	return RST_E_USAGE;
}

static bool observe_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	struct stats *stats = context;
	struct part *part = part_at(stats, at);
	struct coverage *coverage;

	if (!part)
		return false;
	coverage = &stats->parts[0].coverage;
	if (gap) {
		coverage_begin_gap(coverage, at);
		overview_gap(&stats->overview, gap);
	} else {
		stats->overview.n_events++;
		if (coverage->is_lost)
			coverage_end_gap(coverage, stats->scan->from, at);
	}
	return observers_row(observers_of(stats, part), batch, row, at);
}

static bool observe_effect(void *context, const struct occurrence *occurrence)
{
	struct stats *stats = context;
	struct part *part = part_at(stats, occurrence->at);

	if (occurrence->facts->effect->kind == RST_EFFECT_GAP && occurrence->facts->phase != RST_DONE &&
		!edges_add(&stats->edges, occurrence->seq))
		return false;
	return part && observers_effect(observers_of(stats, part), occurrence);
}

static bool give_piece(struct stats *stats, struct part *part, const struct piece *piece)
{
	coverage_piece(&part->coverage, piece);
	return observers_piece(observers_of(stats, part), piece);
}

/* A change belongs to the part in which it happens. */
static bool give_change(struct stats *stats, const struct change *change)
{
	struct part *part = part_at(stats, change->at);

	for (uint32_t left = part ? stats->wants_changes : 0; left; left &= left - 1) {
		const unsigned n = (unsigned)__builtin_ctz(left);
		void *state = observers_state(observers_of(stats, part), n);

		if (!state || !stats->analyses[n]->change(state, change))
			return false;
	}
	return part != NULL;
}

/* Changes whose interval began before the window have no event. */
static bool observe_change(struct stats *stats, const struct piece *piece)
{
	struct change change;
	const enum changes_result result = changes_take(&stats->changes, piece, &change);

	return result == CHANGES_ONE ? give_change(stats, &change) : result == CHANGES_NONE;
}

static bool give_parts(struct stats *stats, const struct piece *whole)
{
	struct piece piece = *whole;

	/* The trace will be refused: parts with only this interval would only cost memory. */
	part_number(stats, whole->to);
	if (stats->has_too_many)
		return true;
	for (size_t number = part_number(stats, whole->from); piece.from < whole->to; number++) {
		const uint64_t end = part_end(stats, number);
		struct part *part = part_reach(stats, number);

		piece.to = whole->to < end ? whole->to : end;
		piece.has_end = whole->has_end && piece.to == whole->to;
		if (!part || !give_piece(stats, part, &piece))
			return false;
		piece.from = piece.to;
	}
	return true;
}

/*
 * An event at the border of two parts belongs to the later part; an interval that ends there belongs to the
 * earlier part.
 */
static bool take_piece(struct stats *stats, const struct piece *whole)
{
	struct part *part = part_at(stats, whole->from);

	if (whole->interval->kind == RST_INTERVAL_CORE)
		overview_core(&stats->overview, whole->interval->subject.id);
	if (whole->interval->kind == RST_INTERVAL_THREAD && !observe_change(stats, whole))
		return false;
	/* The change may have made another part the present one. */
	if (part && whole->from >= stats->present_from && whole->to <= stats->present_to)
		return give_piece(stats, &stats->parts[stats->present], whole);
	return part && give_parts(stats, whole);
}

/* Where a recording begins or stops, no event of the target begins or ends an interval. */
static bool observe_piece(void *context, const struct piece *whole)
{
	struct stats *stats = context;
	struct piece piece = *whole;

	if (!stats->edges.n)
		return take_piece(stats, whole);
	piece.has_begin &= !edges_has(&stats->edges, piece.interval->from_seq);
	piece.has_end &= !edges_has(&stats->edges, piece.interval->to_seq);
	return take_piece(stats, &piece);
}

static bool observe_beginning(void *context, const struct rst_beginning *beginning)
{
	struct stats *stats = context;
	struct part *part = part_at(stats, beginning->at);

	return part && observers_beginning(observers_of(stats, part), beginning);
}

void stats_init(struct stats *stats, struct scan *scan)
{
	stats->scan = scan;
	observers_add(&scan->observers, &stats->observer, stats);
	stats->observer = (struct observer_kind){
		.intervals = SCAN_BIT(RST_INTERVAL_CORE) | SCAN_BIT(RST_INTERVAL_THREAD),
		.start = observe_start,
		.row = observe_row,
		.effect = observe_effect,
		.piece = observe_piece,
		.beginning = observe_beginning,
	};
	for (unsigned n = 0; n < stats->n_analyses; n++) {
		const struct analysis *analysis = stats->analyses[n];

		observers_add_kind(&stats->observers, &analysis->observer, NULL);
		stats->wants_changes |= analysis->change ? SCAN_BIT(n) : 0;
	}
	stats->observer.effects = observers_effects(&stats->observers) | SCAN_BIT(RST_EFFECT_GAP);
	stats->observer.intervals |= observers_intervals(&stats->observers);
}

/* --- tables --------------------------------------------------------------------------------------------- */

enum { N_PART_COLUMNS = 2 };

static const struct table_column part_columns[N_PART_COLUMNS] = {
	{ .name = "from", .type = CELL_MOMENT },
	{ .name = "to", .type = CELL_MOMENT, .is_data = true },
};

/* With parts, each row begins with the part's begin and end. */
static bool columns_set(const struct stats *stats, const struct analysis *analysis, struct table *table)
{
	struct table_column *columns;

	table->columns = analysis->columns;
	table->n_columns = analysis->n_columns;
	if (!stats->per)
		return true;
	columns = arena_alloc(&table->arena, (N_PART_COLUMNS + analysis->n_columns) * sizeof(*columns));
	if (!columns)
		return false;
	memcpy(columns, part_columns, sizeof(part_columns));
	memcpy(columns + N_PART_COLUMNS, analysis->columns, analysis->n_columns * sizeof(*columns));
	table->columns = columns;
	table->n_columns += N_PART_COLUMNS;
	return true;
}

bool analysis_rows(
	const struct analysis *analysis, void *state, struct table *table, uint64_t from, uint64_t to)
{
	const struct subjects *subjects = (void *)((char *)state + analysis->observer.records[0].at);

	if (analysis->rows)
		return analysis->rows(state, table, from, to);
	for (size_t i = 0; i < subjects->n; i++)
		if (!analysis->record(state, subjects->all[i], table, to - from))
			return false;
	return true;
}

static bool part_rows(struct stats *stats, size_t n, size_t number, struct table *table)
{
	const struct analysis *analysis = stats->analyses[n];
	const size_t first = table->n_rows;
	void *state = stats->parts[number].states[n];
	const uint64_t from = stats->scan->from + stats->per * number, end = part_end(stats, number);
	const uint64_t to = end < stats->scan->to ? end : stats->scan->to;

	table->n_leading = stats->per ? N_PART_COLUMNS : 0;
	if (!state)
		return true;
	if (!analysis_rows(analysis, state, table, from, to))
		return false;
	for (size_t row = first; row < table->n_rows && stats->per; row++) {
		struct table_cell *cells = table->cells + row * table->n_columns;

		cells[0] = cell_moment(from);
		cells[1] = cell_moment(to);
	}
	return analysis->order == analysis->n_columns ||
	       table_sort(table, first, table->n_leading + analysis->order);
}

/* Counts the runs that the last event ends, once. */
static bool runs_end(struct stats *stats)
{
	struct change change;

	for (; stats->n_ended < stats->changes.threads.n; stats->n_ended++)
		if (changes_end(&stats->changes, stats->n_ended, &change) && !give_change(stats, &change))
			return false;
	return true;
}

enum rst_status stats_table(struct stats *stats, size_t n, struct table *ret_table, struct rst_error *err)
{
	const struct analysis *analysis = stats->analyses[n];
	bool is_done = runs_end(stats);

	*ret_table = (struct table){ .name = analysis->name,
		.from = stats->scan->from,
		.to = stats->scan->to,
		.has_window = stats->scan->is_started,
		.unknown = stats_unknown(stats, analysis->basis) };
	is_done = is_done && columns_set(stats, analysis, ret_table);
	for (size_t number = 0; number < stats->n_parts && is_done; number++)
		is_done = part_rows(stats, n, number, ret_table);
	return is_done ? RST_OK : error_nomem(err);
}

void stats_done(struct stats *stats)
{
	for (size_t number = 0; number < stats->n_parts; number++)
		observers_end_states(observers_of(stats, &stats->parts[number]));
	observers_done(&stats->observers);
	free(stats->parts);
	changes_done(&stats->changes);
	edges_done(&stats->edges);
}
