/* SPDX-License-Identifier: MIT */
#include "analysis/observer.h"

#include <stdlib.h>

#include "analysis/subjects.h"
#include "base/array.h"
#include "base/check.h"

/* --- the list ------------------------------------------------------------------------------------------- */

/* Behind those of rows: for effects, pieces and beginnings there is one for each kind. */
enum {
	LIST_BATCHES = OBSERVERS_ROW_LISTS,
	LIST_STEPS,
	LIST_EFFECTS,
	LIST_PIECES = LIST_EFFECTS + RST_N_EFFECTS,
	LIST_BEGINNINGS = LIST_PIECES + RST_N_INTERVAL_KINDS
};

static void observer_put(struct observers *observers, const struct observer *observer)
{
	struct observer *all = array_room(observers->all, observers->n, &observers->room, sizeof(*all));

	check(!observers->numbers);
	observers->has_no_memory |= !all;
	if (!all)
		return;
	observers->all = all;
	all[observers->n++] = *observer;
}

void observers_add(struct observers *observers, const struct observer_kind *kind, void *state)
{
	check(state);
	observer_put(observers, &(struct observer){ .kind = kind, .state = state });
}

void observers_add_kind(struct observers *observers, const struct observer_kind *kind, void *shared)
{
	check(kind->state_bytes);
	observer_put(observers, &(struct observer){ .kind = kind, .shared = shared });
}

uint32_t observers_effects(const struct observers *observers)
{
	uint32_t effects = 0;

	for (size_t i = 0; i < observers->n; i++)
		effects |= observers->all[i].kind->effects;
	return effects;
}

uint32_t observers_intervals(const struct observers *observers)
{
	uint32_t intervals = 0;

	for (size_t i = 0; i < observers->n; i++)
		intervals |= observers->all[i].kind->intervals;
	return intervals;
}

static bool is_wanted(const struct observer_kind *kind, unsigned list)
{
	if (list >= LIST_BEGINNINGS)
		return kind->beginning && kind->intervals >> (list - LIST_BEGINNINGS) & 1;
	if (list >= LIST_PIECES)
		return kind->piece && kind->intervals >> (list - LIST_PIECES) & 1;
	if (list >= LIST_EFFECTS)
		return kind->effect && kind->effects >> (list - LIST_EFFECTS) & 1;
	if (list == LIST_STEPS || list == LIST_BATCHES)
		return list == LIST_STEPS ? kind->step != NULL : kind->batch != NULL;
	return kind->row && (list == OBSERVERS_GAPS || kind->rows_wanted == ROWS_ALL ||
				    (list == OBSERVERS_GAP_ENDS && kind->rows_wanted == ROWS_GAP_ENDS));
}

bool observers_begin(struct observers *observers)
{
	const size_t n = observers->n;

	check(!observers->numbers && n < UINT32_MAX);
	uint32_t *at = observers->numbers = calloc(OBSERVERS_LISTS * (n + 1), sizeof(*at));

	observers->states = observers->own_states = calloc(n + 1, sizeof(*observers->states));
	if (!at || !observers->states || observers->has_no_memory)
		return false;
	for (unsigned list = 0; list < OBSERVERS_LISTS; list++) {
		observers->lists[list] = at;
		for (uint32_t i = 0; i < n; i++)
			if (is_wanted(observers->all[i].kind, list))
				*at++ = i;
		*at++ = UINT32_MAX;
	}
	for (size_t i = 0; i < n; i++)
		observers->states[i] = observers->all[i].state;
	return true;
}

/* --- states --------------------------------------------------------------------------------------------- */

static struct subjects *records_of(void *state, const struct state_records *records)
{
	return (struct subjects *)(void *)((char *)state + records->at);
}

static size_t n_records_of(const struct observer_kind *kind)
{
	size_t n = 0;

	while (n < STATE_RECORDS_MAX && kind->records[n].n_bytes)
		n++;
	return n;
}

void *observers_state_new(struct observers *observers, size_t n)
{
	struct observer *observer = &observers->all[n];
	const struct observer_kind *kind = observer->kind;
	void **state;

	check(n < observers->n);
	if (!observer->shared && kind->shared_bytes)
		observer->shared = calloc(1, kind->shared_bytes);
	if (!observer->shared && kind->shared_bytes)
		return NULL;
	state = calloc(1, kind->state_bytes);
	if (state && observer->shared)
		*state = observer->shared;
	for (size_t i = 0; state && i < n_records_of(kind); i++)
		records_of(state, &kind->records[i])->record_bytes = kind->records[i].n_bytes;
	return observers->states[n] = state;
}

static void state_done(const struct observer_kind *kind, void *state)
{
	if (kind->done)
		kind->done(state);
	for (size_t i = 0; i < n_records_of(kind); i++) {
		struct subjects *subjects = records_of(state, &kind->records[i]);

		for (size_t k = 0; kind->records[i].done && k < subjects->n; k++)
			kind->records[i].done(subjects->all[k]);
		subjects_done(subjects);
	}
}

void observers_end_states(struct observers *observers)
{
	for (size_t i = 0; observers->states && i < observers->n; i++) {
		const struct observer *observer = &observers->all[i];
		void *state = observers->states[i];

		if (state)
			state_done(observer->kind, state);
		if (!observer->state)
			free(state);
		observers->states[i] = NULL;
	}
}

void observers_done(struct observers *observers)
{
	observers->states = observers->own_states;
	observers_end_states(observers);
	for (size_t i = 0; i < observers->n; i++) {
		const struct observer *observer = &observers->all[i];

		if (!observer->kind->shared_bytes)
			continue;
		if (observer->shared && observer->kind->shared_done)
			observer->kind->shared_done(observer->shared);
		free(observer->shared);
	}
	free(observers->own_states);
	free(observers->numbers);
	free(observers->all);
	*observers = (struct observers){ 0 };
}

/* --- handing on ----------------------------------------------------------------------------------------- */

enum rst_status observers_start(struct observers *observers, const struct scan *scan, struct rst_error *err)
{
	for (size_t i = 0; i < observers->n; i++) {
		const struct observer_kind *kind = observers->all[i].kind;
		void *state = kind->start ? observers_state(observers, i) : NULL;

		if (kind->start && !state)
			return error_nomem(err);
		if (kind->start)
			error_try(kind->start(state, scan, err));
	}
	return RST_OK;
}

bool observers_batch(struct observers *observers, const struct rst_batch *batch)
{
	const uint32_t *n = observers->lists[LIST_BATCHES];
	const struct observer *all = observers->all;

	for (; *n != UINT32_MAX; n++) {
		void *state = observers_state(observers, *n);

		if (!state || !all[*n].kind->batch(state, batch))
			return false;
	}
	return true;
}

bool observers_effect(struct observers *observers, const struct occurrence *occurrence)
{
	const uint32_t *n = observers->lists[LIST_EFFECTS + occurrence->facts->effect->kind];
	const struct observer *all = observers->all;

	for (; *n != UINT32_MAX; n++) {
		void *state = observers_state(observers, *n);

		if (!state || !all[*n].kind->effect(state, occurrence))
			return false;
	}
	return true;
}

bool observers_piece(struct observers *observers, const struct piece *piece)
{
	const uint32_t *n = observers->lists[LIST_PIECES + piece->interval->kind];
	const struct observer *all = observers->all;

	for (; *n != UINT32_MAX; n++) {
		void *state = observers_state(observers, *n);

		if (!state || !all[*n].kind->piece(state, piece))
			return false;
	}
	return true;
}

bool observers_beginning(struct observers *observers, const struct rst_beginning *beginning)
{
	const uint32_t *n = observers->lists[LIST_BEGINNINGS + beginning->kind];
	const struct observer *all = observers->all;

	for (; *n != UINT32_MAX; n++) {
		void *state = observers_state(observers, *n);

		if (!state || !all[*n].kind->beginning(state, beginning))
			return false;
	}
	return true;
}

bool observers_step(struct observers *observers, const struct scan *scan)
{
	const uint32_t *n = observers->lists[LIST_STEPS];
	const struct observer *all = observers->all;

	for (; *n != UINT32_MAX; n++) {
		void *state = observers_state(observers, *n);

		if (!state || !all[*n].kind->step(state, scan))
			return false;
	}
	return true;
}

bool observers_finish(struct observers *observers, const struct scan *scan)
{
	for (size_t i = 0; i < observers->n; i++) {
		const struct observer_kind *kind = observers->all[i].kind;
		void *state = kind->finish ? observers_state(observers, i) : NULL;

		if (kind->finish && (!state || !kind->finish(state, scan)))
			return false;
	}
	return true;
}
