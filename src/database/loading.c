/* SPDX-License-Identifier: MIT */
#include "database/loading.h"

#include <string.h>

#include "base/error.h"
#include "database/row.h"

static void put_ns(struct binding_at *at, const struct scan *scan, uint64_t ticks)
{
	put_known(at, scan->times.hz, scan->times.hz ? times_ns(&scan->times, ticks) : 0);
}

/* --- events --------------------------------------------------------------------------------------------- */

static bool event_texts(struct loading *loading, const struct rst_batch *batch, size_t row, struct text *args,
	struct text *text)
{
	const bool wants_args = loading->needs & SCHEMA_BIT(SCHEMA_ARGS),
		   wants_text = loading->needs & SCHEMA_BIT(SCHEMA_TEXT);

	*args = *text = (struct text){ NULL, 0 };
	if (!loading->has_sentences)
		return true;
	return sentence_make(
		&loading->sentences, batch, row, wants_args ? args : NULL, wants_text ? text : NULL);
}

static bool put_event(struct loading *loading, const struct rst_batch *batch, size_t row)
{
	const struct scan *scan = loading->scan;
	const struct rst_context *context = batch->context[row],
				 *interrupted = rst_batch_interrupted(batch, row);
	const uint16_t core = rst_batch_core(batch, row);
	const int16_t priority = rst_batch_priority(batch, row), threshold = rst_batch_threshold(batch, row);
	const uint64_t ticks = batch->ticks[row];
	struct binding_at at = row_begin(loading, loading->event);
	struct text args, text;
	int64_t wall = 0;

	if (!event_texts(loading, batch, row, &args, &text))
		return false;
	put_number(&at, loading->first_seq + (int64_t)row_seq(scan, batch, row));
	put_number(&at, (int64_t)ticks);
	put_ns(&at, scan, ticks);
	const bool has_wall = rst_clock_wall_ns(&scan->times.clock, ticks, &wall);

	put_known(&at, has_wall, (uint64_t)wall);
	put_number(&at, loading->first_type + batch->type[row]->index);
	put_number(&at, loading->first_context + context->index);
	put_known(&at, interrupted, interrupted ? (uint64_t)loading->first_context + interrupted->index : 0);
	put_known(&at, core != RST_NO_CORE, core);
	put_number(&at, rst_batch_depth(batch, row));
	put_known(&at, priority != RST_NO_PRIORITY, (uint64_t)(int64_t)priority);
	put_known(&at, threshold != RST_NO_PRIORITY, (uint64_t)(int64_t)threshold);
	put_bytes(&at, args.bytes, args.n_bytes);
	put_bytes(&at, text.bytes, text.n_bytes);
	row_end(loading, &at);
	return true;
}

static void put_loss(struct loading *loading, const struct rst_batch *batch, size_t row,
	const struct rst_gap *gap, uint64_t ticks)
{
	const bool is_damage = gap->marker == RST_DAMAGE;
	struct binding_at at = row_begin(loading, loading->loss);

	put_number(&at, loading->source);
	put_number(&at, loading->first_seq + (int64_t)row_seq(loading->scan, batch, row));
	put_number(&at, (int64_t)ticks);
	put_ns(&at, loading->scan, ticks);
	put_word(&at, is_damage ? "damage" : "loss");
	put_known(&at, !is_damage && gap->n_events, gap->n_events);
	put_known(&at, is_damage, gap->offset);
	put_known(&at, is_damage && gap->n_bytes, gap->n_bytes);
	put_word(&at, gap->what);
	put_word(&at, gap->source);
	row_end(loading, &at);
}

static bool see_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct loading *loading = context;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (loading->status < 0)
		return true;
	if (loading->has_sentences && !loading->sentences.input.is_started &&
		sentences_start(&loading->sentences, batch, &loading->err) < 0)
		return false;
	if (gap && gap->marker != RST_RUN && loading->needs & SCHEMA_BIT(SCHEMA_LOSSES))
		put_loss(loading, batch, row, gap, at);
	return gap || !(loading->needs & SCHEMA_BIT(SCHEMA_EVENTS)) || put_event(loading, batch, row);
}

static bool see_batch(void *context, const struct rst_batch *batch)
{
	struct loading *loading = context;

	return !loading->has_sentences || !loading->sentences.input.is_started ||
	       sentences_end_batch(&loading->sentences, batch);
}

/* --- intervals ------------------------------------------------------------------------------------------ */

static bool has_name(const struct rst_entity *a, const struct rst_entity *b)
{
	return a->name == b->name || (a->name && b->name && a->name_bytes == b->name_bytes &&
					     memcmp(a->name, b->name, a->name_bytes) == 0);
}

static struct thing_row *thing_row_add(
	struct loading *loading, struct thing *thing, const struct rst_entity *entity)
{
	struct thing_row *row = arena_alloc(&loading->things.arena, sizeof(*row));

	if (!row)
		return NULL;
	*row = (struct thing_row){ .entity = *entity,
		.is_rest = thing->subject.is_rest,
		.number = ++loading->n_things,
		.other = thing->rows };
	thing->rows = row;
	if (loading->last_row)
		loading->last_row->next = row;
	else
		loading->first_row = row;
	loading->last_row = row;
	return row;
}

/* Numbers the things that intervals speak of. Returns false if memory ran out. */
static bool put_thing(struct loading *loading, struct binding_at *at, const struct rst_entity *entity)
{
	struct thing *thing;
	struct thing_row *row;

	if (entity->form == RST_ENTITY_NONE) {
		put_known(at, false, 0);
		return true;
	}
	thing = subject_of(&loading->things, entity);
	if (!thing)
		return false;
	for (row = thing->rows; row && !has_name(&row->entity, entity) && !row->is_rest; row = row->other)
		continue;
	if (!row)
		row = thing_row_add(loading, thing, entity);
	if (row)
		put_number(at, loading->first_thing + row->number);
	return row;
}

static void put_times(struct loading *loading, struct binding_at *at, const struct piece *piece)
{
	const struct scan *scan = loading->scan;
	const uint64_t ticks = piece_ticks(piece);

	put_number(at, (int64_t)piece->from);
	put_number(at, (int64_t)piece->to);
	put_ns(at, scan, piece->from);
	put_ns(at, scan, piece->to);
	put_number(at,
		scan->times.hz ? times_distance_ns(&scan->times, piece->from, piece->to) : (int64_t)ticks);
}

static bool see_piece(void *context, const struct piece *piece)
{
	struct loading *loading = context;
	const struct rst_interval *interval = piece->interval;
	struct binding_at at = row_begin(loading, loading->interval);

	if (loading->status < 0)
		return true;
	put_number(&at, loading->source);
	put_word(&at, rst_interval_kind_name(interval->kind));
	if (!put_thing(loading, &at, &interval->subject) || !put_thing(loading, &at, &interval->object))
		return false;
	put_word(&at, interval->state == RST_N_STATES ? NULL : rst_state_name(interval->state));
	put_word(&at, interval->reason == RST_REASON_NONE ? NULL : rst_reason_name(interval->reason));
	put_known(&at, interval->core != RST_NO_CORE, interval->core);
	put_number(&at, interval->depth);
	put_times(loading, &at, piece);
	put_known(&at, piece->has_begin, (uint64_t)loading->first_seq + interval->from_seq);
	put_known(&at, piece->has_end, (uint64_t)loading->first_seq + interval->to_seq);
	if (!put_thing(loading, &at, &interval->by))
		return false;
	put_word(&at, rst_certainty_name(interval->certainty));
	if (interval->has_value)
		put_any_number(&at, number_as(interval->value, interval->value_type));
	else
		put_null(&at);
	row_end(loading, &at);
	return true;
}

/* --- beginning ------------------------------------------------------------------------------------------ */

static enum rst_status statements_prepare(struct loading *loading, struct rst_error *err)
{
	struct database *database = loading->database;

	if (loading->needs & SCHEMA_BIT(SCHEMA_EVENTS))
		error_try(database_prepare(database, schema_insert_event, &loading->event, err));
	if (loading->needs & SCHEMA_BIT(SCHEMA_LOSSES))
		error_try(database_prepare(database, schema_insert_loss, &loading->loss, err));
	if (loading->needs & SCHEMA_BIT(SCHEMA_INTERVALS))
		error_try(database_prepare(database, schema_insert_interval, &loading->interval, err));
	return RST_OK;
}

enum rst_status loading_begin(struct loading *loading, struct database *database, uint32_t needs,
	struct scan *scan, struct template_set *templates, struct diags *diags, struct rst_trace *trace,
	struct rst_error *err)
{
	*loading = (struct loading){ .database = database,
		.needs = needs,
		.scan = scan,
		.source = database->n_sources++,
		.things = { .record_bytes = sizeof(struct thing) },
		.first_seq = database->n_events,
		.first_type = database->n_types,
		.first_context = database->n_contexts,
		.first_thing = database->n_things };
	loading->observer =
		(struct observer_kind){ .intervals = needs & SCHEMA_BIT(SCHEMA_INTERVALS) ? UINT32_MAX : 0,
			.row = see_row,
			.batch = see_batch,
			.piece = see_piece };
	observers_add(&scan->observers, &loading->observer, loading);
	for (unsigned i = 0; analyses[i]; i++)
		if (needs & SCHEMA_BIT(SCHEMA_STATS + i))
			loading->stats.analyses[loading->stats.n_analyses++] = analyses[i];
	stats_init(&loading->stats, scan);
	loading->has_findings = (needs & SCHEMA_BIT(SCHEMA_FINDINGS)) != 0;
	if (loading->has_findings && !findings_init(&loading->findings, scan))
		return error_nomem(err);
	error_try(statements_prepare(loading, err));
	if (!(needs & (SCHEMA_BIT(SCHEMA_ARGS) | SCHEMA_BIT(SCHEMA_TEXT))))
		return RST_OK;
	loading->has_sentences = true;
	return sentences_init(&loading->sentences, trace, templates, diags, err);
}

/* --- the end -------------------------------------------------------------------------------------------- */

static void window_keep(struct loading *loading)
{
	struct database *database = loading->database;
	const struct scan *scan = loading->scan;
	const bool has_states = loading->needs & ~(SCHEMA_BIT(SCHEMA_EVENTS) | SCHEMA_BIT(SCHEMA_ARGS) |
							 SCHEMA_BIT(SCHEMA_TEXT) | SCHEMA_BIT(SCHEMA_LOSSES));
	const double unknown =
		scan->is_started ? stats_unknown(&loading->stats, has_states ? BASIS_THREADS : BASIS_EVENTS)
				 : 0;

	database->n_events += (int64_t)scan_n_numbers(scan);
	database->has_window |= scan->is_started;
	database->unknown = unknown > database->unknown ? unknown : database->unknown;
	if (scan->is_started) {
		database->from = scan->from;
		database->to = scan->to;
	}
}

enum rst_status loading_finish(struct loading *loading, const char *fault, struct rst_error *err)
{
	if (loading->status < 0) {
		*err = loading->err;
		return loading->status;
	}
	error_try(whole_fill(loading, fault, err));
	window_keep(loading);
	return RST_OK;
}

void loading_done(struct loading *loading)
{
	const struct sqlite *sqlite = &loading->database->sqlite;
	sqlite3_stmt *const statements[] = { loading->event, loading->interval, loading->loss };

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (statements[i])
			sqlite->finalize(statements[i]);
	if (loading->has_sentences)
		sentences_done(&loading->sentences);
	if (loading->has_findings)
		findings_done(&loading->findings);
	stats_done(&loading->stats);
	subjects_done(&loading->things);
}
