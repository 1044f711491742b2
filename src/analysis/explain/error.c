/* SPDX-License-Identifier: MIT */
/*
 * Errors that the target reports itself: a failed assertion, an error number, a refused call, the signal that
 * ends a program. They come before what is concluded from other events. Reports are the same error if their
 * event, thread, object, number and text are the same; the evidence is the reports, and the last events
 * before the first of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/errors.h"
#include "analysis/explain/explain.h"
#include "base/array.h"

enum {
	BEFORE = 4,	     /* events of the same thread, or of all if none reports it */
	REPORTS_MAX = 12,    /* that are evidence */
	DIFFERENT_MAX = 256, /* errors that are told apart; further ones are not kept */
	DETAIL_ROOM = 200,
	RECENTS_MAX = 2 * RST_BATCH_EVENTS,
};

/* An event that was read. Effects come behind all rows of their batch. */
struct recent {
	const struct rst_context *context;
	uint64_t seq, at;
};

struct reported {
	const struct rst_type *type;
	const struct rst_effect *effect;
	struct party *thread, *object;
	const char *detail;   /* the event's texts and the error's number; "" without any */
	uint64_t n, from, to; /* from: of the first report */
	uint64_t reports[REPORTS_MAX];
	uint64_t begin; /* of the events before it */
	uint64_t before[BEFORE];
	size_t n_before;
};

struct error_state {
	struct findings *findings;
	struct errors errors;
	struct arena arena;
	struct reported *all;
	size_t n, room;
	struct recent recents[RECENTS_MAX]; /* a ring: the n-th event is at n % RECENTS_MAX */
	uint64_t n_recents;
};

static bool error_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct error_state *state = context;

	if (batch->type[row]->marker == RST_EVENT)
		state->recents[state->n_recents++ % RECENTS_MAX] = (struct recent){ batch->context[row],
			row_seq(state->findings->scan, batch, row), at };
	return true;
}

/* The last events before one, of a thread or (NULL) of all. */
static void before_find(const struct error_state *state, const struct rst_context *thread, uint64_t seq,
	struct reported *reported)
{
	const uint64_t end = state->n_recents > RECENTS_MAX ? state->n_recents - RECENTS_MAX : 0;

	for (uint64_t n = state->n_recents; n > end && reported->n_before < BEFORE; n--) {
		const struct recent *recent = &state->recents[(n - 1) % RECENTS_MAX];

		if (recent->seq >= seq || (thread && recent->context != thread))
			continue;
		reported->before[reported->n_before++] = recent->seq;
		reported->begin = recent->at;
	}
}

/* Adds ", NAME VALUE", or a text in quotes. Returns false if memory ran out. */
static bool detail_add(char detail[DETAIL_ROOM], struct rst_trace *trace, const struct occurrence *occurrence,
	const struct rst_field *field)
{
	const size_t n = strlen(detail);
	const bool is_text = field->type == RST_TEXT;
	const char *value = rst_trace_field_text(trace, occurrence->batch, occurrence->row, field, NULL);

	if (value)
		snprintf(detail + n, DETAIL_ROOM - n, "%s%s%s%s%s", n ? ", " : "",
			is_text ? "\"" : field->name, is_text ? "" : " ", value, is_text ? "\"" : "");
	return value != NULL;
}

static bool detail_make(
	struct rst_trace *trace, const struct occurrence *occurrence, char detail[DETAIL_ROOM])
{
	const struct rst_layout *layout = occurrence->batch->layout[occurrence->row];
	const struct rst_effect *effect = occurrence->facts->effect;

	detail[0] = '\0';
	for (unsigned i = 0; i < layout->n_fields; i++) {
		const struct rst_field *field = &layout->fields[i];
		const bool is_value = effect->value.from == (int)i + 1;

		if ((is_value || field->type == RST_TEXT) &&
			rst_field_is_there(field, occurrence->batch->payload_bytes[occurrence->row]) &&
			!detail_add(detail, trace, occurrence, field))
			return false;
	}
	return true;
}

static struct reported *reported_find(struct error_state *state, const struct reported *like)
{
	for (size_t i = state->n; i-- > 0;) {
		struct reported *reported = &state->all[i];

		if (reported->type == like->type && reported->effect == like->effect &&
			reported->thread == like->thread && reported->object == like->object &&
			strcmp(reported->detail, like->detail) == 0)
			return reported;
	}
	return NULL;
}

/* Returns false if memory ran out. *ret_reported is NULL if too many are different. */
static bool reported_reach(
	struct error_state *state, const struct reported *like, struct reported **ret_reported)
{
	struct reported *all;

	*ret_reported = reported_find(state, like);
	if (*ret_reported || state->n == DIFFERENT_MAX)
		return true;
	all = array_room(state->all, state->n, &state->room, sizeof(*all));
	if (!all)
		return false;
	state->all = all;
	*ret_reported = &all[state->n++];
	**ret_reported = *like;
	(*ret_reported)->detail = arena_copy(&state->arena, like->detail, strlen(like->detail) + 1);
	return (*ret_reported)->detail != NULL;
}

static bool error_note(struct error_state *state, const struct occurrence *occurrence)
{
	struct findings *findings = state->findings;
	const struct rst_effect_facts *facts = occurrence->facts;
	const bool has_thread = facts->thread && facts->thread->kind == RST_CONTEXT_THREAD;
	const bool has_object = facts->object.is_there && !facts->object.is_unknown;
	struct reported like = { .type = occurrence->batch->type[occurrence->row], .effect = facts->effect };
	char detail[DETAIL_ROOM];
	struct reported *reported;

	if (has_thread)
		like.thread = history_thread(&findings->history, facts->thread);
	if (has_object)
		like.object = history_object(&findings->history, &facts->object);
	like.detail = detail;
	if ((has_thread && !like.thread) || (has_object && !like.object) ||
		!detail_make(findings->scan->trace, occurrence, detail) ||
		!reported_reach(state, &like, &reported))
		return false;
	if (!reported)
		return true;
	if (!reported->n) {
		reported->from = reported->begin = occurrence->at;
		before_find(state, has_thread ? facts->thread : NULL, occurrence->seq, reported);
	}
	if (reported->n < REPORTS_MAX)
		reported->reports[reported->n] = occurrence->seq;
	reported->n++;
	reported->to = occurrence->at;
	return true;
}

static bool error_effect(void *context, const struct occurrence *occurrence)
{
	struct error_state *state = context;
	bool is_error;

	return errors_take(&state->errors, occurrence->facts, &is_error) &&
	       (!is_error || error_note(state, occurrence));
}

static bool error_finish(void *context, const struct scan *scan)
{
	struct error_state *state = context;

	(void)scan;
	for (size_t i = 0; i < state->n; i++) {
		const struct reported *reported = &state->all[i];
		struct finding *finding = finding_add(state->findings, &finding_error_reported, reported->n);

		if (!finding)
			continue;
		finding->severity =
			reported->effect->phase == RST_GAVE_UP ? SEVERITY_WARNING : SEVERITY_ERROR;
		finding->from = reported->begin;
		finding->figures[0] = (int64_t)(reported->to - reported->from);
		finding->to = reported->to;
		finding->label = reported->effect->name ? reported->effect->name : reported->type->label;
		finding->detail = reported->detail;
		if (!finding->label || !*finding->label)
			finding->label = reported->type->name;
		finding_subject(finding, reported->thread);
		finding_name(finding, reported->object);
		for (size_t k = 0; k < reported->n && k < REPORTS_MAX; k++)
			finding_evidence(finding, reported->reports[k]);
		for (size_t k = 0; k < reported->n_before; k++)
			finding_evidence(finding, reported->before[k]);
	}
	return true;
}

static void error_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_words(sentence, "The target reports ");
	sentence_words(sentence, "an error");
	if (finding->n_subjects) {
		sentence_words(sentence, " of ");
		sentence_name(sentence, finding->subjects[0]);
	}
	sentence_words(sentence, ": %s", finding->label);
	if (*finding->detail || finding->n_named)
		sentence_words(sentence, " (%s%s", finding->detail,
			*finding->detail && finding->n_named ? ", " : "");
	if (finding->n_named)
		sentence_name(sentence, finding->named[0]);
	sentence_words(sentence, "%s", *finding->detail || finding->n_named ? ")" : "");
	if (finding->weight > 1) {
		sentence_words(sentence, ", %" PRIu64 " times in ", finding->weight);
		sentence_time(sentence, (uint64_t)finding->figures[0]);
	}
	sentence_words(sentence, ".");
}

static void error_done(void *context)
{
	struct error_state *state = context;

	errors_done(&state->errors);
	arena_done(&state->arena);
	free(state->all);
}

const struct finding_kind finding_error_reported = {
	.observer = {
		.state_bytes = sizeof(struct error_state),
		.effects = ERRORS_EFFECTS,
		.row = error_row,
		.effect = error_effect,
		.finish = error_finish,
		.done = error_done,
	},
	.name = "error_reported",
	.about = "the target reports an error: a failed assertion, an error number, a fatal signal",
	.threshold = "how often",
	.is_count = true,
	.count = 1,
	.is_first = true,
	.say = error_say,
};
