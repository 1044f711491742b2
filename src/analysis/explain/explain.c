/* SPDX-License-Identifier: MIT */
#include "analysis/explain/explain.h"

#include <stdlib.h>

#include "model/clock.h"

const char *const severity_names[] = { "note", "warning", "error" };

/* --- what the scan hands on ----------------------------------------------------------------------------- */

/* The priority of the thread that made the event, where the recording has such a column. */
static bool note_priority(struct findings *findings, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const int16_t priority = rst_batch_priority(batch, row);
	const struct rst_context *context = batch->context[row];
	struct party *thread;

	if (priority == RST_NO_PRIORITY || context->kind != RST_CONTEXT_THREAD ||
		batch->type[row]->marker != RST_EVENT)
		return true;
	thread = history_thread(&findings->history, context);
	if (thread)
		history_set_priority(&findings->history, thread, at, priority);
	return thread != NULL;
}

static bool take_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct findings *findings = context;

	return note_priority(findings, batch, row, at) && observers_row(&findings->observers, batch, row, at);
}

static bool note_effect(struct findings *findings, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	const enum rst_effect_kind kind = facts->effect->kind;
	struct party *thread, *lock;

	if (!facts->thread ||
		(kind == RST_EFFECT_PRIORITY ? !facts->has_value
					     : kind != RST_EFFECT_ACQUIRE || facts->phase != RST_ASKS))
		return true;
	thread = history_thread(&findings->history, facts->thread);
	if (!thread)
		return false;
	if (kind == RST_EFFECT_PRIORITY) {
		history_set_priority(&findings->history, thread, occurrence->at, (int64_t)facts->value);
		return true;
	}
	if (!facts->object.is_there || facts->object.is_unknown)
		return true;
	lock = history_object(&findings->history, &facts->object);
	if (lock)
		history_ask(&findings->history, thread, occurrence->at, occurrence->seq, lock);
	return lock != NULL;
}

static bool take_effect(void *context, const struct occurrence *occurrence)
{
	struct findings *findings = context;

	return note_effect(findings, occurrence) && observers_effect(&findings->observers, occurrence);
}

enum {
	HISTORY_KINDS =
		SCAN_BIT(RST_INTERVAL_THREAD) | SCAN_BIT(RST_INTERVAL_LOCK) | SCAN_BIT(RST_INTERVAL_INTERRUPT)
};

static bool take_piece(void *context, const struct piece *piece)
{
	struct findings *findings = context;
	const uint32_t bit = SCAN_BIT(piece->interval->kind);

	return observers_piece(&findings->observers, piece) &&
	       (!(HISTORY_KINDS & bit) || history_add(&findings->history, piece));
}

/* Sets the thresholds from the window so far; they only grow. */
static void limits_set(struct findings *findings)
{
	const struct scan *scan = findings->scan;
	const double window = scan->to > scan->from ? (double)(scan->to - scan->from) : 0;

	for (size_t i = 0; finding_kinds[i]; i++) {
		const struct finding_kind *kind = finding_kinds[i];
		struct threshold set = findings->thresholds[i];

		if (set.form == THRESHOLD_UNSET && (kind->is_count || kind->is_share))
			set = (struct threshold){ THRESHOLD_COUNT, (double)kind->count };
		else if (set.form == THRESHOLD_UNSET && scan->times.hz)
			set = (struct threshold){ THRESHOLD_NS, (double)kind->ns };
		else if (set.form == THRESHOLD_UNSET)
			set = (struct threshold){ THRESHOLD_PERCENT, (double)kind->percent };
		if (set.form == THRESHOLD_NS)
			set.value = set.value * (double)scan->times.hz / 1e9;
		else if (set.form == THRESHOLD_PERCENT && !kind->is_share)
			set.value = set.value / 100 * window;
		findings->limits[i] = set.value < 0x1p63 ? (uint64_t)(set.value + 0.5) : UINT64_MAX;
	}
}

/* The number of the JUDGES_… bit for an interval of the past. */
static unsigned class_of(const struct past *past)
{
	return past->kind == PAST_LOCK	      ? RST_N_STATES
	       : past->kind == PAST_INTERRUPT ? RST_N_STATES + 1
					      : (unsigned)past->state;
}

static bool records_judge(struct findings *findings, uint64_t n)
{
	for (uint64_t number = findings->judged + 1; number <= n; number++) {
		const struct past *record = history_record(&findings->history, number);
		uint32_t kinds = record ? findings->judges[class_of(record)] : 0;
		struct past past;

		if (!kinds)
			continue;
		past = *record; /* open intervals may replace the oldest records */
		for (; kinds; kinds &= kinds - 1) {
			const unsigned kind = (unsigned)__builtin_ctz(kinds);
			void *state = observers_state(&findings->observers, kind);

			if (!state || !finding_kinds[kind]->judge(state, &past))
				return false;
		}
	}
	return true;
}

static bool take_step(void *context, const struct scan *scan)
{
	struct findings *findings = context;
	const uint64_t n = findings->history.n;
	bool is_done;

	limits_set(findings);
	is_done = records_judge(findings, n) && observers_step(&findings->observers, scan);
	history_pop(&findings->history, n);
	findings->is_open = false;
	findings->judged = n;
	return is_done && !findings->has_no_memory;
}

bool findings_open(struct findings *findings)
{
	const struct select *select = &findings->scan->select;
	const struct rst_interval *intervals;
	struct rst_error err;
	size_t n;

	if (findings->is_open)
		return true;
	findings->is_open = true;
	if (rst_states_open(findings->scan->states, &intervals, &n, &err) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct rst_interval *interval = &intervals[i];
		const struct piece piece = { .interval = interval,
			.from = interval->from > select->from ? interval->from : select->from,
			.to = interval->to < select->to ? interval->to : select->to,
			.begin = interval->from,
			.has_begin = interval->from_seq != RST_NO_SEQ && interval->from >= select->from };

		if (piece.from < piece.to && select_takes_interval(select, interval) &&
			!history_add_open(&findings->history, &piece))
			return false;
	}
	return true;
}

/* --- the run -------------------------------------------------------------------------------------------- */

bool findings_init(struct findings *findings, struct scan *scan)
{
	findings->scan = scan;
	observers_add(&scan->observers, &findings->observer, findings);
	findings->observer = (struct observer_kind){ .effects = SCAN_BIT(RST_EFFECT_PRIORITY) |
								SCAN_BIT(RST_EFFECT_ACQUIRE),
		.intervals = HISTORY_KINDS,
		.row = take_row,
		.effect = take_effect,
		.piece = take_piece,
		.step = take_step };
	for (size_t i = 0; finding_kinds[i]; i++) {
		observers_add_kind(&findings->observers, &finding_kinds[i]->observer, findings);
		for (unsigned class = 0; class < FINDING_CLASSES; class ++)
			findings->judges[class] |= (finding_kinds[i]->judges >> class & 1) << i;
	}
	findings->observer.effects |= observers_effects(&findings->observers);
	findings->observer.intervals |= observers_intervals(&findings->observers);
	return observers_begin(&findings->observers) && history_init(&findings->history);
}

void findings_done(struct findings *findings)
{
	observers_done(&findings->observers);
	for (size_t i = 0; finding_kinds[i]; i++)
		free(findings->kept[i].all);
	free(findings->sorted);
	history_done(&findings->history);
	table_done(&findings->names);
}

/* Errors first, and of those what the target reports; then by time, and by kind. */
static int finding_compare(const void *a, const void *b)
{
	const struct finding *one = *(const struct finding *const *)a,
			     *other = *(const struct finding *const *)b;

	if (one->severity != other->severity)
		return one->severity > other->severity ? -1 : 1;
	if (one->kind->is_first != other->kind->is_first)
		return one->kind->is_first ? -1 : 1;
	if (one->from != other->from)
		return one->from < other->from ? -1 : 1;
	if (one->kind != other->kind)
		return strcmp(one->kind->name, other->kind->name);
	if (one->to != other->to)
		return one->to < other->to ? -1 : 1;
	return one < other ? -1 : one > other;
}

static int evidence_compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* The finding of an inversion covers a wait or hold that is a part of it. */
static bool explain_is_told(const struct findings *findings, const struct finding *finding)
{
	for (size_t i = 0; finding->kind->is_part && finding_kinds[i]; i++)
		for (size_t k = 0; k < findings->kept[i].n; k++)
			if (finding->kind->is_part(finding, &findings->kept[i].all[k]))
				return true;
	return false;
}

bool findings_sort(struct findings *findings)
{
	size_t n = 0;

	free(findings->sorted);
	findings->n_sorted = 0;
	for (size_t i = 0; finding_kinds[i]; i++)
		n += findings->kept[i].n;
	findings->sorted = calloc(n + 1, sizeof(struct finding *));
	if (!findings->sorted)
		return false;
	for (size_t i = 0; finding_kinds[i]; i++)
		for (size_t k = 0; k < findings->kept[i].n; k++) {
			struct finding *finding = &findings->kept[i].all[k];

			if (finding->weight < findings->limits[i] || explain_is_told(findings, finding))
				continue;
			if (finding->kind->escalates && findings->limits[i] &&
				finding->weight / FINDING_ERROR_FACTOR >= findings->limits[i])
				finding->severity = SEVERITY_ERROR;
			qsort(finding->evidence, finding->n_evidence, sizeof(uint64_t), evidence_compare);
			findings->sorted[findings->n_sorted++] = finding;
		}
	qsort(findings->sorted, findings->n_sorted, sizeof(struct finding *), finding_compare);
	return true;
}

bool findings_finish(struct findings *findings)
{
	if (!findings->scan->is_started)
		return true;
	return observers_finish(&findings->observers, findings->scan) && !findings->has_no_memory &&
	       findings_sort(findings);
}

/* --- for kinds ------------------------------------------------------------------------------------------ */

static size_t index_of(const struct finding_kind *kind)
{
	size_t i = 0;

	while (finding_kinds[i] != kind)
		i++;
	return i;
}

uint64_t findings_limit(const struct findings *findings, const struct finding_kind *kind)
{
	return findings->limits[index_of(kind)];
}

uint64_t findings_dropped(const struct findings *findings, size_t kind)
{
	return findings->kept[kind].n_dropped;
}

static size_t lightest_of(const struct findings_kept *kept)
{
	size_t lightest = 0;

	for (size_t i = 1; i < kept->n; i++)
		if (kept->all[i].weight < kept->all[lightest].weight)
			lightest = i;
	return lightest;
}

struct finding *finding_add(struct findings *findings, const struct finding_kind *kind, uint64_t weight)
{
	const size_t index = index_of(kind);
	struct findings_kept *kept = &findings->kept[index];
	struct finding *finding;

	if (weight < findings->limits[index] || findings->is_left_out[index])
		return NULL;
	if (!kept->all)
		kept->all = calloc(FINDINGS_MAX, sizeof(*kept->all));
	if (!kept->all) {
		findings->has_no_memory = true;
		return NULL;
	}
	if (kept->n < FINDINGS_MAX) {
		finding = &kept->all[kept->n++];
	} else {
		finding = &kept->all[lightest_of(kept)];
		kept->n_dropped++;
		if (weight <= finding->weight)
			return NULL;
	}
	*finding = (struct finding){
		.kind = kind, .severity = SEVERITY_WARNING, .is_certain = true, .weight = weight
	};
	return finding;
}

static void party_add(struct party **parties, size_t *n, size_t *n_more, struct party *party)
{
	if (!party)
		return;
	for (size_t i = 0; i < *n; i++)
		if (parties[i] == party)
			return;
	if (*n < FINDING_SUBJECTS_MAX)
		parties[(*n)++] = party;
	else
		++*n_more;
}

void finding_subject(struct finding *finding, struct party *party)
{
	party_add(finding->subjects, &finding->n_subjects, &finding->n_more, party);
}

void finding_name(struct finding *finding, struct party *party)
{
	party_add(finding->named, &finding->n_named, &finding->n_more_named, party);
}

void finding_name_runs(struct findings *findings, struct finding *finding, const struct party *but,
	uint64_t from, uint64_t to)
{
	const struct past *past = history_last_run(&findings->history);

	for (; past && past->to > from; past = history_before_run(&findings->history, past))
		if (past->from < to && past->subject != but && past_is_known(past)) {
			finding_name(finding, past->subject);
			finding_evidence_past(finding, past);
		}
}

void finding_evidence(struct finding *finding, uint64_t seq)
{
	if (seq == RST_NO_SEQ || finding->n_evidence == FINDING_EVIDENCE_MAX)
		return;
	for (size_t i = 0; i < finding->n_evidence; i++)
		if (finding->evidence[i] == seq)
			return;
	finding->evidence[finding->n_evidence++] = seq;
}

void finding_evidence_past(struct finding *finding, const struct past *past)
{
	if (past->has_begin && past->from >= finding->from && past->from <= finding->to)
		finding_evidence(finding, past->from_seq);
	if (past->has_end && past->to >= finding->from && past->to <= finding->to)
		finding_evidence(finding, past->to_seq);
	if (past->certainty != RST_CERTAINTY_EXACT)
		finding->is_certain = false;
}
