/* SPDX-License-Identifier: MIT */
#include "analysis/explain/history.h"

#include <stdlib.h>

#include "base/array.h"

bool history_init(struct history *history)
{
	*history = (struct history){ .parties.record_bytes = sizeof(struct party) };
	history->ring = calloc(HISTORY_RECORDS, sizeof(*history->ring));
	history->notes = calloc(HISTORY_NOTES, sizeof(*history->notes));
	return history->ring && history->notes;
}

void history_done(struct history *history)
{
	free(history->ring);
	free(history->notes);
	free(history->by_context);
	subjects_done(&history->parties);
}

static struct party *party_number(struct history *history, struct party *party)
{
	if (party && !party->index)
		party->index = history->parties.n;
	return party;
}

struct party *history_party(struct history *history, const struct rst_entity *entity)
{
	return party_number(history, subject_of(&history->parties, entity));
}

struct party *history_object(struct history *history, const struct rst_ref *ref)
{
	return party_number(history, subject_of_ref(&history->parties, ref));
}

void *record_of(struct records *records, const struct party *party)
{
	void **by_party = array_reach(records->by_party, &records->room, party->index, sizeof(void *));

	if (!by_party)
		return NULL;
	records->by_party = by_party;
	if (!by_party[party->index])
		by_party[party->index] = arena_alloc(&records->arena, records->record_bytes);
	return by_party[party->index];
}

void *record_next(const struct records *records, size_t *index)
{
	while (*index < records->room)
		if (records->by_party[(*index)++])
			return records->by_party[*index - 1];
	return NULL;
}

void records_done(struct records *records)
{
	free(records->by_party);
	arena_done(&records->arena);
}

struct party *history_thread(struct history *history, const struct rst_context *context)
{
	const uint32_t index = context->thread->index;
	struct party **by_context =
		array_reach(history->by_context, &history->by_context_room, index, sizeof(struct party *));

	if (!by_context)
		return NULL;
	history->by_context = by_context;
	if (!by_context[index]) {
		const struct rst_entity entity = rst_entity_of_context(context);

		by_context[index] = history_party(history, &entity);
	}
	return by_context[index];
}

/* --- records -------------------------------------------------------------------------------------------- */

static enum past_kind kind_of(enum rst_interval_kind kind)
{
	return kind == RST_INTERVAL_LOCK     ? PAST_LOCK
	       : kind == RST_INTERVAL_THREAD ? PAST_THREAD
					     : PAST_INTERRUPT;
}

static bool is_scheduling(const struct past *past)
{
	return past->kind == PAST_THREAD &&
	       (past->state == RST_STATE_RUNNING || past->state == RST_STATE_READY);
}

static bool is_run(const struct past *past)
{
	return past->kind == PAST_THREAD && past->state == RST_STATE_RUNNING;
}

static bool is_wait_for_object(const struct past *past)
{
	return past->kind == PAST_THREAD && past->state == RST_STATE_WAITING && past->object;
}

static void past_link(struct history *history, struct past *past)
{
	past->number = ++history->n;
	past->before = past->subject->last;
	past->subject->last = past->number;
	past->before_object = past->before_scheduling = past->before_run = past->before_wait = 0;
	if (past->kind == PAST_LOCK && past->object) {
		past->before_object = past->object->last;
		past->object->last = past->number;
	}
	if (is_scheduling(past)) {
		past->before_scheduling = history->last_scheduling;
		history->last_scheduling = past->number;
	}
	if (is_run(past)) {
		past->before_run = history->last_run;
		history->last_run = past->number;
	}
	if (is_wait_for_object(past)) {
		past->before_wait = past->object->last_wait;
		past->object->last_wait = past->number;
	}
}

static enum past_waker waker_of(const struct rst_entity *by)
{
	if (by->form == RST_ENTITY_NONE)
		return WOKEN_BY_NONE;
	return by->kind && strcmp(by->kind, "isr") == 0 ? WOKEN_BY_INTERRUPT : WOKEN_BY_THREAD;
}

bool history_add(struct history *history, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct past *past = &history->ring[(history->n + 1) % HISTORY_RECORDS];

	*past = (struct past){ .kind = kind_of(interval->kind),
		.state = interval->state,
		.reason = interval->reason,
		.certainty = interval->certainty,
		.has_begin = piece->has_begin,
		.has_end = piece->has_end,
		.waker = waker_of(&interval->by),
		.core = interval->core,
		.from = piece->from,
		.to = piece->to,
		.from_seq = interval->from_seq,
		.to_seq = interval->to_seq };
	past->subject = history_party(history, &interval->subject);
	if (past->subject && (past->kind == PAST_LOCK || past->state == RST_STATE_WAITING) &&
		interval->object.form != RST_ENTITY_NONE) {
		past->object = history_party(history, &interval->object);
		if (!past->object)
			return false;
	}
	if (!past->subject)
		return false;
	past_link(history, past);
	return true;
}

bool history_add_open(struct history *history, const struct piece *piece)
{
	if (!history_add(history, piece))
		return false;
	history->ring[history->n % HISTORY_RECORDS].is_open = true;
	return true;
}

const struct past *history_state_before(const struct history *history, const struct past *past)
{
	const struct past *before = history_before(history, past, past->subject);

	while (before && before->kind != PAST_THREAD)
		before = history_before(history, before, past->subject);
	return before && before->to == past->from ? before : NULL;
}

const struct past *history_holder(const struct history *history, const struct party *lock, uint64_t at)
{
	const struct past *past = history_last(history, lock);

	for (; past && past->to >= at; past = history_before(history, past, lock))
		if (past->kind == PAST_LOCK && past->object && past_covers(past, at))
			return past;
	return NULL;
}

const struct past *history_state(const struct history *history, const struct party *thread, uint64_t at)
{
	const struct past *past = history_last(history, thread);

	for (; past && past->to >= at; past = history_before(history, past, thread))
		if (past->kind == PAST_THREAD && past_covers(past, at))
			return past;
	return NULL;
}

void history_pop(struct history *history, uint64_t n)
{
	for (; history->n > n; history->n--) {
		struct past *past = &history->ring[history->n % HISTORY_RECORDS];

		past->subject->last = past->before;
		if (past->kind == PAST_LOCK && past->object)
			past->object->last = past->before_object;
		if (is_scheduling(past))
			history->last_scheduling = past->before_scheduling;
		if (is_run(past))
			history->last_run = past->before_run;
		if (is_wait_for_object(past))
			past->object->last_wait = past->before_wait;
		past->number = 0;
	}
}

/* --- priorities and requests ---------------------------------------------------------------------------- */

static struct note *note_add(struct history *history, const struct note *note)
{
	struct note *kept = &history->notes[++history->n_notes % HISTORY_NOTES];

	*kept = *note;
	kept->number = history->n_notes;
	return kept;
}

static const struct note *note_of(const struct history *history, uint64_t number)
{
	const struct note *note = number ? &history->notes[number % HISTORY_NOTES] : NULL;

	return note && note->number == number ? note : NULL;
}

void history_set_priority(struct history *history, struct party *thread, uint64_t at, int64_t priority)
{
	struct note *newest = &thread->priority;
	uint64_t before = 0;

	if (thread->has_priority && newest->priority == priority)
		return;
	if (thread->has_priority)
		before = note_add(history, newest)->number;
	thread->has_priority = true;
	*newest = (struct note){ .at = at, .priority = priority, .before = before };
}

bool history_priority(
	const struct history *history, const struct party *thread, uint64_t at, int64_t *ret_priority)
{
	const struct note *note = thread->has_priority ? &thread->priority : NULL;

	while (note && note->at > at && note->before)
		note = note_of(history, note->before);
	if (note)
		*ret_priority = note->priority;
	return note != NULL;
}

bool history_best_priority(const struct history *history, const struct party *thread, uint64_t from,
	uint64_t to, int64_t *ret_priority)
{
	if (!history_priority(history, thread, from, ret_priority))
		return false;
	for (const struct note *note = &thread->priority; note && note->at > from;
		note = note_of(history, note->before))
		if (note->at <= to && note->priority < *ret_priority)
			*ret_priority = note->priority;
	return true;
}

void history_ask(struct history *history, struct party *thread, uint64_t at, uint64_t seq, struct party *lock)
{
	const struct note note = { .at = at, .seq = seq, .lock = lock, .before = thread->last_ask };

	thread->last_ask = note_add(history, &note)->number;
}

const struct note *history_asked(
	const struct history *history, const struct party *thread, const struct party *lock, uint64_t until)
{
	const struct note *note = note_of(history, thread->last_ask);

	while (note && (note->lock != lock || note->at > until))
		note = note_of(history, note->before);
	return note;
}
