/* SPDX-License-Identifier: MIT */
#include "query/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "query/sql.h"

const char *const verdict_names[] = { "pass", "fail", "undecided" };

/* --- what selectors mean -------------------------------------------------------------------------------- */

/* LEAVES_NAMELESS: the selector does not take the thing, but the thing had no name so far. */
enum decision { UNDECIDED, TAKES, LEAVES, LEAVES_NAMELESS };

struct thing {
	struct subject subject;
	uint8_t decisions[]; /* by selector */
};

/*
 * The name of a thing may become known later than the thing. If the selector takes it by its name, the rule
 * has passed over what the thing did before.
 */
static void thing_decide(struct run *run, size_t n, struct thing *thing)
{
	uint8_t *decision = &thing->decisions[run->index + n];
	const struct rst_entity *entity = &thing->subject.entity;
	const bool was_passed = *decision == LEAVES_NAMELESS;

	if (*decision == TAKES || *decision == LEAVES || (was_passed && !entity->name))
		return;
	*decision = selector_takes_entity(&run->rule->selectors[n], entity) ? TAKES
		    : entity->name					    ? LEAVES
									    : LEAVES_NAMELESS;
	if (was_passed && *decision == TAKES)
		run_unknown(run, "the name '%.*s' comes later than events that the rule would measure",
			(int)entity->name_bytes, entity->name);
}

bool run_takes_entity(struct run *run, size_t n, const struct rst_entity *entity)
{
	struct check *check = run->check;
	struct thing *thing;

	if (entity->form == RST_ENTITY_NONE)
		return false;
	thing = subject_of(&check->things, entity);
	if (!thing) {
		check->has_no_memory = true;
		return false;
	}
	if (thing->subject.is_rest)
		return selector_takes_entity(&run->rule->selectors[n], entity);
	thing_decide(run, n, thing);
	return thing->decisions[run->index + n] == TAKES;
}

/* Names that became known behind the last measured event of their threads. */
static void late_names_see(struct check *check)
{
	const struct rst_context *context;

	for (size_t i = 0; (context = rst_trace_context(check->scan->trace, i)); i++) {
		const struct rst_entity entity = rst_entity_of_context(context);
		struct thing *thing = entity.name ? subject_find(&check->things, &entity) : NULL;

		if (!thing || thing->subject.is_rest || thing->subject.entity.name)
			continue;
		thing = subject_of(&check->things, &entity); /* takes the name */
		for (size_t r = 0; thing && r < check->rules->n; r++)
			for (size_t n = 0; n < check->rules->all[r].n_selectors; n++)
				if (thing->decisions[check->runs[r].index + n] != UNDECIDED)
					thing_decide(&check->runs[r], n, thing);
	}
}

bool run_takes_type(struct run *run, size_t n, const struct rst_type *type)
{
	struct check *check = run->check;
	uint8_t *types = array_reach(
		check->types, &check->types_room, (type->index + 1) * check->n_selectors, sizeof(*types));
	uint8_t *decision;

	if (!types) {
		check->has_no_memory = true;
		return false;
	}
	check->types = types;
	decision = &types[type->index * check->n_selectors + run->index + n];
	if (*decision == UNDECIDED)
		*decision = selector_takes_type(&run->rule->selectors[n], type) ? TAKES : LEAVES;
	return *decision == TAKES;
}

bool run_takes_event(struct run *run, size_t n, const struct rst_batch *batch, size_t row)
{
	const struct selector *selector = &run->rule->selectors[n];
	const struct rst_layout *layout = batch->layout[row];
	struct field_sight *sight = &run->sights[n];

	if (!run_takes_type(run, n, batch->type[row]))
		return false;
	if (!selector->n_fields)
		return true;
	if (selector_lacks_field(selector, layout)) {
		sight->lacking = sight->lacking ? sight->lacking : layout;
		return false;
	}
	sight->has_fields = true;
	return selector_takes_fields(selector, run->check->scan->trace, batch, row);
}

/* --- measuring ------------------------------------------------------------------------------------------ */

/* Shares are compared as values; those of parts of several lengths in thousandths of a percent. */
static uint64_t shown(const struct violation *sample)
{
	return sample->of ? (uint64_t)((wide)sample->value * 100000 / sample->of) : sample->value;
}

/* NaN is farther than all others. */
static bool is_farther(const struct violation *one, const struct violation *other)
{
	const struct number by = number_as(one->by, one->by_type),
			    by_other = number_as(other->by, other->by_type);

	if (number_is_nan(by) || number_is_nan(by_other))
		return !number_is_nan(by_other);
	return number_compare(by, by_other) > 0;
}

static void broken_add(struct measured *measured, const struct violation *violation, uint64_t times)
{
	for (uint64_t i = 0; i < times && measured->n_broken + i < VIOLATIONS_FIRST; i++)
		measured->first[measured->n_broken + i] = *violation;
	if (!measured->n_broken || is_farther(violation, &measured->worst))
		measured->worst = *violation;
	measured->n_broken += times;
}

static bool is_in(const struct bounds *bounds, uint64_t value)
{
	return !bounds->is_empty && value >= bounds->least && value <= bounds->most;
}

void run_break(struct run *run, const struct violation *violation)
{
	broken_add(&run->measured, violation, 1);
}

static void measured_add(struct measured *measured, struct number value, uint64_t times)
{
	const bool is_first = !measured->n || number_is_nan(measured->least);

	if (is_first || (!number_is_nan(value) && number_compare(value, measured->least) < 0))
		measured->least = value;
	if (is_first || (!number_is_nan(value) && number_compare(value, measured->most) > 0))
		measured->most = value;
	measured->n += times;
}

void run_measure(struct run *run, const struct violation *sample, uint64_t times)
{
	struct measured *measured = &run->measured;
	const struct bounds *bounds = &run->bounds;
	struct violation violation = *sample;

	if (!times)
		return;
	if (!sample->has_not_ended)
		measured_add(measured, number_as(shown(sample), RST_UNSIGNED), times);
	if (is_in(bounds, sample->value))
		return;
	violation.is_too_much = sample->value > bounds->most || (bounds->is_empty && sample->value);
	violation.by = violation.is_too_much ? sample->value - bounds->most : bounds->least - sample->value;
	broken_add(measured, &violation, times);
}

void run_measure_number(struct run *run, const struct violation *sample)
{
	const struct range *range = &run->rule->range;
	const enum rst_field_type type = sample->value_type;
	const int side = range_side(range, sample->value, type);
	struct violation violation = *sample;

	measured_add(&run->measured, number_as(sample->value, type), 1);
	if (!side)
		return;
	violation.is_too_much = side > 0;
	violation.by = range_distance(range, sample->value, type, &violation.by_type);
	broken_add(&run->measured, &violation, 1);
}

void run_measure_between(struct run *run, const struct violation *sample, uint64_t most, const char *reason)
{
	const struct bounds *bounds = &run->bounds;
	struct violation known = *sample;

	known.has_not_ended |= sample->value != most;
	if (!known.has_not_ended || bounds->is_empty || sample->value > bounds->most || most < bounds->least)
		run_measure(run, &known, 1);
	else if (!is_in(bounds, sample->value) || !is_in(bounds, most))
		run_unknown(run, "%s", reason);
}

void run_unknown(struct run *run, const char *format, ...)
{
	va_list args;

	if (run->is_unknown)
		return;
	run->is_unknown = true;
	va_start(args, format);
	vsnprintf(run->reason, sizeof(run->reason), format, args);
	va_end(args);
}

/* --- edges ---------------------------------------------------------------------------------------------- */

bool run_sees_begin(const struct run *run, const struct piece *piece)
{
	return piece->has_begin && !edges_has(&run->check->edges, piece->interval->from_seq);
}

bool run_sees_end(const struct run *run, const struct piece *piece)
{
	return piece->has_end && !edges_has(&run->check->edges, piece->interval->to_seq);
}

void run_note_cut(struct run *run, const struct piece *piece)
{
	const uint64_t seq = piece->interval->to_seq;

	if (piece->has_end && seq < run->cut_seq && edges_has(&run->check->edges, seq))
		run->cut_seq = seq;
}

bool run_is_outside(const struct run *run, const struct piece *piece)
{
	const struct edges *edges = &run->check->edges;
	const uint64_t seq = piece->interval->from_seq;
	const bool is_behind = edges->n && seq == edges->seqs[edges->n - 1] && edges->is_stopped;

	return edges_has(edges, seq) && (is_behind || run_sees_end(run, piece));
}

/* Whether a measured thing was open when a pause began. The end of the recording is not a pause. */
static bool run_is_paused(const struct run *run)
{
	const struct edges *edges = &run->check->edges;

	return edges->n_pauses && (run->is_open_unsure || run->cut_seq < edges->last_pause);
}

/* --- the clock ------------------------------------------------------------------------------------------ */

static bool is_time(const struct quantity *quantity)
{
	return quantity->form == QUANTITY_TIME;
}

static struct worth worth_of(const struct quantity *quantity, const struct rst_metadata *metadata)
{
	const struct rst_clock *clock = &metadata->clock;

	return is_time(quantity) ? (struct worth){ clock->rate_ticks, (wide)clock->rate_ns * 1000 }
				 : (struct worth){ 1, 1 };
}

static enum rst_status clock_fault(const struct check *check, const struct rule *rule,
	const struct rst_metadata *metadata, struct rst_error *err)
{
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"%s:%u:%u: a rule with a time, but the recording does not have the frequency of its clock",
		check->file, rule->line, rule->range_column);
	error_advise(err, "give it with --clock-hz N, or write the rule in ticks");
	error_name(err, metadata->path);
	return RST_E_USAGE;
}

static enum rst_status run_bind(struct run *run, const struct rst_metadata *metadata, struct rst_error *err)
{
	const struct rule *rule = run->rule;
	const struct range *range = &rule->range;
	const bool needs_clock = (range->has_least && is_time(&range->least)) ||
				 (range->has_most && is_time(&range->most)) ||
				 (rule->has_per && is_time(&rule->per));

	if (needs_clock && !metadata->clock.rate_ticks)
		return clock_fault(run->check, rule, metadata, err);
	if (!rule->metric->takes_numbers)
		run->bounds = range_bounds(
			range, worth_of(range->has_least ? &range->least : &range->most, metadata));
	if (rule->has_per)
		run->per = quantity_units(&rule->per, worth_of(&rule->per, metadata));
	if (rule->has_per && !run->per)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"%s:%u: a part of this length is less than a tick of the clock", run->check->file,
			rule->line);
	return RST_OK;
}

/*
 * Some recordings have the frequency of their clock behind their first events only. Returns false if the
 * rules cannot be tested.
 */
static bool check_bind(struct check *check)
{
	const struct rst_metadata *metadata = rst_trace_metadata(check->scan->trace);

	for (size_t i = 0; i < check->rules->n && !check->is_bound && check->status == RST_OK; i++)
		check->status = run_bind(&check->runs[i], metadata, &check->err);
	check->is_bound = true;
	return check->status == RST_OK;
}

/* --- what rules look at --------------------------------------------------------------------------------- */

static bool give_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct check *check = context;

	if (!check_bind(check))
		return true;
	check->n_gaps += batch->type[row]->marker == RST_LOSS || batch->type[row]->marker == RST_DAMAGE;
	if (!edges_see(&check->edges, batch, row, row_seq(check->scan, batch, row), &check->row_edge)) {
		check->has_no_memory = true;
		return false;
	}
	return observers_row(&check->observers, batch, row, at) && !check->has_no_memory;
}

static bool give_effect(void *context, const struct occurrence *occurrence)
{
	struct check *check = context;
	const enum rst_effect_kind kind = occurrence->facts->effect->kind;

	if (!check_bind(check))
		return true;
	check->n_gaps += kind == RST_EFFECT_GAP && occurrence->facts->phase == RST_DONE;
	return observers_effect(&check->observers, occurrence) && !check->has_no_memory;
}

static bool give_piece(void *context, const struct piece *piece)
{
	struct check *check = context;

	if (!check_bind(check))
		return true;
	return observers_piece(&check->observers, piece) && !check->has_no_memory;
}

static bool give_step(void *context, const struct scan *scan)
{
	struct check *check = context;

	if (!check_bind(check))
		return true;
	return observers_step(&check->observers, scan) && !check->has_no_memory;
}

/* --- beginning and end ---------------------------------------------------------------------------------- */

static enum rst_status run_begin_sql(struct run *run, struct rst_error *err)
{
	struct check *check = run->check;

	if (!check->has_database) {
		check->has_database = true;
		error_try(database_open(&check->database, NULL, err));
	}
	return sql_begin(run, err);
}

static enum rst_status loading_init(struct check *check, struct scan *scan, struct rst_error *err)
{
	check->is_loading = true;
	return loading_begin(&check->loading, &check->database, check->database.needs, scan, check->templates,
		check->diags, check->trace, err);
}

enum rst_status check_init(struct check *check, struct scan *scan, struct rst_error *err)
{
	const struct rules *rules = check->rules;

	check->scan = scan;
	observers_add(&scan->observers, &check->observer, check);
	check->observer = (struct observer_kind){
		.row = give_row, .effect = give_effect, .piece = give_piece, .step = give_step
	};
	check->observer.effects = SCAN_BIT(RST_EFFECT_GAP);
	check->runs = calloc(rules->n + 1, sizeof(*check->runs));
	if (!check->runs)
		return error_nomem(err);
	for (size_t i = 0; i < rules->n; i++) {
		const struct rule *rule = &rules->all[i];
		struct run *run = &check->runs[i];

		run->rule = rule;
		run->check = check;
		run->index = check->n_selectors;
		run->cut_seq = RST_NO_SEQ;
		check->n_selectors += rule->n_selectors;
		observers_add_kind(&check->observers, &rule->metric->observer, run);
	}
	if (!observers_begin(&check->observers))
		return error_nomem(err);
	check->observer.effects |= observers_effects(&check->observers);
	check->observer.intervals |= observers_intervals(&check->observers);
	for (size_t i = 0; i < rules->n; i++) {
		struct run *run = &check->runs[i];

		run->state = observers_state(&check->observers, i);
		if (!run->state)
			return error_nomem(err);
		if (run->rule->metric->has_sql)
			error_try(run_begin_sql(run, err));
	}
	check->things.record_bytes = sizeof(struct thing) + check->n_selectors;
	return check->has_database ? loading_init(check, scan, err) : RST_OK;
}

bool check_skip(struct check *check, const struct rst_error *why)
{
	char text[REASON_ROOM];

	check->runs = calloc(check->rules->n + 1, sizeof(*check->runs));
	for (size_t i = 0; check->runs && i < check->rules->n; i++) {
		struct run *run = &check->runs[i];

		run->rule = &check->rules->all[i];
		run_unknown(run, "%s", rst_error_text(why, text, sizeof(text)));
		run->verdict = VERDICT_UNDECIDED;
	}
	return check->runs;
}

static void run_judge(struct run *run, const char *fault)
{
	const struct check *check = run->check;

	if (run_is_paused(run))
		run_unknown(run, "the recording pauses before something has ended that is measured");
	if (check->edges.is_over)
		run_unknown(run, "the recording begins and stops more than %d times", EDGES_MAX);
	if (!run->rule->metric->judges_losses && !run->judges_losses && check->n_gaps)
		run_unknown(run, "events are lost in %" PRIu64 " %s, and what is lost may break the rule",
			check->n_gaps, check->n_gaps == 1 ? "place" : "places");
	if (fault)
		run_unknown(run, "the trace could not be read to its end");
	run->verdict = run->measured.n_broken ? VERDICT_FAIL
		       : run->is_unknown      ? VERDICT_UNDECIDED
					      : VERDICT_PASS;
}

enum rst_status check_finish(struct check *check, const char *fault, struct rst_error *err)
{
	if (!check_bind(check)) {
		*err = check->err;
		return check->status;
	}
	if (check->is_loading) {
		error_try(loading_finish(&check->loading, fault, err));
		error_try(database_finish(&check->database, false, err));
	}
	if (check->scan->is_started)
		late_names_see(check);
	if (check->scan->is_started && !observers_finish(&check->observers, check->scan))
		check->has_no_memory = true;
	for (size_t i = 0; i < check->rules->n; i++) {
		if (!check->scan->is_started)
			run_unknown(&check->runs[i], "the trace has no event");
		run_judge(&check->runs[i], fault);
	}
	return check->has_no_memory ? error_nomem(err) : RST_OK;
}

void check_done(struct check *check)
{
	observers_done(&check->observers);
	free(check->runs);
	if (check->is_loading)
		loading_done(&check->loading);
	if (check->has_database)
		database_close(&check->database);
	free(check->types);
	edges_done(&check->edges);
	subjects_done(&check->things);
}
